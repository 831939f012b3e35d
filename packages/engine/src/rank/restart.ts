import { bestPlaces } from './best.ts'
import type { Scratch, WordScores } from './bm25.ts'
import type { Linked } from './linking.ts'
import type { Node } from './node.ts'
import { POSTING_SHIFT } from './postings.ts'
import type { ScopeView } from './scope-view.ts'

/** Where the walk starts and starts again. */
export interface Restart {
  readonly nodes: ReadonlyMap<Node, number>
  readonly places: ReadonlyMap<number, number>
}

/** Share of the restart that goes to what the question names, the rest going to what its words find. */
const NAMED_SHARE = 0.7
/** A word of a linked name is explained by it, so it has less to say about records. */
const LINKED_TERM_SHARE = 0.5
const PLACES_MAX = 50
/** Shares are counted in this unit's fractions, so that a million of them add up exactly. */
const GRAIN = 2 ** 32

function spendTerms(scratch: Scratch, words: WordScores, linked: Linked): void {
  const { postings, scores, restarts, shares } = scratch
  for (const { position, idf, from, to } of words.terms) {
    let total = 0
    for (let at = from; at < to; at += 1) {
      const strength = scores[postings[at]! >>> POSTING_SHIFT]! / words.best
      // The third power: how sharply a term prefers the records that the whole question prefers.
      const share = Math.round(shares[at]! * strength * strength * strength * GRAIN)
      shares[at] = share
      total += share
    }
    if (total === 0) continue
    const budget = (idf * (linked.named.has(position) ? LINKED_TERM_SHARE : 1)) / total
    for (let at = from; at < to; at += 1) restarts[postings[at]! >>> POSTING_SHIFT]! += budget * shares[at]!
  }
}

/** Spreads the restart over the named entities and, term by term, over the records that hold the question's words. */
export function restartOf(view: ScopeView, scratch: Scratch, words: WordScores, linked: Linked): Restart {
  spendTerms(scratch, words, linked)
  const best = bestPlaces(view.store, scratch.touched, words.touched, scratch.restarts, PLACES_MAX)
  let sum = 0
  for (const { score } of best) sum += score
  let idfSum = 0
  for (const [node, weight] of linked.nodes) idfSum += node.idf * weight
  const named = idfSum === 0 ? 0 : sum === 0 ? 1 : NAMED_SHARE * linked.certainty
  const nodes = new Map<Node, number>()
  for (const [node, weight] of linked.nodes) nodes.set(node, (named * node.idf * weight) / idfSum)
  const places = new Map<number, number>()
  for (const { place, score } of best) places.set(place, ((1 - named) * score) / sum)
  return { nodes, places }
}
