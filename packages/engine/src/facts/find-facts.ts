import { anyOf } from '../lexicon/entries.ts'
import { DATED, DATED_BETWEEN, DATED_NOUNS, GOES_ON, PHRASES } from '../lexicon/facts.ts'
import { anyIn, NUMBERS, numberOf } from '../lexicon/languages.ts'
import { isCommonWord } from '../lexicon/names.ts'
import type { FoundMention } from '../mentions/find-mentions.ts'
import { type Token, tokensOf } from '../mentions/tokens.ts'
import { civilOf, DAYS_PER_WEEK, dayNumber, MS_PER_DAY } from '../text/civil-date.ts'
import { STATEMENT_END } from '../text/sentences.ts'
import { pattern } from '../text/words.ts'
import { type Days, daysOf, findDates, type NamedDate } from '../understand/named-dates.ts'
import { DOUBT, doubtsOf } from './doubt.ts'
import {
  type FoundStatement,
  nameAt,
  objectAt,
  phraseBegins,
  type StatementContext,
  type Subject,
  subjectBefore,
  type TaggedText,
} from './ends.ts'

export interface FoundFact {
  /** The speaker, or a named entity. */
  readonly subject: Subject
  /** Predicate in words: "lives in". */
  readonly predicate: string
  /** Name or words as written in the text. A date is written as YYYY-MM-DD. */
  readonly object: string
  /** UTF-16 offset of the start of the statement. The next field is the offset after its last character. */
  readonly start: number
  readonly end: number
  readonly confidence: number
  /** Start in days since 1970-01-01, if the text states it. Otherwise the fact holds from the day of the statement. */
  readonly since?: number
  /** End in days since 1970-01-01, for a statement such as "I left Acme". */
  readonly until?: number
}

/** Maximum number of facts of a text. */
export const FACTS_MAX = 50

/** Confidence of facts about the speaker and about named people. */
const CONFIDENCE = { speaker: 0.9, named: 0.8 } as const

/**
 * Extracts facts about the speaker and named people from English text, in order: residence, employer, occupation,
 * leadership, and the ends of these. Also extracts the dates of launches, releases, cutovers and deadlines. Questions,
 * negations, hypotheses, plans, quotations and hearsay are not facts. Runs in linear time.
 * @param mentions the names in the text, in order (`findMentions`)
 */
export function findFacts(
  text: string,
  mentions: readonly FoundMention[],
  saying: StatementContext,
  tokens: readonly Token[] = tokensOf(text),
): FoundFact[] {
  const found: FoundFact[] = []
  let tagged: TaggedText | undefined
  let doubts: Uint8Array | undefined
  const doubtAt = (at: number) => {
    doubts ??= doubtsOf(text, tokens)
    return doubts[at]!
  }
  for (let at = 0; at < tokens.length && found.length < FACTS_MAX; at += 1) {
    if (!BEGINNINGS.has(tokens[at]!.lower)) continue
    tagged ??= tagText(text, tokens, mentions)
    const stated: FoundStatement | undefined = datedAt(tagged, at, saying) ?? statementAt(tagged, at, saying)
    if (!stated || (doubtAt(stated.isEnd ? stated.from : at) & ~(stated.mayBe ?? DOUBT.none)) > 0) continue
    const { subject, predicate, object, from, to, begins, isEnd } = stated
    const [start, end] = [tokens[from]!.from, Math.max(tokens[to - 1]!.to, stated.end ?? 0)]
    const since = begins ? timeAfter(text, end, saying.today) : undefined
    // A start after the day of the statement is a plan.
    if (since !== undefined && saying.today !== undefined && since > saying.today) continue
    const confidence = subject.kind === 'speaker' ? CONFIDENCE.speaker : CONFIDENCE.named
    const day = isEnd ? (since ?? saying.today) : since
    // Without a day, the end of the fact is unknown.
    if (isEnd && day === undefined) continue
    const times = day === undefined ? {} : isEnd ? { until: day } : { since: day }
    found.push({ subject, predicate, object, start, end, confidence, ...times })
    const more = isEnd ? undefined : continuationAt(tagged, stated)
    if (more && found.length < FACTS_MAX) found.push({ ...more, subject, start, confidence, ...times })
  }
  return found
}

