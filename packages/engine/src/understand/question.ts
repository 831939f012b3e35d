import type { Phase } from '@cairnstore/contract'
import { ASKING, ASPECTS, type QuestionKind, ROWS, type Topic } from '../lexicon/asked.ts'
import { anyOf, entriesOf, wholeOf } from '../lexicon/entries.ts'
import {
  ADDRESSEE,
  AT_PRESENT,
  anyIn,
  FORMER,
  inAll,
  MANNERS,
  QUESTION_WORDS,
  RELATIVES,
  TO_COME,
} from '../lexicon/languages.ts'
import predicates from '../lexicon/predicates.json' with { type: 'json' }
import { topicsAsked } from '../text/kinds.ts'
import { hasLetter, hasLetterOrNumber } from '../text/signs.ts'
import { speaksAsSomebody } from '../text/words.ts'
import { type NumberedThings, numberedThings } from './numbered-things.ts'
import { aboutTerms, isForeign } from './question-terms.ts'
import { isWithin, type TimeSpan } from './time-span.ts'
import { type Wording, wordingOf } from './wording.ts'
import { namesWritten, type WrittenName } from './written-names.ts'

/** What a question or a part of it says, in its own words and with the subject that it leaves to an earlier one. */
export interface Said {
  readonly wording: Wording
  readonly wordingInTalk: Wording
  readonly words: readonly AskedWord[]
  readonly wordsInTalk: readonly AskedWord[]
  /** Whether a word behind its first begins with a capital: then names do. */
  readonly writesCapitals: boolean
  /** What its own words write as names are written. */
  readonly names: readonly WrittenName[]
  readonly ways: WaysOfAsking
  /** The numbered things that it names, with those of the subject that it leaves to an earlier question. */
  readonly numbered: NumberedThings
}

/** The question as the brief understands it. */
export interface Question extends Said {
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
  /** Whether a summary is asked for, which is told in order of time. */
  readonly isSummary?: boolean
  /** Whether it is in another known language than English, of which records in English have names alone. */
  isForeign: boolean
  aspects: Aspect[]
  /** The sections of a document that would answer it, by their labels. */
  topics: Topic[]
  /** The times that the question asks about: from the first millisecond until just before the last. */
  times?: readonly TimeSpan[]
}

/** What one clause of a question, in lower case, asks for; undefined when it asks nothing. */
export function kindOf(clause: string): QuestionKind | undefined {
  return ASKING.find(([, asks]) => asks.test(clause))?.[0]
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
  const lower = text.toLowerCase()
  const kinds = [...new Set(splitClauses(lower).flatMap((clause) => kindOf(clause) ?? []))]
  const isSummary = kinds[0] === 'overview'
  const topic = (said: string) => (isSummary ? topicOf(said, termsOf) : said)
  const terms = termsOf(topic(text))
  const carried = new Set(termsOf(subject).filter((term) => !terms.includes(term)))
  return {
    ...readSaid(text, subject ? `${text} ${subject}` : text, termsOf),
    kind: kinds[0] ?? 'overview',
    kinds: kinds.length > 0 ? kinds : ['overview'],
    terms: [...new Set([...terms, ...carried])],
    ...(carried.size > 0 && { carried }),
    about: aboutTerms(`${topic(timeless)} ${subject}`, termsOf),
    isSummary,
    isForeign: isForeign(text),
    aspects: aspectsOf(lower),
    topics: topicsAsked(lower),
    ...(times.length > 0 && { times }),
  }
}

/** What a summary is asked of: "the pump" of "Sum up the thread about the pump", whose thread need not be called so. */
function topicOf(text: string, termsOf: (text: string) => string[]): string {
  const topic = text.split(TOPIC_OPENING)[1] ?? ''
  return termsOf(topic).length > 0 ? topic : text
}

/** Reads the words of a question or a part, by themselves and as its talk makes them whole. */
export function readSaid(text: string, inTalk: string, termsOf: (text: string) => string[]): Said {
  return {
    wording: wordingOf(text),
    wordingInTalk: wordingOf(inTalk),
    words: askedWords(text),
    wordsInTalk: askedWords(inTalk),
    writesCapitals: /\S\s+\p{Lu}/u.test(inTalk),
    names: namesWritten(text, termsOf),
    ways: waysOfAsking(text, inTalk),
    numbered: numberedThings(inTalk),
  }
}

/** The terms of a question without those of a subject named in an earlier part or question. */
export function ownTerms({ terms, carried }: Question): ReadonlySet<string> {
  return new Set(terms.filter((term) => !carried?.has(term)))
}

/** Whether a time is outside all that the question asks about; false when it asks about any. */
export function isOtherTime({ times }: Question, atMs: number): boolean {
  return times !== undefined && !times.some((span) => isWithin(atMs, span))
}

