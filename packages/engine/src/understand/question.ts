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
import { hasLetter, hasLetterOrNumber } from '../text/characters.ts'
import { topicsAsked } from '../text/kinds.ts'
import { isFirstPerson } from '../text/words.ts'
import { type NumberedEntities, numberedEntities } from './numbered-entities.ts'
import { aboutTerms, isForeign } from './question-terms.ts'
import { isWithin, type TimeSpan } from './time-span.ts'
import { type Wording, wordingOf } from './wording.ts'
import { findCapitalizedNames, type WrittenName } from './written-names.ts'

/** Text of a question or of a part of one: as written, and extended by the subject of an earlier question. */
export interface QuestionText {
  readonly wording: Wording
  readonly wordingInTalk: Wording
  readonly words: readonly AskedWord[]
  readonly wordsInTalk: readonly AskedWord[]
  /** True if a word after the first is capitalized, so names are capitalized too. */
  readonly writesCapitals: boolean
  /** Capitalized names in the question as written. */
  readonly names: readonly WrittenName[]
  readonly ways: QuestionForm
  /** Numbered entities in the question, including those of the subject from an earlier question. */
  readonly numbered: NumberedEntities
}

/** A question as the answer uses it. */
export interface Question extends QuestionText {
  /** Kind of its first part. */
  kind: QuestionKind
  /** Kinds of all its parts. */
  kinds: QuestionKind[]
  /** Distinct analyzer terms of the question. */
  terms: string[]
  /** Terms of the subject that an earlier part states. */
  carried?: ReadonlySet<string>
  /** Topic terms, without times, numbers and question words. */
  about: readonly string[]
  /** True if it asks for a summary, which is in chronological order. */
  readonly isSummary?: boolean
  /** True if it is in a supported language other than English. It then shares only names with English records. */
  isForeign: boolean
  aspects: Aspect[]
  /** Topics of document sections that would answer it. Sections are recognized by their labels. */
  topics: Topic[]
  /** Times in the question. The start is included and the end excluded. */
  times?: readonly TimeSpan[]
}

/** Returns the kind of a lower-case clause, or undefined if it is not a question. */
export function kindOf(clause: string): QuestionKind | undefined {
  return ASKING.find(([, asks]) => asks.test(clause))?.[0]
}

export interface QuestionContext {
  times?: Question['times'] | undefined
  /** Text without the times. Defaults to the text. */
  timeless?: string | undefined
  /** Subject from an earlier question; empty if the question has its own. */
  subject?: string
}