/** Words that can be the first word of a rule's phrase. */
const BEGINNINGS: ReadonlySet<string> = new Set([...PHRASES.keys(), ...DATED_NOUNS.keys()])

function tagText(text: string, tokens: readonly Token[], mentions: readonly FoundMention[]): TaggedText {
  const starting = new Map(mentions.map((mention) => [mention.start, mention]))
  const ending = new Map(mentions.map((mention) => [mention.end, mention]))
  return { text, tokens, starting, ending }
}

/** Returns the statement of a lexicon phrase at a token. */
function statementAt(tagged: TaggedText, at: number, context: StatementContext): FoundStatement | undefined {
  for (const phrase of PHRASES.get(tagged.tokens[at]!.lower) ?? []) {
    if (!phraseBegins(tagged.tokens, at, phrase.words)) continue
    const subject = subjectBefore(tagged, at, phrase, context)
    const object = subject && objectAt(tagged, at + phrase.words.length, phrase.object)
    if (!subject || !object || isSame(subject.subject, object.text)) continue
    return {
      ...subject,
      predicate: phrase.predicate,
      object: object.text,
      to: object.to,
      end: object.end,
      begins: true,
      isEnd: phrase.isEnd,
    }
  }
  return undefined
}

/** Returns the second fact of a statement: "a nurse at Acme" states the occupation and the employer. */
function continuationAt(tagged: TaggedText, { predicate, to }: FoundStatement) {
  const { tokens } = tagged
  const next = GOES_ON.find(({ after, words }) => after === predicate && phraseBegins(tokens, to, words))
  if (!next || tokens[to]?.gap !== 'space') return undefined
  const object = objectAt(tagged, to + next.words.length, next.object)
  return object && { predicate: next.predicate, object: object.text, end: object.end ?? tokens[object.to - 1]!.to }
}

function isSame(subject: Subject, object: string): boolean {
  return subject.kind === 'named' && subject.name === object
}

/**
 * Maximum number of characters after a phrase in which its date is searched. The next constant is the maximum length of
 * an article before the date, with its space.
 */
const DAY_CHARS_MAX = 40
const ARTICLE_CHARS_MAX = 4
/** Maximum number of words between a noun such as "launch" and its verb phrase: "has now been moved to". */
const BETWEEN_MAX = 3
const THE: ReadonlySet<string> = new Set(['the', 'our'])

/** Returns the date statement about an event noun, with its owner: "the Harbour launch moved to 17 August". */
function datedAt(
  tagged: TaggedText,
  at: number,
  { today, isAboutKnown = false }: StatementContext,
): FoundStatement | undefined {
  const { tokens } = tagged
  const predicate = DATED_NOUNS.get(tokens[at]!.lower)
  if (predicate === undefined || today === undefined) return undefined
  const owner = ownerOf(tagged, at, isAboutKnown)
  if (!owner) return undefined
  for (let verb = owner.next; verb < tokens.length && verb - owner.next <= BETWEEN_MAX; verb += 1) {
    if (tokens[verb]!.gap !== 'space') return undefined
    const day = dayAfter(tagged, verb, today)
    if (day) return { subject: owner.subject, predicate, from: owner.from, ...day, mayBe: DOUBT.later }
    if (!DATED_BETWEEN.has(tokens[verb]!.lower)) return undefined
  }
  return undefined
}

/**
 * Returns the owner of the event noun at a token: a name before it or after "of", or the single entity that the text is
 * about.
 */
function ownerOf(tagged: TaggedText, at: number, isAboutKnown: boolean) {
  const { tokens, ending } = tagged
  const before = at > 0 && tokens[at]!.gap === 'space' ? tokens[at - 1] : undefined
  const mention = before && ending.get(before.to)
  if (mention) {
    if (mention.type === 'person') return undefined
    let from = at - 1
    while (from > 0 && tokens[from]!.from > mention.start) from -= 1
    return { subject: named(mention.name), from, next: at + 1 }
  }
  if (before && isNameHere(before)) return { subject: named(before.text), from: at - 1, next: at + 1 }
  if (tokens[at + 1]?.lower === 'of') {
    const found = nameAt(tagged, at + 2) ?? nameAt(tagged, at + 3)
    if (!found || found.mention.type === 'person') return undefined
    return { subject: named(found.mention.name), from: at, next: found.to }
  }
  const about: Subject = { kind: 'about' }
  return isAboutKnown && before && THE.has(before.lower) ? { subject: about, from: at - 1, next: at + 1 } : undefined
}