const TOLD_OVER_TIME: ReadonlySet<QuestionKind> = new Set(['why', 'change', 'open', 'overview', 'status'])

/**
 * Whether the latest answers a question: how something is now or when it will be, of no time that it names, and what is
 * so of who asks. What was before is asked of the past.
 */
export function asksOfLatest({ ways, kind, times }: Question): boolean {
  if (ways.isOfBefore) return false
  return ways.isOfSpeaker || (times === undefined && !TOLD_OVER_TIME.has(kind) && ways.isOfNow)
}

const TOPIC_OPENING = new RegExp(`\\b${anyIn('topicOpenings')}\\s+(.+)`, 'isu')
const SAYS = new RegExp(wholeOf(inAll('sayings')), 'iu')
const WRITES = new RegExp(wholeOf(inAll('writings')), 'iu')

/** Returns true for a form of a verb of saying or writing, not of reporting on work: "wrote", not "shipped". */
export function isWordOfWriting(word: string): boolean {
  return WRITES.test(word)
}

const BY_AUTHOR = new RegExp(`^${anyIn('byAuthor')}$`, 'u')

/** Returns true for a preposition between a verb and who did it: "by". */
export function isBeforeAuthor(word: string): boolean {
  return BY_AUTHOR.test(word)
}

/** "How much do we have in total?" asks for a sum by what follows its verb. */
const IN_TOTAL = new RegExp(
  wholeOf(
    ROWS.whole,
    ROWS.haveInTotal.flatMap((entry) => entry.split(/^\S+ ?/)[1] || []),
  ),
  'iu',
)
const MOST = new RegExp(wholeOf(ROWS.most, ROWS.largest), 'iu')
const LEAST = new RegExp(wholeOf(ROWS.fewest, ROWS.smallest), 'iu')
const OF_NOW = new RegExp(wholeOf(AT_PRESENT, TO_COME), 'iu')
const OPENING_WORDS = 2
const PAST = new RegExp(`\\b${anyIn('pastForms')}\\b`, 'i')
const STATE_VERBS = entriesOf(predicates.pasts).map((pair) => pair.split('/')[1] ?? pair)
const PAST_STATE = new RegExp(`\\b${anyOf(STATE_VERBS)}\\b`, 'i')
const PAST_EVENT = new RegExp(`\\b${anyIn('pastEvents')}\\b`, 'i')
/** Question words whose "was" asks for a state: "where was". An event may follow "what was". */
const STATE_KINDS: ReadonlySet<QuestionKind | undefined> = new Set<QuestionKind>(['who', 'where'])
const OF_FUTURE = new RegExp(`\\b${anyIn('futureForms')}\\b`, 'i')
const OF_BEFORE = new RegExp(wholeOf(FORMER), 'iu')
const OF_MANNER = new RegExp(wholeOf(MANNERS), 'iu')
const BESIDE = new RegExp(`\\b${anyIn('dateSides')}\\b`, 'i')
const ADDRESSES = new RegExp(wholeOf(ADDRESSEE), 'iu')
// What a course of values answers: how it stands now, after it was otherwise.
const AT_PRESENT_ALONE = new RegExp(`\\b${anyIn('presentWords')}\\b`, 'i')
const OF_OPEN = new RegExp(`\\b${anyIn('asksPhaseOpen')}\\b`)
const OF_DONE = new RegExp(`\\b${anyIn('asksPhaseDone')}\\b`)

/** How a question asks, beside what it asks for. */
export interface WaysOfAsking {
  /** What somebody said, which is told by what that person wrote. */
  readonly isOfSaying: boolean
  /** How something is now, or when it will be. */
  readonly isOfNow: boolean
  /** The kind of answer that the first two words ask for: "how many". */
  readonly opening: QuestionKind | undefined
  /** It has a past form of a verb. */
  readonly isPast: boolean
  /** It asks for a past state and for no event: "who led", "where was". */
  readonly isOfPastState: boolean
  /** It asks about the future. */
  readonly isOfFuture: boolean
  /** How something stands now, after it was otherwise. */
  readonly isOfPresent: boolean
  /** How something is done, which a command tells. */
  readonly isOfManner: boolean
  /** What lies before or after something that it names: "since 4.1.0". */
  readonly isOfBeside: boolean
  /** Who asks speaks of themself and to nobody: "what did you recommend to me?" may ask for what "you" said. */
  readonly isOfSpeakerAlone: boolean
  /** The phase of the work that is counted. */
  readonly phase: Extract<Phase, 'open' | 'done'> | undefined
  /** What is asked in its talk, too: the sum of what a table has, or its greatest or least; with the words that ask. */
  readonly isOfSum: boolean
  readonly extreme: 'most' | 'least' | undefined
  readonly figureWords: readonly string[]
  /** What is asked in its talk, too: who asks speaks of themself. */
  readonly isOfSpeaker: boolean
  /** What is asked in its talk, too: how something was before. */
  readonly isOfBefore: boolean
}