/** Analyzes a question: kinds, terms and topic. */
export function readQuestion(
  text: string,
  termsOf: (text: string) => string[],
  { times = [], timeless = text, subject = '' }: QuestionContext = {},
): Question {
  const lower = text.toLowerCase()
  const kinds = [...new Set(splitClauses(lower).flatMap((clause) => kindOf(clause) ?? []))]
  const isSummary = kinds[0] === 'overview'
  const topic = (phrase: string) => (isSummary ? topicOf(phrase, termsOf) : phrase)
  const terms = termsOf(topic(text))
  const carried = new Set(termsOf(subject).filter((term) => !terms.includes(term)))
  return {
    ...analyseText(text, subject ? `${text} ${subject}` : text, termsOf),
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

/**
 * Returns the topic of a summary: "the pump" in "Sum up the thread about the pump". The word "thread" need not occur in
 * the records.
 */
function topicOf(text: string, termsOf: (text: string) => string[]): string {
  const topic = text.split(TOPIC_OPENING)[1] ?? ''
  return termsOf(topic).length > 0 ? topic : text
}

/** Analyzes the text of a question or part. `inTalk` is the text extended by the subject from the conversation. */
export function analyseText(text: string, inTalk: string, termsOf: (text: string) => string[]): QuestionText {
  return {
    wording: wordingOf(text),
    wordingInTalk: wordingOf(inTalk),
    words: askedWords(text),
    wordsInTalk: askedWords(inTalk),
    writesCapitals: /\S\s+\p{Lu}/u.test(inTalk),
    names: findCapitalizedNames(text, termsOf),
    ways: formOf(text, inTalk),
    numbered: numberedEntities(inTalk),
  }
}

/** Returns the terms of a question, without the terms of a subject that an earlier part or question states. */
export function ownTerms({ terms, carried }: Question): ReadonlySet<string> {
  return new Set(terms.filter((term) => !carried?.has(term)))
}

/** Returns true if the question has times and the given one is outside all of them. */
export function isOtherTime({ times }: Question, atMs: number): boolean {
  return times !== undefined && !times.some((span) => isWithin(atMs, span))
}

const ANSWERED_OVER_TIME: ReadonlySet<QuestionKind> = new Set(['why', 'change', 'open', 'overview', 'status'])

/**
 * Returns true if the latest record answers best: for questions about the present or future without a time, and for
 * questions about the user. Questions about the past are excluded.
 */
export function asksOfLatest({ ways, kind, times }: Question): boolean {
  if (ways.isOfBefore) return false
  return ways.isOfSpeaker || (times === undefined && !ANSWERED_OVER_TIME.has(kind) && ways.isOfNow)
}

const TOPIC_OPENING = new RegExp(`\\b${anyIn('topicOpenings')}\\s+(.+)`, 'isu')
const SAYS = new RegExp(wholeOf(inAll('sayings')), 'iu')
const WRITES = new RegExp(wholeOf(inAll('writings')), 'iu')

/**
 * Returns true for a form of a verb of saying or writing, such as "wrote". Returns false for verbs that report work,
 * such as "shipped".
 */
export function isWordOfWriting(word: string): boolean {
  return WRITES.test(word)
}

const BY_AUTHOR = new RegExp(`^${anyIn('byAuthor')}$`, 'u')

/** Returns true for a preposition between a verb and its agent: "by". */
export function isBeforeAuthor(word: string): boolean {
  return BY_AUTHOR.test(word)
}

/** Matches questions that ask for a sum by the words after the verb: "How much do we have in total?" */
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
/** Question words after which "was" asks for a state: "where was". "What was" may ask for an event. */
const STATE_KINDS: ReadonlySet<QuestionKind | undefined> = new Set<QuestionKind>(['who', 'where'])
const OF_FUTURE = new RegExp(`\\b${anyIn('futureForms')}\\b`, 'i')
const OF_BEFORE = new RegExp(wholeOf(FORMER), 'iu')
const OF_MANNER = new RegExp(wholeOf(MANNERS), 'iu')
const BESIDE = new RegExp(`\\b${anyIn('dateSides')}\\b`, 'i')
const ADDRESSES = new RegExp(wholeOf(ADDRESSEE), 'iu')
// Matches words for the present state. A property with a history of values answers such a question.
const AT_PRESENT_ALONE = new RegExp(`\\b${anyIn('presentWords')}\\b`, 'i')
const OF_OPEN = new RegExp(`\\b${anyIn('asksPhaseOpen')}\\b`)
const OF_DONE = new RegExp(`\\b${anyIn('asksPhaseDone')}\\b`)

/** Form of a question, independent of its topic. */
export interface QuestionForm {
  /** True if it asks what a person said or wrote. */
  readonly isOfSaying: boolean
  /** True if it asks how something is now or when it will be. */
  readonly isOfNow: boolean
  /** Kind of question by its first two words: "how many". */
  readonly opening: QuestionKind | undefined
  /** True if it contains a past form of a verb. */
  readonly isPast: boolean
  /** True if it asks for a past state and not for an event: "who led", "where was". */
  readonly isOfPastState: boolean
  /** True if it asks about the future. */
  readonly isOfFuture: boolean
  /** True if it contrasts the present state with an earlier one. */
  readonly isOfPresent: boolean
  /** True if it asks how to do something. A command can answer it. */
  readonly isOfManner: boolean
  /** True if it asks for what came before or after something: "since 4.1.0". */
  readonly isOfBeside: boolean
  /**
   * True if it is in the first person and addresses nobody. "What did you recommend to me?" may ask what "you" said, so
   * it is excluded.
   */
  readonly isOfSpeakerAlone: boolean
  /** Phase of the work that it asks for. */
  readonly phase: Extract<Phase, 'open' | 'done'> | undefined
  /**
   * True if it asks for a sum of a table column, considering the conversation too. The next two fields are for an
   * extreme and for the words that express a sum or an extreme.
   */
  readonly isOfSum: boolean
  readonly extreme: 'most' | 'least' | undefined
  readonly figureWords: readonly string[]
  /** True if it is in the first person, considering the conversation too. */
  readonly isOfSpeaker: boolean
  /** True if it asks for an earlier state, considering the conversation too. */
  readonly isOfBefore: boolean
}

/** Analyzes the form of a question. `inTalk` is the text extended by the subject from the conversation. */
function formOf(text: string, inTalk: string): QuestionForm {
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
    isOfSpeakerAlone: isFirstPerson(text) && !ADDRESSES.test(text),
    phase: OF_OPEN.test(lower) ? 'open' : OF_DONE.test(lower) ? 'done' : undefined,
    isOfSum: IN_TOTAL.test(inTalk),
    extreme: MOST.test(inTalk) ? 'most' : LEAST.test(inTalk) ? 'least' : undefined,
    figureWords: [IN_TOTAL, MOST, LEAST].flatMap((asks) => asks.exec(inTalk)?.[0] ?? []),
    isOfSpeaker: isFirstPerson(inTalk),
    isOfBefore: OF_BEFORE.test(inTalk),
  }
}

export interface AskedWord {
  /** Text in lower case, for name comparison. */
  readonly text: string
  /** True if any letter is a capital. */
  readonly isCapital: boolean
  /** True if it follows an auxiliary, in the position of the subject: "what did Priya say". */
  readonly isAfterAuxiliary: boolean
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu
const AUXILIARY = new RegExp(`(?<!\\p{L})${anyIn('beforeDoers')}\\s+`, 'giu')

export function askedWords(text: string): AskedWord[] {
  const ends = new Set([...text.matchAll(AUXILIARY)].map(({ index, 0: said }) => index + said.length))
  return [...text.matchAll(WORD)].map(({ index, 0: word }) => ({
    text: word.toLowerCase(),
    isCapital: /\p{Lu}/u.test(word),
    isAfterAuxiliary: ends.has(index),
  }))
}

/** An aspect that questions ask about, with a pattern for statements about it. Only the ranking uses it. */
export interface Aspect {
  name: string
  answers: RegExp
}

/** Returns the aspects that a question asks about. */
export function aspectsOf(question: string): Aspect[] {
  return ASPECTS.filter((each) => each.asks.test(question)).map(({ name, answers }) => ({ name, answers }))
}

const ASKS = `(?:${anyIn('phrasePrepositions')} )?${anyOf(QUESTION_WORDS, RELATIVES)}`
const AND = anyIn('coordinators')
const BOUNDARY = new RegExp(
  `[?;]+\\s*|,\\s*(?:${anyIn('conjunctions')} )?(?=${ASKS}(?:'s)?\\b)|\\s${AND} (?=${ASKS}(?:'s)?\\b)`,
  'gi',
)
const COORDINATED = new RegExp(`(?:,|\\s)\\s*${AND} ${ASKS}\\b`, 'i')
// After a comma these may begin a relative clause: "the customer, who pays late".
const RELATIVE = new RegExp(`^(?:\\w+ )?${anyOf(RELATIVES)}\\b`, 'i')
const INNER_RELATIVE = new RegExp(`\\S (?:${anyOf(RELATIVES)}|${anyIn('relativeThat')})\\b`, 'i')
// Maximum number of parts. The rest of a longer question becomes the last part.
const CLAUSES_MAX = 6

/** Splits a question into its coordinated questions, in order. Relative clauses are not split off. */
export function splitClauses(text: string): string[] {
  const clauses: string[] = []
  let start = 0
  for (const found of text.matchAll(BOUNDARY)) {
    if (clauses.length + 1 >= CLAUSES_MAX) break
    const head = text.slice(start, found.index)
    const rest = text.slice(found.index + found[0].length)
    if (!isBoundary(head, found[0], rest)) continue
    clauses.push(head.trim())
    start = found.index + found[0].length
  }
  clauses.push(text.slice(start).trim())
  return clauses.filter(hasLetterOrNumber)
}

function isBoundary(head: string, mark: string, rest: string): boolean {
  if (mark.includes('?') || mark.includes(';')) return true
  if (!hasLetter(head)) return false
  const joined = /\w/.test(mark)
  if (mark.startsWith(',')) return joined || !RELATIVE.test(rest) || COORDINATED.test(rest.split('?')[0]!)
  return !INNER_RELATIVE.test(head)
}
