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
  nameAt,
  objectAt,
  type Saying,
  type Stated,
  type Subject,
  stands,
  subjectBefore,
  type TaggedText,
} from './ends.ts'

export type { Saying } from './ends.ts'

/** Something that a text states. */
export interface FoundFact {
  /** Who says it, or whose name stands there. */
  readonly subject: Subject
  /** In words: "lives in". */
  readonly predicate: string
  /** A name or words of the text as they are written; of a date the day as YYYY-MM-DD. */
  readonly object: string
  /** UTF-16 offsets into the text: where the statement begins, and behind its last character. */
  readonly start: number
  readonly end: number
  /** From 0 to 1. */
  readonly confidence: number
  /** The day number since which it holds, where the text says so; else it counts from when it was said. */
  readonly since?: number
  /** The day number from which it no longer holds: "I left Acme". */
  readonly until?: number
}

/** Facts of one text that are told. */
export const FACTS_MAX = 50

/** How sure a fact is, by whom it is about. */
const SURE = { speaker: 0.9, named: 0.8 } as const

/**
 * What a text states of who says it and of those whom it names, in order: where somebody lives, for whom and as what
 * they work, what they lead, and that they no longer do, and the day of a launch, a release, a cutover or a deadline.
 * English alone. A sentence that asks, denies, supposes, plans, quotes or reports states nothing. It takes time in
 * proportion to the text.
 * @param mentions the names in the text, in order (`findMentions`)
 */
export function findFacts(
  text: string,
  mentions: readonly FoundMention[],
  saying: Saying,
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
    const stated: Stated | undefined = datedAt(tagged, at, saying) ?? statedAt(tagged, at, saying)
    if (!stated || (doubtAt(stated.isEnd ? stated.from : at) & ~(stated.mayBe ?? DOUBT.none)) > 0) continue
    const { subject, predicate, object, from, to, begins, isEnd } = stated
    const [start, end] = [tokens[from]!.from, Math.max(tokens[to - 1]!.to, stated.end ?? 0)]
    const since = begins ? timeSaid(text, end, saying.today) : undefined
    // What begins after it was said is a plan.
    if (since !== undefined && saying.today !== undefined && since > saying.today) continue
    const confidence = subject.kind === 'speaker' ? SURE.speaker : SURE.named
    const day = isEnd ? (since ?? saying.today) : since
    // Nobody knows until when what ended on no day held.
    if (isEnd && day === undefined) continue
    const times = day === undefined ? {} : isEnd ? { until: day } : { since: day }
    found.push({ subject, predicate, object, start, end, confidence, ...times })
    const more = isEnd ? undefined : goesOnAt(tagged, stated)
    if (more && found.length < FACTS_MAX) found.push({ ...more, subject, start, confidence, ...times })
  }
  return found
}

/** Words at which a rule may read something. */
const BEGINNINGS: ReadonlySet<string> = new Set([...PHRASES.keys(), ...DATED_NOUNS.keys()])

function tagText(text: string, tokens: readonly Token[], mentions: readonly FoundMention[]): TaggedText {
  const starting = new Map(mentions.map((mention) => [mention.start, mention]))
  const ending = new Map(mentions.map((mention) => [mention.end, mention]))
  return { text, tokens, starting, ending }
}