/**
 * Returns true if a token before an event noun is a name. Mention detection ignores capitals after "The" at the start
 * of a sentence, but in this position a capital indicates a name.
 */
function isNameHere({ gap, isPossessive, shape, lower, isCode }: Token): boolean {
  return (gap === 'space' || isPossessive) && shape === 'capital' && !isCode && !isCommonWord(lower)
}

function named(name: string): Subject {
  return { kind: 'named', name }
}

/** Returns the day of the date that follows the phrase at a token. */
function dayAfter({ tokens, text }: TaggedText, at: number, today: number) {
  for (const { words } of DATED.get(tokens[at]!.lower) ?? []) {
    const first = tokens[at + words.length]
    if (first?.gap !== 'space' || !phraseBegins(tokens, at, words)) continue
    const after = text.slice(first.from, first.from + DAY_CHARS_MAX).split(STATEMENT_END)[0]!
    const [date] = findDates(after, today)
    if (!date || date.index > ARTICLE_CHARS_MAX || date.isRange !== words.includes('from')) continue
    const day = nearestDay(date, today)
    if (day === undefined) continue
    return {
      object: new Date(day * MS_PER_DAY).toISOString().slice(0, 10),
      to: at + 1,
      end: first.from + date.index + date.length,
    }
  }
  return undefined
}

/** Returns the last day of a date, in the nearest year if none is given; undefined for a period of several days. */
function nearestDay({ year, inYear, isRange }: NamedDate, today: number): number | undefined {
  const now = civilOf(today).year
  const years = year === undefined ? [now - 1, now, now + 1] : [year]
  const dayOf = ([from, to]: Days) => (from === to || isRange ? to : undefined)
  const days = years.flatMap((each) => dayOf(inYear(each)) ?? [])
  return days.sort((one, other) => Math.abs(one - today) - Math.abs(other - today))[0]
}

/** Maximum number of characters after a statement in which the start or end of the fact is searched. */
const CHARS_MAX = 60
const UNITS = ['day', 'week', 'month', 'year'] as const
const COUNTED = `(\\d{1,2}|an?|${anyOf(NUMBERS)}) (${UNITS.join('|')})s?`
const AGO = pattern('i', `\\b${COUNTED} ago\\b`)
const FOR = pattern('i', `\\bfor (?:${anyIn('forAbout')} )*${COUNTED}\\b`)
const NAMES_TIME = new RegExp(`\\d|${anyIn('dayWords')}|\\b\\p{Lu}`, 'u')
/** Matches the beginning of a clause about something else: "where I met him in 2015". */
const OTHER_CLAUSE = new RegExp(`\\b${anyIn('otherClauses')}\\b`, 'i')

/** Returns the day that the words after a statement name ("since May", "3 weeks ago"), in days since 1970-01-01. */
function timeAfter(text: string, end: number, today: number | undefined): number | undefined {
  if (today === undefined) return undefined
  const after = text
    .slice(end, end + CHARS_MAX)
    .split(STATEMENT_END)[0]!
    .split(OTHER_CLAUSE)[0]!
  const ago = AGO.exec(after) ?? FOR.exec(after)
  if (ago) return daysAgo(today, numberOf(ago[1]!), ago[2]!.toLowerCase())
  if (!NAMES_TIME.test(after)) return undefined
  const [date] = findDates(after, today)
  return date && daysOf(date, today)[0]
}

function daysAgo(today: number, count: number, unit: string): number | undefined {
  if (!Number.isFinite(count)) return undefined
  if (unit === 'day') return today - count
  if (unit === 'week') return today - count * DAYS_PER_WEEK
  const { year, month, day } = civilOf(today)
  return unit === 'year' ? dayNumber(year - count, month, day) : dayNumber(year, month - count, day)
}
