import { READING_NAMES } from '../../text/passages.ts'
import type { ScoredTerm, Scratch, WordScores } from '../bm25.ts'
import type { Linked } from '../linking.ts'
import type { ScopeView } from '../scope-view.ts'
import type { Weight } from '../time-weight.ts'
import type { Weights } from '../weights.ts'

/**
 * What stands beside the words and can be left out: signals of the ranking, without which a question is ranked, and
 * readings of records, without which records are analysed. Words are what remains when all are left out.
 */
export const SIGNALS = {
  ranking: ['conversation', 'proximity', 'feedback', 'names', 'bridges', 'copies', 'time'],
  reading: READING_NAMES,
} as const

/** The signals that a ranking can go without. */
export type SignalName = (typeof SIGNALS.ranking)[number]

/** One question in one scope, while it is ranked. */
export interface SignalInput {
  readonly view: ScopeView
  readonly scratch: Scratch
  readonly words: WordScores
  readonly linked: Linked
  readonly weights: Weights
  /** What a record's time leaves of what it is given. */
  readonly weightOf: Weight
}

/** A record, or a passage of one, that may answer, and how it holds the question's terms. */
export interface ScoredCandidate {
  readonly place: number
  /** The words' score, 1 for the best record. */
  readonly words: number
  /** The walk's mass, 1 for the place that it reached most. */
  readonly names: number
  /** By term in the order of `words.terms`: from 0 for a term that it lacks towards 1 for a frequent one. */
  readonly coverage: Float64Array
  /** By term, after how many others it stands there first; -1 for a term that it lacks. */
  readonly positions: Int32Array
}

/** A reason why records answer a question. */
export interface Signal {
  readonly name: SignalName
  /** What it gives to each candidate, in their order: from 0, and about its weight where it says most. */
  of(asked: SignalInput, candidates: readonly ScoredCandidate[]): Float64Array
}

/** Sum of the terms' idf. */
export function idfSum(terms: readonly Pick<ScoredTerm, 'idf'>[]): number {
  let sum = 0
  for (const { idf } of terms) sum += idf
  return sum
}
