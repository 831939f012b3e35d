import { type AnswerReading, shareOf, type Terms, union, WORDED_RECORDS } from './answer-reading.ts'
import type { Candidate } from './candidates.ts'

/** Number of adjacent sentences that are evaluated as one passage. */
const PASSAGE_SENTENCES = 3
/** Maximum distance in a sentence, in terms, of two query terms that count as adjacent. */
const NEAR_TERMS = 3

/** Returns the normalized weight, 0 to 1, of the rarest query term that the best-covering passage lacks. */
export function missingTerm({ weights, heads, said }: AnswerReading): number {
  let best: { cover: number; terms: Terms } = { cover: 0, terms: new Set() }
  for (const [record, own] of said.entries()) {
    for (const at of own.keys()) {
      const terms = union([heads[record]!, ...own.slice(at, at + PASSAGE_SENTENCES).map((each) => each.terms)])
      const cover = shareOf(weights, terms)
      if (cover > best.cover) best = { cover, terms }
    }
  }
  const lacking = [...weights].filter(([term]) => !best.terms.has(term)).map(([, weight]) => weight)
  return Math.min(1, Math.max(0, ...lacking) / Math.log(WORDED_RECORDS))
}

/** Returns the weighted share of adjacent query terms that are also close together in one candidate. */
export function adjacency({ question: { terms }, weights, material: { candidates } }: AnswerReading): number {
  const told = terms.filter((term) => weights.has(term))
  const pairs = told.slice(1).map((term, at) => [told[at]!, term] as const)
  if (pairs.length === 0) return candidates.some((each) => told.every((term) => each.terms.has(term))) ? 1 : 0
  const held = new Set<number>()
  for (const { terms: own } of candidates) for (const at of pairsHeld(pairs, own)) held.add(at)
  const weigh = (places: Iterable<number>) =>
    [...places].reduce((sum, at) => sum + Math.min(...pairs[at]!.map((term) => weights.get(term)!)), 0)
  return weigh(held) / Math.max(Number.MIN_VALUE, weigh(pairs.keys()))
}

function pairsHeld(pairs: readonly (readonly [string, string])[], own: Candidate['terms']): number[] {
  const places = new Map([...own].map((term, at) => [term, at]))
  return [...pairs.keys()].filter((at) => {
    const [from, to] = pairs[at]!.map((term) => places.get(term))
    return from !== undefined && to !== undefined && Math.abs(from - to) <= NEAR_TERMS
  })
}
