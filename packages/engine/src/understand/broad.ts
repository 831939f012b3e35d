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

/** A question for no single fact: a greeting, or a question about everything or about an entity as a whole. */
export type Broad =
  | { readonly of: 'courtesy' }
  | { readonly of: 'everything' }
  | {
      readonly of: 'thing'
      /** Entities that have the name or a part of it. */
      readonly entityIds: readonly string[]
      /** Folded words of the question that directly follow the name: "whitlock" if only "Sam" is a known name. */
      readonly nameGoesOn: readonly string[]
      /** True if it asks what the entity does and not what it is. */
      readonly asksWork: boolean
    }

/** A word sequence of a question that names entities. */
export interface NameFound {
  /** Index of its first word in the question. The next field is the number of words. */
  readonly at: number
  readonly length: number
  readonly entityIds: readonly string[]
  /** True if it is the name of a person. */
  readonly isOfPeople: boolean
}

/** Finds names of a question among the records in scope. */
export interface NameLookup<S> {
  namesIn(question: Question, scope: S | null): NameFound[]
}

/** Properties of a question that `readBroad` needs. */
interface QuestionTraits {
  readonly text: string
  readonly kind: QuestionKind
  /** True if it has one part, names no time and does not refer to earlier messages. */
  readonly isAlone: boolean
}

/** Maximum number of entities with one name that are described together. With more, none is described as a whole. */
const NAMESAKES_MAX = 3
/** Kinds of questions that may ask for an entity as a whole; "when is Harbour?" does not. */
const WHOLE_KINDS: ReadonlySet<QuestionKind> = new Set(['who', 'fact', 'overview'])

const folded = (words: readonly string[]): string[] => words.map(foldText)
const courtesies = new Set(folded(COURTESIES))
const small = new Set(folded([...SMALL_WORDS, 's']))
const occupations = new Set(folded(OCCUPATIONS))
const introducing = new Set([...small, ...folded([...INTRODUCTIONS, ...OCCUPATIONS])])
const asking = new Set([...small, ...folded([...INTRODUCTIONS, ...OVERVIEW_WORDS, ...REQUESTS, ...WHOLES])])

const wholes = new Set(folded([...WHOLES, ...HOLDINGS]))
const ofHoldings = new Set([...asking, ...wholes, ...folded([...KEEPING, ...MEASURES])])
/** Words by which users ask about their own content: "What have I saved?" */
const ofSpeaker = new Set([...folded(SPEAKER).map((word) => word.toLowerCase()), 'here'])

/**
 * Classifies a question as broad if no word except a name carries a topic. Returns undefined if it asks for anything
 * else, such as a time or a topic, or if it refers to earlier messages.
 */
export function readBroad({ text, kind, isAlone }: QuestionTraits, names: readonly NameFound[]): Broad | undefined {
  if (text.length > QUESTION_CHARS_READ) return undefined
  const written = wordsOfFolded(foldText(text))
  const words = written.map((word) => word.text)
  const [first] = words
  if (first === undefined) return undefined
  if (courtesies.has(first) && words.every((word) => courtesies.has(word) || small.has(word))) return { of: 'courtesy' }
  if (!isAlone) return undefined
  // Positions after the question's own words belong to earlier messages.
  const [name, ...others] = names.filter(({ at }) => at < words.length)
  if (name === undefined) return asksAll(words, kind) ? { of: 'everything' } : undefined
  const { at, length, entityIds, isOfPeople } = name
  const otherWords = written.filter((_, index) => index < at || index >= at + length)
  const nameGoesOn = otherWords.filter(({ text: word }) => !introducing.has(word))
  const isNamePart = (word: Word, index: number) => word.isCapital && written[at + length + index] === word
  const isWhole = others.length === 0 && WHOLE_KINDS.has(kind) && nameGoesOn.every(isNamePart)
  // "Who is on Harbour?" asks for people and not for the entity.
  if (!isWhole || entityIds.length > NAMESAKES_MAX || (kind === 'who' && !isOfPeople)) return undefined
  return {
    of: 'thing',
    entityIds,
    nameGoesOn: nameGoesOn.map((word) => word.text),
    asksWork: otherWords.some((word) => occupations.has(word.text)),
  }
}

function asksAll(words: readonly string[], kind: QuestionKind): boolean {
  if (!WHOLE_KINDS.has(kind) && kind !== 'change') return false
  if (words.every((word) => asking.has(word))) return true
  // "Who wrote the notes?" asks for a person.
  const isOfHoldings = kind !== 'who' && words.some((word) => wholes.has(word) || ofSpeaker.has(word))
  return isOfHoldings && words.every((word) => ofHoldings.has(word))
}
