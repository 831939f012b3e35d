import { type Topic, topicsAsked } from '../text/labels.ts'
import { pattern } from '../text/pattern.ts'
import { aboutTerms, isForeign } from './about-terms.ts'
import { type Aspect, aspectsOf } from './aspects.ts'
import { splitClauses } from './clauses.ts'

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
  /** The text with the subject that it leaves to an earlier question. */
  whole: string
  /** What its first part asks for. */
  kind: QuestionKind
  /** What all its parts ask for. */
  kinds: QuestionKind[]
  /** Distinct analyser terms of the question. */
  terms: string[]
  /** Those of its terms that stand for a subject named in an earlier part. */
  carried?: ReadonlySet<string>
  /** Those of its terms that say what it is about: none of its times, of numbers and of how it asks. */
  about: readonly string[]
  /** Whether it is in another known language than English, of which records in English have names alone. */
  isForeign: boolean
  aspects: Aspect[]
  /** The sections of a document that would answer it, by their labels. */
  topics: Topic[]
  /** The times that the question asks about: from the first millisecond until just before the last. */
  times?: readonly { fromMs: number; toMs: number }[]
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
      'pending|unresolved|left|missing|blocked|blocking|next)|which[^?]{0,40}(?<!\\p{L})(?:open|outstanding|pending|',
      'unresolved)|still open|open (?:questions?|points?|items?|issues?|tasks?|ends?)|to-?dos?|action items?|',
      'next steps?|blockers?|unresolved|outstanding|offen(?:e[nrs]?)?|was fehlt|à faire|en suspens|pendientes?|',
      '(?:what|which)[^?]{0,40}(?:not|n.t) (?:yet )?(?:been )?',
      '(?:done|finish(?:ed)?|closed?|resolved?|fix(?:ed)?|ship(?:ped)?|completed?))(?!\\p{L})',
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
      'far)(?!\\p{L})[^?]*|state of|stand der|wie steht|on track|how (?:did|does|do|has|have|was|were)(?!\\p{L})[^?]*',
      '(?:go|gone|going|end|ended|turn(?:ed)? out))(?!\\p{L})',
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
    pattern(
      'u',
      '^(is|are|was(?! (?:ist|sind|gibt|macht)(?!\\p{L}))|were|do|does|did|has|have|had|can|could|will|would|should|',
      'may|ist|sind|hat|haben|est-ce)(?!\\p{L})',
    ),
  ],
  ['fact', /(?<!\p{L})(what|which|how|was|welche[rsnm]?|quel\w*|qué|cuál\w*|que|cosa)(?!\p{L})|什么|何/u],
]

/** What one clause of a question, in lower case, asks for; undefined when it asks nothing. */
export function kindOf(clause: string): QuestionKind | undefined {
  return KINDS.find(([, pattern]) => pattern.test(clause))?.[0]
}

/** What a question has beside its text. */
export interface Beside {
  /** The times that it names. */
  times?: Question['times'] | undefined
  /** Its text without the times that it names; as it is when absent. */
  timeless?: string | undefined
  /** What it is about by an earlier question; empty when it says so itself. */
  subject?: string
}

/** Reads a question: its kind, its terms and what it asks about. */
export function readQuestion(
  text: string,
  termsOf: (text: string) => string[],
  { times = [], timeless = text, subject = '' }: Beside = {},
): Question {
  const terms = termsOf(text)
  const carried = new Set(termsOf(subject).filter((term) => !terms.includes(term)))
  const lower = text.toLowerCase()
  const kinds = [...new Set(splitClauses(lower).flatMap((clause) => kindOf(clause) ?? []))]
  return {
    text,
    whole: subject ? `${text} ${subject}` : text,
    kind: kinds[0] ?? 'overview',
    kinds: kinds.length > 0 ? kinds : ['overview'],
    terms: [...new Set([...terms, ...carried])],
    ...(carried.size > 0 && { carried }),
    about: aboutTerms(`${timeless} ${subject}`, termsOf),
    isForeign: isForeign(text),
    aspects: aspectsOf(lower),
    topics: topicsAsked(lower),
    ...(times.length > 0 && { times }),
  }
}

/** Whether a time is outside all that the question asks about; false when it asks about any. */
export function isOtherTime({ times }: Question, atMs: number): boolean {
  return times !== undefined && !times.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs)
}

const TOLD_OVER_TIME: ReadonlySet<QuestionKind> = new Set(['why', 'change', 'open', 'overview', 'status'])
const NOW = /\b(?:still|now|current(?:ly)?|latest|newest|today|any ?more|these days|at the moment)\b/i
const TO_COME = /\bwhen(?:['’]s| is| are| will| does| do)\b/i

/** Whether a question asks how something is now, or when it will be, of no time that it names. */
export function asksOfNow({ text, kind, times }: Question): boolean {
  return times === undefined && !TOLD_OVER_TIME.has(kind) && (NOW.test(text) || TO_COME.test(text))
}
