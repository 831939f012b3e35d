import { STOP_WORDS } from '../lexicon/languages.ts'
import { termKey } from '../text/analyse-record.ts'
import { identifiersOf } from '../text/identifiers.ts'
import { fieldTerms } from '../text/kinds.ts'
import { joinName, type KeyHash, NAME_WORDS_MAX } from '../text/names.ts'
import { beginsWithDigit, oneLine } from '../text/signs.ts'
import { pairsOf } from '../text/terms.ts'
import { foldText, type Word, wordsOfFolded } from '../text/words.ts'
import { addTextTerms, openTerms, type QuestionTerm, type QuestionTerms, termsAdded } from './question-terms.ts'

/** A run of a question's words that may be a name or an identifier. */
export interface QuestionName {
  readonly key: number
  /** Index of the first word and number of words; runs of one text that overlap exclude each other. */
  readonly at: number
  readonly length: number
  /** Positions in `terms` of the words that it holds. */
  readonly terms: readonly number[]
  readonly isIdentifier: boolean
  /** Its words without stop words. */
  readonly words: number
  /** Share of these that are written with capitals, as identifiers are; undefined where the text writes none. */
  readonly capitals: number | undefined
  readonly weight: number
}

/** A question as the graph takes it: hashes only. */
export interface Question {
  readonly terms: readonly QuestionTerm[]
  /** In order of place, at one place the longest first. */
  readonly names: readonly QuestionName[]
}

/**
 * Characters of a question that are read, and of its subject and of each message before it, so that all of them take
 * some tens of milliseconds in a script without spaces too. A question has room for few terms beside its own.
 */
export const QUESTION_CHARS_READ = 4_000
const HISTORY_LENGTH_MAX = 1_000
/** Messages before the question that still say what it is about. */
const HISTORY_MESSAGES = 4
/**
 * The weight of terms that only the latest earlier message has. Each message before that weighs half of the one after
 * it.
 */
const HISTORY_WEIGHT = 0.3
/** Weight of the subject of a question that only leans on it: "and who owns it?" */
const SUBJECT_WEIGHT = 0.7
/** Runs of words that are looked up as names. */
const NAMES_MAX = 1_500

interface QuestionDraft {
  hash: KeyHash
  terms: QuestionTerms
  names: QuestionName[]
  offset: number
}

function isTold({ text }: Word): boolean {
  return !STOP_WORDS.has(text)
}

/** Every sentence begins with a capital, so a word that stands alone there is not known to be written with one. */
function shareOfCapitals(words: readonly Word[]): number {
  const [first] = words
  if (first === undefined || (words.length === 1 && first.startsSentence)) return 0
  return words.filter((word) => word.isCapital || word.isCaseless || beginsWithDigit(word.text)).length / words.length
}

function addText(draft: QuestionDraft, text: string, weight: number): void {
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
  const hasCapitals = words.some((word) => isTold(word) && word.isCapital && !word.startsSentence)
  for (let at = 0; at < words.length && found.length < NAMES_MAX; at += 1) {
    for (let length = Math.min(NAME_WORDS_MAX, words.length - at); length >= 1; length -= 1) {
      const run = words.slice(at, at + length)
      if (length === 1 && STOP_WORDS.has(run[0]!.text) && !run[0]!.isAcronym) continue
      const terms = ofWords.slice(at, at + length).filter((position) => position >= 0)
      const key = draft.hash(`n:${joinName(run.map((word) => word.text))}`)
      const told = run.filter(isTold)
      const capitals = hasCapitals ? shareOfCapitals(told) : undefined
      const written = { words: told.length, capitals }
      found.push({ key, at: at + draft.offset, length, terms, isIdentifier: false, ...written, weight })
    }
  }
  found.sort((a, b) => a.at - b.at || b.length - a.length || Number(b.isIdentifier) - Number(a.isIdentifier))
  draft.names.push(...found)
  draft.offset += words.length
}

/**
 * What a question asks for, with what the messages before it (oldest first) add at less weight, and between them the
 * subject that it leaves to an earlier question, if any.
 */
export function analyseQuestion(query: string, history: readonly string[], hash: KeyHash, subject = ''): Question {
  const draft: QuestionDraft = { hash, terms: openTerms(hash), names: [], offset: 0 }
  addText(draft, query.slice(0, QUESTION_CHARS_READ), 1)
  if (subject !== '') addText(draft, subject.slice(0, HISTORY_LENGTH_MAX), SUBJECT_WEIGHT)
  let weight = HISTORY_WEIGHT
  for (const message of history.slice(-HISTORY_MESSAGES).reverse()) {
    addText(draft, message.slice(0, HISTORY_LENGTH_MAX), weight)
    weight /= 2
  }
  return { terms: termsAdded(draft.terms), names: draft.names }
}

/** Words of one text that are looked for. */
const WORDS_MAX = 32

/**
 * The words of a text, each as hashes of the terms of which one stands where the word does: its forms, and what it is
 * written as elsewhere. Of a text without spaces each pair of characters is a word. Small words are left out.
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

/** The same for the values of declared fields: of each the term that a record has which declares it. */
export function fieldsAsked(fields: Readonly<Record<string, string | undefined>>, hash: KeyHash): number[][] {
  return Object.entries(fields).flatMap(([field, value]) => {
    const term = value === undefined ? undefined : fieldTerms(field, value).at(-1)
    return term === undefined ? [] : [[hash(termKey(term))]]
  })
}

/** How much a term of a question tells in a scope. */
export interface TermWeight {
  /** The same for a term and its other forms, which count as one. */
  readonly position: number
  /** Its inverse document frequency in the scope, times what it counts in the question. */
  readonly idf: number
}

/** By each term of a question that stands in the scope. */
export type TermWeights = ReadonlyMap<string, TermWeight>
