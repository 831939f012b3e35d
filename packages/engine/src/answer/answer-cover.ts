import { type AnswerContext, GENERAL_VOCABULARY_RECORDS, shareOf, type Terms, union } from './answer-context.ts'
import type { Candidate } from './candidates.ts'

/** Number of adjacent sentences that are evaluated as one passage. */
const PASSAGE_SENTENCES = 3
/** Maximum distance, in terms, of two query terms that count as adjacent in a sentence. */
const NEAR_TERMS = 3

/** Returns the normalized weight, 0 to 1, of the rarest query term that the best-covering passage lacks. */
export function missingTerm({ weights, heads, candidatesByRecord }: AnswerContext): number {
  let best: { cover: number; terms: Terms } = { cover: 0, terms: new Set() }
  for (const [record, own] of candidatesByRecord.entries()) {
    for (const at of own.keys()) {
      const terms = union([heads[record]!, ...own.slice(at, at + PASSAGE_SENTENCES).map((each) => each.terms)])
      const cover = shareOf(weights, terms)
      if (cover > best.cover) best = { cover, terms }
    }
  }
  const lacking = [...weights].filter(([term]) => !best.terms.has(term)).map(([, weight]) => weight)
  return Math.min(1, Math.max(0, ...lacking) / Math.log(GENERAL_VOCABULARY_RECORDS))
}

/** Returns the weighted share of adjacent query terms that are also close together in one candidate. */
export function adjacency({ question: { terms }, weights, material: { candidates } }: AnswerContext): number {
  const queryTerms = terms.filter((term) => weights.has(term))
  const pairs = queryTerms.slice(1).map((term, at) => [queryTerms[at]!, term] as const)
  if (pairs.length === 0) return candidates.some((each) => queryTerms.every((term) => each.terms.has(term))) ? 1 : 0
  const nearPairs = new Set<number>()
  for (const { terms: own } of candidates) for (const at of nearPairsOf(pairs, own)) nearPairs.add(at)
  const weigh = (indexes: Iterable<number>) =>
    [...indexes].reduce((sum, at) => sum + Math.min(...pairs[at]!.map((term) => weights.get(term)!)), 0)
  return weigh(nearPairs) / Math.max(Number.MIN_VALUE, weigh(pairs.keys()))
}

function nearPairsOf(pairs: readonly (readonly [string, string])[], own: Candidate['terms']): number[] {
  const positions = new Map([...own].map((term, at) => [term, at]))
  return [...pairs.keys()].filter((at) => {
    const [from, to] = pairs[at]!.map((term) => positions.get(term))
    return from !== undefined && to !== undefined && Math.abs(from - to) <= NEAR_TERMS
  })
}
