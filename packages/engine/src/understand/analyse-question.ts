import { STOP_WORDS } from '../lexicon/languages.ts'
import { termKey } from '../text/analyse-record.ts'
import { beginsWithDigit, oneLine } from '../text/characters.ts'
import { identifiersOf } from '../text/identifiers.ts'
import { fieldTerms } from '../text/kinds.ts'
import { joinName, type KeyHash, NAME_WORDS_MAX } from '../text/names.ts'
import { pairsOf } from '../text/terms.ts'
import { foldText, type Word, wordsOfFolded } from '../text/words.ts'
import {
  addTextTerms,
  createQuestionTerms,
  listTerms,
  type QuestionTerm,
  type QuestionTerms,
} from './question-terms.ts'

/** A word sequence of a question that may be a name or an identifier. */
export interface QuestionName {
  readonly key: number
  /**
   * Index of the first word. The next field is the number of words. Of overlapping sequences, at most one is a name.
   */
  readonly at: number
  readonly length: number
  /** Indexes in `terms` of its words. */
  readonly terms: readonly number[]
  readonly isIdentifier: boolean
  /** Number of its words that are not stop words. */
  readonly words: number
  /** Share of these words that are capitalized; 1 for identifiers. Undefined if the text has no capitalized words. */
  readonly capitals: number | undefined
  readonly weight: number
}

/** A question as the graph receives it: hashes instead of words. */
export interface Question {
  readonly terms: readonly QuestionTerm[]
  /** Candidate names, ordered by position; the longest comes first at each position. */
  readonly names: readonly QuestionName[]
}

/**
 * Maximum number of characters of a question that are analyzed. HISTORY_LENGTH_MAX applies to its subject and to each
 * earlier message. The limits bound the analysis to tens of milliseconds, even in scripts without spaces.
 */
export const QUESTION_CHARS_READ = 4_000
const HISTORY_LENGTH_MAX = 1_000
/** Maximum number of earlier messages that are read for the topic. */
const HISTORY_MESSAGES = 4
/** Weight of terms that only the latest earlier message has. The message before it has half of that, and so on. */
const HISTORY_WEIGHT = 0.3
/** Weight of the subject of a question that refers back: "and who owns it?" */
const SUBJECT_WEIGHT = 0.7
/** Maximum number of word sequences that are looked up as names. */
const NAMES_MAX = 1_500

interface QueryDraft {
  hash: KeyHash
  terms: QuestionTerms
  names: QuestionName[]
  offset: number
}

function isContentWord({ text }: Word): boolean {
  return !STOP_WORDS.has(text)
}

/** Returns the share of capitalized words, without single ones at the start of a sentence. */
function shareOfCapitals(words: readonly Word[]): number {
  const [first] = words
  if (first === undefined || (words.length === 1 && first.startsSentence)) return 0
  return words.filter((word) => word.isCapital || word.isCaseless || beginsWithDigit(word.text)).length / words.length
}

function addText(draft: QueryDraft, text: string, weight: number): void {
  const folded = foldText(text)
  const words = wordsOfFolded(folded)
  const identifiers = identifiersOf(folded, words)
  const { ofWords, ofIdentifiers } = addTextTerms(draft.terms, folded, words, identifiers, weight)
  const found: QuestionName[] = []
  for (const [index, { key, from, to }] of identifiers.entries()) {
    if (key === undefined) continue
    const at = words.findIndex((word) => word.to > from)
    const length = words.filter((word) => word.from < to && word.to > from).length
    const terms = [ofIdentifiers[index]!, ...ofWords.slice(at, at + length)].filter((position) => position >= 0)
    found.push({
      key: draft.hash(key),
      at: at + draft.offset,
      length,
      terms,
      isIdentifier: true,
      words: length,
      capitals: 1,
      weight,
    })
  }
  const hasCapitals = words.some((word) => isContentWord(word) && word.isCapital && !word.startsSentence)
  for (let at = 0; at < words.length && found.length < NAMES_MAX; at += 1) {
    for (let length = Math.min(NAME_WORDS_MAX, words.length - at); length >= 1; length -= 1) {
      const run = words.slice(at, at + length)
      if (length === 1 && STOP_WORDS.has(run[0]!.text) && !run[0]!.isAcronym) continue
      const terms = ofWords.slice(at, at + length).filter((position) => position >= 0)
      const key = draft.hash(`n:${joinName(run.map((word) => word.text))}`)
      const content = run.filter(isContentWord)
      const capitals = hasCapitals ? shareOfCapitals(content) : undefined
      const counts = { words: content.length, capitals }
      found.push({ key, at: at + draft.offset, length, terms, isIdentifier: false, ...counts, weight })
    }
  }
  found.sort((a, b) => a.at - b.at || b.length - a.length || Number(b.isIdentifier) - Number(a.isIdentifier))
  draft.names.push(...found)
  draft.offset += words.length
}

/**
 * Analyzes a question. Earlier messages (oldest first) add terms with lower weight. `subject` is the subject that the
 * question takes from an earlier question. Its terms weigh less than those of the question and more than those of
 * earlier messages.
 */
export function analyseQuestion(query: string, history: readonly string[], hash: KeyHash, subject = ''): Question {
  const draft: QueryDraft = { hash, terms: createQuestionTerms(hash), names: [], offset: 0 }
  addText(draft, query.slice(0, QUESTION_CHARS_READ), 1)
  if (subject !== '') addText(draft, subject.slice(0, HISTORY_LENGTH_MAX), SUBJECT_WEIGHT)
  let weight = HISTORY_WEIGHT
  for (const message of history.slice(-HISTORY_MESSAGES).reverse()) {
    addText(draft, message.slice(0, HISTORY_LENGTH_MAX), weight)
    weight /= 2
  }
  return { terms: listTerms(draft.terms), names: draft.names }
}

/** Maximum number of words of one text that are searched. */
const WORDS_MAX = 32

/**
 * Returns for each word of a text the hashed terms that match it: its forms and alternative spellings. In a script
 * without spaces each pair of characters is a word. Stop words are left out.
 */
export function wordsAsked(text: string, hash: KeyHash): number[][] {
  const tokens = oneLine(text)
    .split(' ')
    .filter((token) => token !== '')
  return tokens
    .flatMap((token) => {
      const pairs = pairsOf(wordsOfFolded(foldText(token)))
      return pairs.length > 0 ? pairs.map((pair) => [hash(termKey(pair))]) : [formsOf(token, hash)]
    })
    .filter((forms) => forms.length > 0)
    .slice(0, WORDS_MAX)
}

function formsOf(token: string, hash: KeyHash): number[] {
  const { terms } = analyseQuestion(token, [], hash)
  return terms.filter(({ partOf }) => partOf === undefined).map((term) => term.hash)
}

/** Returns the hashed terms of declared field values in the format of `wordsAsked`: one term for each field. */
export function fieldsAsked(fields: Readonly<Record<string, string | undefined>>, hash: KeyHash): number[][] {
  return Object.entries(fields).flatMap(([field, value]) => {
    const term = value === undefined ? undefined : fieldTerms(field, value).at(-1)
    return term === undefined ? [] : [[hash(termKey(term))]]
  })
}

/** Weight of a query term in a scope. */
export interface TermWeight {
  /** Position of the term. A term and its other forms share one position. */
  readonly position: number
  /** Inverse document frequency in the scope times the term's weight in the question. */
  readonly idf: number
}

/** Weights of the query terms that occur in the scope. */
export type TermWeights = ReadonlyMap<string, TermWeight>
