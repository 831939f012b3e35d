import { ANALYSIS_STEPS } from '../../text/passages.ts'
import type { ScoredTerm, Scratch, WordScores } from '../bm25.ts'
import type { LinkedQuestion } from '../linking.ts'
import type { ScopeView } from '../scope-view.ts'
import type { Weight } from '../time-weight.ts'
import type { Weights } from '../weights.ts'

/**
 * Components that can be disabled: ranking signals and, under `reading`, steps of the analysis of records. With all
 * disabled, records are ranked by words only.
 */
export const SIGNALS = {
  ranking: ['conversation', 'proximity', 'feedback', 'names', 'bridges', 'copies', 'time'],
  reading: ANALYSIS_STEPS,
} as const

/** A ranking signal that can be disabled. */
export type SignalName = (typeof SIGNALS.ranking)[number]

/** State of a ranking: the question, its scope and the results so far. */
export interface SignalInput {
  readonly view: ScopeView
  readonly scratch: Scratch
  readonly words: WordScores
  readonly linked: LinkedQuestion
  readonly weights: Weights
  /** Returns the factor of a record's score by its time. */
  readonly weightOf: Weight
}

/** A candidate record or passage with the query terms that it contains. */
export interface ScoredCandidate {
  readonly docId: number
  /** Word score relative to the best record, from 0 to 1. */
  readonly words: number
  /** PageRank score relative to the best record, from 0 to 1. */
  readonly names: number
  /** Coverage by term, in the order of `words.terms`: 0 for a missing term, approaching 1 with the frequency. */
  readonly coverage: Float64Array
  /** Position of each term's first occurrence, counted in distinct terms; -1 for a missing term. */
  readonly positions: Int32Array
}

export interface Signal {
  readonly name: SignalName
  /** Returns a non-negative contribution for each candidate. It does not exceed the signal's weight by much. */
  of(asked: SignalInput, candidates: readonly ScoredCandidate[]): Float64Array
}

export function idfSum(terms: readonly Pick<ScoredTerm, 'idf'>[]): number {
  let sum = 0
  for (const { idf } of terms) sum += idf
  return sum
}
