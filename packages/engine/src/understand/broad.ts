import type { QuestionKind } from '../lexicon/asked.ts'
import {
  COURTESIES,
  HOLDINGS,
  INTRODUCTIONS,
  KEEPING,
  MEASURES,
  OCCUPATIONS,
  OVERVIEW_WORDS,
  REQUESTS,
  SMALL_WORDS,
  SPEAKER,
  WHOLES,
} from '../lexicon/languages.ts'
import { foldText, type Word, wordsOfFolded } from '../text/words.ts'
import { QUESTION_CHARS_READ, type Question } from './analyse-question.ts'

/** A question that asks for no one fact: it is a courtesy, or asks for all there is, or for a thing as a whole. */
export type Broad =
  | { readonly of: 'courtesy' }
  | { readonly of: 'everything' }
  | {
      readonly of: 'thing'
      /** The entities that have the name, or a part of it. */
      readonly entityIds: readonly string[]
      /** Words, folded, with which the question writes the name on: "whitlock" where "Sam" alone is a name. */
      readonly nameGoesOn: readonly string[]
      /** Whether it asks what they do rather than what they are. */
      readonly asksWork: boolean
    }

/** A run of a question's words that names entities. */
export interface NameFound {
  /** The place of its first word among the question's, and how many it has. */
  readonly at: number
  readonly length: number
  readonly entityIds: readonly string[]
  /** Whether it is somebody's. */
  readonly isOfPeople: boolean
}

/** What finds names of a question among the records in scope. */
export interface NamesKnown<S> {
  namesIn(question: Question, scope: S | null): NameFound[]
}

/** What is known of a question when it is read for being broad. */
interface Read {
  readonly text: string
  readonly kind: QuestionKind
  /** Whether it has one part, which names no time and leaves nothing to the turns before it. */
  readonly isAlone: boolean
}

/** Things of one name that are told of together; of a name that more have nothing is told as a whole. */
const NAMESAKES_MAX = 3
/** Kinds of question that may ask for a thing as a whole: "when is Harbour?" does not. */
const WHOLE_KINDS: ReadonlySet<QuestionKind> = new Set(['who', 'fact', 'overview'])

const folded = (words: readonly string[]): string[] => words.map(foldText)
const courtesies = new Set(folded(COURTESIES))
const small = new Set(folded([...SMALL_WORDS, 's']))
const occupations = new Set(folded(OCCUPATIONS))
const introducing = new Set([...small, ...folded([...INTRODUCTIONS, ...OCCUPATIONS])])
const asking = new Set([...small, ...folded([...INTRODUCTIONS, ...OVERVIEW_WORDS, ...REQUESTS, ...WHOLES])])

const wholes = new Set(folded([...WHOLES, ...HOLDINGS]))
const ofHoldings = new Set([...asking, ...wholes, ...folded([...KEEPING, ...MEASURES])])
/** What tells whose things are asked for where none are named: "What have I saved?" */
const ofSpeaker = new Set([...folded(SPEAKER).map((word) => word.toLowerCase()), 'here'])

/**
 * Reads whether a question is broad: whether all its words beside a name only ask. Undefined for one that asks for
 * something beside that, such as a time or a matter, and for one that leaves its subject to the turns before it.
 */
export function readBroad({ text, kind, isAlone }: Read, names: readonly NameFound[]): Broad | undefined {
  if (text.length > QUESTION_CHARS_READ) return undefined
  const written = wordsOfFolded(foldText(text))
  const words = written.map((word) => word.text)
  const [first] = words
  if (first === undefined) return undefined
  if (courtesies.has(first) && words.every((word) => courtesies.has(word) || small.has(word))) return { of: 'courtesy' }
  if (!isAlone) return undefined
  // What stands behind the question's own words is of the turns before it.
  const [name, ...others] = names.filter(({ at }) => at < words.length)
  if (name === undefined) return asksAll(words, kind) ? { of: 'everything' } : undefined
  const { at, length, entityIds, isOfPeople } = name
  const beside = written.filter((_, place) => place < at || place >= at + length)
  const nameGoesOn = beside.filter(({ text: word }) => !introducing.has(word))
  const isNamePart = (word: Word, place: number) => word.isCapital && written[at + length + place] === word
  const isWhole = others.length === 0 && WHOLE_KINDS.has(kind) && nameGoesOn.every(isNamePart)
  // "Who is on Harbour?" asks for people, of whom the thing is none.
  if (!isWhole || entityIds.length > NAMESAKES_MAX || (kind === 'who' && !isOfPeople)) return undefined
  return {
    of: 'thing',
    entityIds,
    nameGoesOn: nameGoesOn.map((word) => word.text),
    asksWork: beside.some((word) => occupations.has(word.text)),
  }
}

function asksAll(words: readonly string[], kind: QuestionKind): boolean {
  if (!WHOLE_KINDS.has(kind) && kind !== 'change') return false
  if (words.every((word) => asking.has(word))) return true
  // "Who wrote the notes?" asks for somebody.
  const isOfHoldings = kind !== 'who' && words.some((word) => wholes.has(word) || ofSpeaker.has(word))
  return isOfHoldings && words.every((word) => ofHoldings.has(word))
}
