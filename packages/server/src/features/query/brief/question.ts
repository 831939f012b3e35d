import { type Aspect, aspectsOf } from './aspects.ts'
import { civilOf, dayNumber, monthNumber, parseIsoDay, weekdayOf } from './civil-date.ts'
import { splitClauses } from './clauses.ts'
import { type Topic, topicsAsked } from './labels.ts'
import { pattern } from './pattern.ts'

/** What kind of answer a question asks for. */
export type QuestionKind =
  | 'who'
  | 'when'
  | 'where'
  | 'howMany'
  | 'howLong'
  | 'howMuch'
  | 'why'
  | 'change'
  | 'status'
  | 'open'
  | 'yesNo'
  | 'fact'
  | 'overview'

/** The question as the brief understands it. */
export interface Question {
  text: string
  /** What its first part asks for. */
  kind: QuestionKind
  /** What all its parts ask for. */
  kinds: QuestionKind[]
  /** Distinct analyser terms of the question. */
  terms: string[]
  /** Those of its terms that stand for a subject named in an earlier part. */
  carried?: ReadonlySet<string>
  aspects: Aspect[]
  /** The sections of a document that would answer it, by their labels. */
  topics: Topic[]
  /** The days that the question names, both ends included. */
  window?: { from: number; to: number }
}

// The first pattern that fits decides, so the narrow kinds come before the wide ones.
const EDGE = '(?<!\\p{L})'
const END = '(?!\\p{L})'
const KINDS: readonly [QuestionKind, RegExp][] = [
  [
    'howMany',
    pattern(
      'u',
      EDGE,
      '(how many|number of|count of|how often|wie viele|combien de|cuántos|cuántas|quanti)',
      END,
      '|多少个|几个',
    ),
  ],
  ['howLong', /(?<!\p{L})(how long|how old|duration|wie lange|combien de temps|cuánto tiempo)(?!\p{L})/u],
  [
    'howMuch',
    pattern(
      'u',
      '(?<!\\p{L})(how much|how big|how large|how far|how high|what (?:is|was) the (?:cost|',
      'price|budget|total|amount)|wie viel|combien|cuánto)(?!\\p{L})|多少',
    ),
  ],
  [
    'open',
    pattern(
      'u',
      "(?<!\\p{L})(what(?:'s| is| are| remains| needs)?[^?]{0,40}(?<!\\p{L})(?:open|outstanding|",
      'pending|unresolved|left|missing|blocked|blocking|next)|still open|open (?:questions?|',
      'points?|items?|issues?|tasks?|ends?)|to-?dos?|action items?|next steps?|blockers?|',
      'unresolved|outstanding|offen(?:e[nrs]?)?|was fehlt)(?!\\p{L})',
    ),
  ],
  [
    'change',
    pattern(
      'u',
      "(?<!\\p{L})(what(?:'s| has| is| was)? (?:changed|changes?|new|different)|changes?\\b|",
      'changed|latest|recent(?:ly)?|updates?|what happened|history of|evolved|',
      'was hat sich geändert|was ist neu|quoi de neuf|qué cambió)(?!\\p{L})',
    ),
  ],
  [
    'status',
    pattern(
      'u',
      '(?<!\\p{L})(status|progress|where (?:do|are) (?:we|things|they)|how (?:is|are|',
      'far)(?!\\p{L})[^?]*|state of|stand der|wie steht|on track)(?!\\p{L})',
    ),
  ],
  [
    'why',
    pattern(
      'u',
      '(?<!\\p{L})(why|reasons?|cause[ds]?|what caused|what led|how come|rationale|warum|',
      'weshalb|wieso|pourquoi|por qué|perché)(?!\\p{L})|为什么|なぜ',
    ),
  ],
  [
    'who',
    pattern(
      'u',
      '(?<!\\p{L})(who|whom|whose|which (?:person|people|team|colleague|engineer)|wer|wem|wen|',
      'qui|quién|quiénes|chi)(?!\\p{L})|谁|誰',
    ),
  ],
  [
    'when',
    pattern(
      'u',
      '(?<!\\p{L})(when|what (?:date|day|year|time|month)|which (?:date|day|year|month)|',
      'since when|deadline|due date|date of|wann|quand|cuándo|quando)(?!\\p{L})|什么时候|いつ',
    ),
  ],
  [
    'where',
    pattern(
      'u',
      '(?<!\\p{L})(where|which (?:country|city|town|place|office|location|state)|',
      'what (?:country|city|town|place|location)|place of|wo|wohin|où|dónde|dove)(?!\\p{L})|哪里|',
      'どこ',
    ),
  ],
  [
    'overview',
    pattern(
      'u',
      '(?<!\\p{L})(summar\\w*|overview|tell me about|brief me|catch me up|what do we know|',
      "what is going on|what's going on|background|big picture|überblick|zusammenfass\\w*|",
      'résum\\w*)(?!\\p{L})',
    ),
  ],
  [
    'yesNo',
    /^(is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|ist|sind|hat|haben|est-ce)(?!\p{L})/u,
  ],
  ['fact', /(?<!\p{L})(what|which|how|was|welche[rsnm]?|quel\w*|qué|cuál\w*|que|cosa)(?!\p{L})|什么|何/u],
]

