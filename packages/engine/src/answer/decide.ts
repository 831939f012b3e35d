import type { Statement } from './statement.ts'

/** What an answer is: the records answer, they come close, or nothing in them has to do with the question. */
export const OUTCOMES = ['answered', 'closest', 'nothing'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** A statement with the pair model's logit and the probability that it answers, up to 1. */
export interface Scored extends Statement {
  readonly logit: number
  readonly p: number
}

/** The statements of a question, best first, and the probability that none of them answers. */
export interface Decision {
  readonly scored: readonly Scored[]
  readonly none: number
  readonly isAnswered: boolean
}

/**
 * Turns logits into one distribution over the statements and "none of these", whose logit is 0, as the model was
 * trained. The question counts as answered while "none" is less likely than `noneMax`.
 */
export function decide(statements: readonly Statement[], logits: ArrayLike<number>, noneMax: number): Decision {
  const greatest = Math.max(0, ...Array.from(logits))
  const none = Math.exp(-greatest)
  const weights = statements.map((_, at) => Math.exp(logits[at]! - greatest))
  const total = weights.reduce((sum, each) => sum + each, none)
  const scored = statements.map(
    (statement, at): Scored => ({
      ...statement,
      logit: logits[at]!,
      p: weights[at]! / total,
    }),
  )
  scored.sort((one, other) => other.p - one.p || one.record - other.record || one.start - other.start)
  return { scored, none: none / total, isAnswered: scored.length > 0 && none / total < noneMax }
}
