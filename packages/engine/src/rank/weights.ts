/**
 * Weights of the ranking signals. `npm run bench:fit` samples random settings and cross-validates: it scores each data
 * set with the setting that is best on all others. Evaluate a change with that command and with `npm run bench:ablate`.
 */
export interface Weights {
  /** Weight of query terms that are close together in a record. */
  readonly proximity: number
  /**
   * Maximum weight of pseudo-relevance feedback. It decreases with the greatest share of the question, by
   * idf, that one of the leading records contains.
   */
  readonly feedback: number
  /** Intercept of the logistic function for the weight of names: its logit if no name is capitalized. */
  readonly namesBase: number
  /** Addition to the logit if capitalized names explain the whole question, measured by idf. */
  readonly namesWritten: number
  /** Maximum increase of the exponent that sharpens the word scores. It grows with the weight of the names. */
  readonly sharpening: number
  /** Weight of a name shared with a leading record, for a question without names. */
  readonly bridgeOfWords: number
  /** Weight of a name shared with a leading record, for a question that consists of names. */
  readonly bridgeOfNames: number
  /** Value of a shared name for a record without further query terms, for a question that consists of names. */
  readonly bridgeAlone: number
  /** Number of terms above which a question, such as a whole bug report, relies more on its words. */
  readonly longQuestionTerms: number
}

/** Default weights of all questions. */
export const WEIGHTS: Weights = {
  proximity: 1,
  feedback: 0.3,
  namesBase: -1.4,
  namesWritten: 12,
  sharpening: 3,
  bridgeOfWords: 0.3,
  bridgeOfNames: 0.8,
  bridgeAlone: 0.35,
  longQuestionTerms: 12,
}

/** Returns the factor of names and proximity. They often match by chance if the question has many terms. */
export function brevityFactor({ longQuestionTerms }: Weights, terms: number): number {
  return Math.min(1, longQuestionTerms / Math.max(1, terms)) ** 2
}