/** What one clause of a question, in lower case, asks for; undefined when it asks nothing. */
export function kindOf(clause: string): QuestionKind | undefined {
  return KINDS.find(([, pattern]) => pattern.test(clause))?.[0]
}

/** Reads a question: its kind, its terms, what it asks about and the days that it names. */
export function readQuestion(text: string, terms: string[], referenceDate: string): Question {
  const lower = text.toLowerCase()
  const kinds = [...new Set(splitClauses(lower).flatMap((clause) => kindOf(clause) ?? []))]
  const question: Question = {
    text,
    kind: kinds[0] ?? 'overview',
    kinds: kinds.length > 0 ? kinds : ['overview'],
    terms: [...new Set(terms)],
    aspects: aspectsOf(lower),
    topics: topicsAsked(lower),
  }
  const today = parseIsoDay(referenceDate)
  const window = today === undefined ? undefined : namedDays(lower, today)
  if (window) question.window = window
  return question
}

function namedDays(text: string, today: number): Question['window'] {
  const { year, month } = civilOf(today)
  const monday = today - ((weekdayOf(today) + 6) % 7)
  if (/\btoday\b/.test(text)) return { from: today, to: today }
  if (/\byesterday\b/.test(text)) return { from: today - 1, to: today - 1 }
  if (/\bthis week\b/.test(text)) return { from: monday, to: today }
  if (/\blast week\b/.test(text)) return { from: monday - 7, to: monday - 1 }
  if (/\bthis month\b/.test(text)) return { from: dayNumber(year, month, 1), to: today }
  if (/\blast month\b/.test(text)) return { from: dayNumber(year, month - 1, 1), to: dayNumber(year, month, 1) - 1 }
  if (/\bthis year\b/.test(text)) return { from: dayNumber(year, 1, 1), to: today }
  if (/\blast year\b/.test(text)) return { from: dayNumber(year - 1, 1, 1), to: dayNumber(year, 1, 1) - 1 }
  const past = /\b(?:last|past) (\d{1,3}) (day|week|month)s?\b/.exec(text)
  if (past) {
    const days = { day: 1, week: 7, month: 30 }[past[2] as 'day' | 'week' | 'month']
    return { from: today - Number(past[1]) * days, to: today }
  }
  const since = /\bsince (\d{4}-\d{2}-\d{2})\b/.exec(text)
  const sinceDay = since ? parseIsoDay(since[1]!) : undefined
  if (sinceDay !== undefined) return { from: sinceDay, to: today }
  return namedMonth(text, year, month)
}

function namedMonth(text: string, year: number, month: number): Question['window'] {
  const found = /\b(?:in|during|since) ([a-z]{3,9})(?: (\d{4}))?\b/.exec(text)
  const named = found ? monthNumber(found[1]!) : undefined
  if (!found || named === undefined) return undefined
  // A month without a year is the latest one that has begun.
  const inYear = found[2] ? Number(found[2]) : named <= month ? year : year - 1
  return { from: dayNumber(inYear, named, 1), to: dayNumber(inYear, named + 1, 1) - 1 }
}
