/**
 * What each signal counts. Chosen together on all question sets that `npm run bench:ablate` prints, every set with the
 * same weight, so that none by itself falls below words alone; judge a change by that command.
 */

/** What words of the question count that stand together in a record as they do in the question. */
export const PROXIMITY_WEIGHT = 0.6

/** What likeness to the best records counts when none has a word of the question; the less, the more one has. */
export const FEEDBACK_WEIGHT = 0.3

/**
 * How far names lead: a logistic model of the share of the question's words, by their idf, that names explain which are
 * written as such. `base` holds for names that are rare and written like any other words.
 */
export const NAME_MODEL = { base: -1.4, written: 12 } as const

/** How much sharper the words' order becomes as names lead: the exponent grows by so much from none to all. */
export const SHARPENING = 3

/** What a bridge from a better record counts: where names do not lead, and where they alone do. */
export const BRIDGE_WEIGHT = { words: 0.3, names: 0.8 } as const

/** What a bridge is worth to a record that explains nothing more of the question, where names alone lead. */
export const BRIDGE_ALONE = 0.4

/** Terms of a question from which it says by its words what it is about, as a whole report does that is asked with. */
const LONG_QUESTION_TERMS = 12

/**
 * What is left of what names and the company of words say, by how many terms a question has: in a long one they are met
 * by chance.
 */
export function brevity(terms: number): number {
  return Math.min(1, LONG_QUESTION_TERMS / Math.max(1, terms)) ** 2
}
