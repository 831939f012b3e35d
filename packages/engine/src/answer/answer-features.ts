import type { AnswerContext } from './answer-context.ts'
import { adjacency, missingTerm } from './answer-cover.ts'
import { mentionFeatures } from './answer-mention.ts'
import { otherPersonScore } from './answer-people.ts'
import { unsupportedShare } from './answer-subject.ts'
import { maxSimilarity } from './semantic-similarity.ts'

/**
 * Features for the probability that the records answer a question, computed from words only. Each is from 0 to 1. The
 * value here is the expected sign of the feature's weight: 1 for an answer, -1 against, 0 for a control variable.
 */
export const ANSWER_FEATURES = {
  unheard: -1,
  unwritten: -1,
  missing: -1,
  adjacent: 1,
  otherPerson: -1,
  nameless: 0,
  /** Normalized number of query terms. */
  length: 0,
} as const
/** Features for the same probability if an embedding model has computed semantic similarity. */
export const SEMANTIC_FEATURES = {
  unheard: -1,
  unwritten: -1,
  unsaid: -1,
  otherPerson: -1,
  nameless: 0,
  alike: 1,
} as const
export type AnswerFeatures = Record<keyof typeof ANSWER_FEATURES | keyof typeof SEMANTIC_FEATURES, number>

/** Number of terms at which `length` is 1. */
const LONG_TERMS = 10

/** Computes the features for and against an answer from the question and the records. */
export function answerFeatures(context: AnswerContext): AnswerFeatures {
  const { meant, weights } = context
  return {
    ...mentionFeatures(context),
    missing: missingTerm(context),
    adjacent: adjacency(context),
    otherPerson: otherPersonScore(context),
    length: Math.min(1, weights.size / LONG_TERMS),
    unsaid: unsupportedShare(context),
    alike: meant ? maxSimilarity(meant) : 0,
  }
}