/** Reads how a question asks, of its own text and of that with the subject that it leaves to its talk. */
function waysOfAsking(text: string, inTalk: string): WaysOfAsking {
  const lower = text.toLowerCase()
  const opening = kindOf(lower.split(/\s+/, OPENING_WORDS).join(' '))
  return {
    isOfSaying: SAYS.test(text),
    isOfNow: OF_NOW.test(text),
    opening,
    isPast: PAST.test(text),
    isOfPastState: STATE_KINDS.has(opening) && PAST_STATE.test(text) && !PAST_EVENT.test(text),
    isOfFuture: OF_FUTURE.test(text),
    isOfPresent: AT_PRESENT_ALONE.test(text),
    isOfManner: OF_MANNER.test(text),
    isOfBeside: BESIDE.test(text),
    isOfSpeakerAlone: speaksAsSomebody(text) && !ADDRESSES.test(text),
    phase: OF_OPEN.test(lower) ? 'open' : OF_DONE.test(lower) ? 'done' : undefined,
    isOfSum: IN_TOTAL.test(inTalk),
    extreme: MOST.test(inTalk) ? 'most' : LEAST.test(inTalk) ? 'least' : undefined,
    figureWords: [IN_TOTAL, MOST, LEAST].flatMap((asks) => asks.exec(inTalk)?.[0] ?? []),
    isOfSpeaker: speaksAsSomebody(inTalk),
    isOfBefore: OF_BEFORE.test(inTalk),
  }
}

/** A word of a question. */
export interface AskedWord {
  /** In lower case, as names are compared. */
  readonly text: string
  /** Whether any of its letters is a capital. */
  readonly isCapital: boolean
  /** Whether it stands after an auxiliary, where a question has who does something: "what did Priya say". */
  readonly isAfterAuxiliary: boolean
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu
const AUXILIARY = new RegExp(`(?<!\\p{L})${anyIn('beforeDoers')}\\s+`, 'giu')

/** The words of a question in their order. */
export function askedWords(text: string): AskedWord[] {
  const ends = new Set([...text.matchAll(AUXILIARY)].map(({ index, 0: said }) => index + said.length))
  return [...text.matchAll(WORD)].map(({ index, 0: word }) => ({
    text: word.toLowerCase(),
    isCapital: /\p{Lu}/u.test(word),
    isAfterAuxiliary: ends.has(index),
  }))
}

/** One thing that questions ask about, with the words by which sentences tell it: a hint for ranking. */
export interface Aspect {
  name: string
  tells: RegExp
}

/** The aspects that a question asks about. */
export function aspectsOf(question: string): Aspect[] {
  return ASPECTS.filter((each) => each.asks.test(question)).map(({ name, tells }) => ({ name, tells }))
}

const ASKS = `(?:${anyIn('phrasePrepositions')} )?${anyOf(QUESTION_WORDS, RELATIVES)}`
const AND = anyIn('coordinators')
const BOUNDARY = new RegExp(
  `[?;]+\\s*|,\\s*(?:${anyIn('conjunctions')} )?(?=${ASKS}(?:'s)?\\b)|\\s${AND} (?=${ASKS}(?:'s)?\\b)`,
  'gi',
)
const COORDINATED = new RegExp(`(?:,|\\s)\\s*${AND} ${ASKS}\\b`, 'i')
// After a bare comma these may open a relative clause: "the customer, who pays late".
const RELATIVE = new RegExp(`^(?:\\w+ )?${anyOf(RELATIVES)}\\b`, 'i')
const INNER_RELATIVE = new RegExp(`\\S (?:${anyOf(RELATIVES)}|${anyIn('relativeThat')})\\b`, 'i')
// A question of more parts than these is a list of demands and is read as a whole from there on.
const CLAUSES_MAX = 6

/** The coordinated questions within a question, in order; relative clauses stay where they are. */
export function splitClauses(text: string): string[] {
  const clauses: string[] = []
  let start = 0
  for (const found of text.matchAll(BOUNDARY)) {
    if (clauses.length + 1 >= CLAUSES_MAX) break
    const head = text.slice(start, found.index)
    const rest = text.slice(found.index + found[0].length)
    if (!parts(head, found[0], rest)) continue
    clauses.push(head.trim())
    start = found.index + found[0].length
  }
  clauses.push(text.slice(start).trim())
  return clauses.filter(hasLetterOrNumber)
}

function parts(head: string, mark: string, rest: string): boolean {
  if (mark.includes('?') || mark.includes(';')) return true
  if (!hasLetter(head)) return false
  const joined = /\w/.test(mark)
  if (mark.startsWith(',')) return joined || !RELATIVE.test(rest) || COORDINATED.test(rest.split('?')[0]!)
  return !INNER_RELATIVE.test(head)
}