/** What the phrases of the lexicon state at a token. */
function statedAt(tagged: TaggedText, at: number, saying: Saying): Stated | undefined {
  for (const phrase of PHRASES.get(tagged.tokens[at]!.lower) ?? []) {
    if (!stands(tagged.tokens, at, phrase.words)) continue
    const subject = subjectBefore(tagged, at, phrase, saying)
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

/** The second fact that one statement tells: "a nurse at Acme" gives the occupation and the employer. */
function goesOnAt(tagged: TaggedText, { predicate, to }: Stated) {
  const { tokens } = tagged
  const next = GOES_ON.find(({ after, words }) => after === predicate && stands(tokens, to, words))
  if (!next || tokens[to]?.gap !== 'space') return undefined
  const object = objectAt(tagged, to + next.words.length, next.object)
  return object && { predicate: next.predicate, object: object.text, end: object.end ?? tokens[object.to - 1]!.to }
}

function isSame(subject: Subject, object: string): boolean {
  return subject.kind === 'named' && subject.name === object
}

/** Characters in which a day may stand, and before it: "the". */
const DAY_CHARS_MAX = 40
const ARTICLE_CHARS_MAX = 4
/** Words between the noun and its phrase: "has now been". */
const BETWEEN_MAX = 3
const THE: ReadonlySet<string> = new Set(['the', 'our'])

/** The day that a noun at a token has moved to or is set for, and of what: "the Harbour launch moved to 17 August". */
function datedAt(tagged: TaggedText, at: number, { today, isAboutKnown = false }: Saying): Stated | undefined {
  const { tokens } = tagged
  const predicate = DATED_NOUNS.get(tokens[at]!.lower)
  if (predicate === undefined || today === undefined) return undefined
  const owner = ownerOf(tagged, at, isAboutKnown)
  if (!owner) return undefined
  for (let verb = owner.behind; verb < tokens.length && verb - owner.behind <= BETWEEN_MAX; verb += 1) {
    if (tokens[verb]!.gap !== 'space') return undefined
    const day = dayBehind(tagged, verb, today)
    if (day) return { subject: owner.subject, predicate, from: owner.from, ...day, mayBe: DOUBT.later }
    if (!DATED_BETWEEN.has(tokens[verb]!.lower)) return undefined
  }
  return undefined
}

/** Whose launch stands at a token: a name before it or behind "of", or the one thing that all of the text is about. */
function ownerOf(tagged: TaggedText, at: number, isAboutKnown: boolean) {
  const { tokens, ending } = tagged
  const before = at > 0 && tokens[at]!.gap === 'space' ? tokens[at - 1] : undefined
  const mention = before && ending.get(before.to)
  if (mention) {
    if (mention.type === 'person') return undefined
    let from = at - 1
    while (from > 0 && tokens[from]!.from > mention.start) from -= 1
    return { subject: named(mention.name), from, behind: at + 1 }
  }
  if (before && isNameHere(before)) {
    return { subject: named(before.text), from: at - 1, behind: at + 1 }
  }
  if (tokens[at + 1]?.lower === 'of') {
    const found = nameAt(tagged, at + 2) ?? nameAt(tagged, at + 3)
    if (!found || found.mention.type === 'person') return undefined
    return { subject: named(found.mention.name), from: at, behind: found.to }
  }
  const about: Subject = { kind: 'about' }
  return isAboutKnown && before && THE.has(before.lower) ? { subject: about, from: at - 1, behind: at + 1 } : undefined
}

/** Behind "The" at the start of a sentence a capital is no sign of a name; before a launch it is one. */
function isNameHere({ gap, isPossessive, shape, lower, isCode }: Token): boolean {
  return (gap === 'space' || isPossessive) && shape === 'capital' && !isCode && !isCommonWord(lower)
}

function named(name: string): Subject {
  return { kind: 'named', name }
}

/** The day behind a phrase that stands at a token. */
function dayBehind({ tokens, text }: TaggedText, at: number, today: number) {
  for (const { words } of DATED.get(tokens[at]!.lower) ?? []) {
    const first = tokens[at + words.length]
    if (first?.gap !== 'space' || !stands(tokens, at, words)) continue
    const behind = text.slice(first.from, first.from + DAY_CHARS_MAX).split(STATEMENT_END)[0]!
    const [date] = findDates(behind, today)
    if (!date || date.index > ARTICLE_CHARS_MAX || date.isStretch !== words.includes('from')) continue
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

/** The last day of a date, in the year in which it is nearest where none is said; undefined for a longer time. */
function nearestDay({ year, inYear, isStretch }: NamedDate, today: number): number | undefined {
  const now = civilOf(today).year
  const years = year === undefined ? [now - 1, now, now + 1] : [year]
  const dayOf = ([from, to]: Days) => (from === to || isStretch ? to : undefined)
  const days = years.flatMap((each) => dayOf(inYear(each)) ?? [])
  return days.sort((one, other) => Math.abs(one - today) - Math.abs(other - today))[0]
}

/** Characters behind a statement in which the time since when it holds may stand. */
const CHARS_MAX = 60
const UNITS = ['day', 'week', 'month', 'year'] as const
const COUNTED = `(\\d{1,2}|an?|${anyOf(NUMBERS)}) (${UNITS.join('|')})s?`
const AGO = pattern('i', `\\b${COUNTED} ago\\b`)
const FOR = pattern('i', `\\bfor (?:${anyIn('forAbout')} )*${COUNTED}\\b`)
const NAMES_TIME = new RegExp(`\\d|${anyIn('dayWords')}|\\b\\p{Lu}`, 'u')
/** What follows a statement and is about something else: "where I met him in 2015". */
const OTHER_CLAUSE = new RegExp(`\\b${anyIn('otherClauses')}\\b`, 'i')

/** The day number since which a statement that ends at `end` holds, where it goes on with a time. */
function timeSaid(text: string, end: number, today: number | undefined): number | undefined {
  if (today === undefined) return undefined
  const behind = text
    .slice(end, end + CHARS_MAX)
    .split(STATEMENT_END)[0]!
    .split(OTHER_CLAUSE)[0]!
  const ago = AGO.exec(behind) ?? FOR.exec(behind)
  if (ago) return daysAgo(today, numberOf(ago[1]!), ago[2]!.toLowerCase())
  if (!NAMES_TIME.test(behind)) return undefined
  const [date] = findDates(behind, today)
  return date && daysOf(date, today)[0]
}

function daysAgo(today: number, count: number, unit: string): number | undefined {
  if (!Number.isFinite(count)) return undefined
  if (unit === 'day') return today - count
  if (unit === 'week') return today - count * DAYS_PER_WEEK
  const { year, month, day } = civilOf(today)
  return unit === 'year' ? dayNumber(year - count, month, day) : dayNumber(year, month - count, day)
}
