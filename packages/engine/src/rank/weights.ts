/**
 * What each signal counts. `npm run bench:fit` draws other settings at random and says what each set would have from
 * the one that is best on all other sets; judge a change by that command and by `npm run bench:ablate`.
 */
export interface Weights {
  /** What words of the question count that stand together in a record as they do in the question. */
  readonly proximity: number
  /** What likeness to the best records counts when none has a word of the question; the less, the more one has. */
  readonly feedback: number
  /** The logit of how far names lead that are rare but not written as names are. */
  readonly namesBase: number
  /** What is added to it when names that are written as such explain the whole question, by the idf of its words. */
  readonly namesWritten: number
  /** How much sharper the words' order becomes as names lead: the exponent grows by so much from none to all. */
  readonly sharpening: number
  /** The weight of a bridge from a better record in a question whose names do not lead to the answer. */
  readonly bridgeOfWords: number
  /** The weight of such a bridge in a question whose names alone lead to the answer. */
  readonly bridgeOfNames: number
  /** What a bridge is worth to a record that explains nothing more of the question, where names alone lead. */
  readonly bridgeAlone: number
  /** A question of at least so many terms, such as a whole bug report, says by its words alone what it is about. */
  readonly longQuestionTerms: number
}

/** The weights that every question is ranked with. */
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

/**
 * What is left of what names and the company of words say, by how many terms a question has: in a long one they are met
 * by chance.
 */
export function brevity({ longQuestionTerms }: Weights, terms: number): number {
  return Math.min(1, longQuestionTerms / Math.max(1, terms)) ** 2
}
