import type { Statement } from './statement.ts'

/** Outcomes: the records answer the question, come close to it, or contain nothing related. */
export const OUTCOMES = ['answered', 'closest', 'nothing'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** A statement with its cross-encoder logit and the probability (0 to 1) that it answers the question. */
export interface Scored extends Statement {
  readonly logit: number
  readonly p: number
}

/** The scored statements, best first, and the probability that none of them answers the question. */
export interface Decision {
  readonly scored: readonly Scored[]
  readonly none: number
  readonly isAnswered: boolean
}

/**
 * Converts logits to a softmax distribution over the statements and "none of these". The logit of "none" is 0, as in
 * training. The question counts as answered if the probability of "none" is below `noneMax`.
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
