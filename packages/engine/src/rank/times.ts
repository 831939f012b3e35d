import { isWithin } from '../understand/time-span.ts'
import type { AskedTimes } from '../understand/times-asked.ts'
import { fitScratch, type Scratch } from './bm25.ts'
import { linksOf } from './links.ts'
import { bestPlaces, onePerRecord, recordPlaceOf, type Scored } from './record-places.ts'
import { type Node, type ScopeView, sees } from './scope-view.ts'
import { demoteCopies } from './signals/copies.ts'

/** So many are looked at, the latest: what mattered in a year shows in them as well. */
const LOOKED_AT = 500
/** Makes every time that a date can tell a positive number, which a score has to be. */
const EPOCH_SHIFT = 8.64e15 + 1
/** What a thing still counts once a record that holds it was taken, so that the next is about another. */
const TOLD_SHARE = 0.5
/** Weights are whole numbers of this unit's fractions, so that their sums do not depend on an order. */
const GRAIN = 2 ** 20

/**
 * Records of the times, in scope, best first, for a question that asks about nothing else: those that hold what many of
 * them share and few others do, each about other things than those before it where it can be. What shares nothing comes
 * last, the latest first.
 */
export function rankTimes(view: ScopeView, scratch: Scratch, { ranges }: AskedTimes, limit: number): Scored[] {
  const { store } = view
  fitScratch(scratch, store.recordReach)
  const places: number[] = []
  for (let place = 0; place < store.recordReach; place += 1) {
    const atMs = store.recordTimes[place]!
    if (ranges.some((range) => isWithin(atMs, range)) && sees(view, place)) places.push(place)
  }
  const looked = latest(view, scratch, places)
  const found = cover(view, looked, weightsOf(view, looked), limit)
  return demoteCopies(view, scratch, onePerRecord(store, found)).slice(0, limit)
}

function latest({ store }: ScopeView, { masses }: Scratch, places: readonly number[]): number[] {
  for (const place of places) masses[place] = store.recordTimes[place]! + EPOCH_SHIFT
  const found = bestPlaces(store, places, places.length, masses, LOOKED_AT)
  for (const place of places) masses[place] = 0
  return found.map(({ place }) => place)
}

/** What each thing that several of the records share says of them. */
function weightsOf(view: ScopeView, places: readonly number[]): Map<Node, number> {
  const holders = new Map<Node, Set<number>>()
  for (const place of places) {
    for (const { node } of linksOf(view, place)) {
      const held = holders.get(node) ?? new Set()
      holders.set(node, held.add(recordPlaceOf(view.store, place)))
    }
  }
  const weights = new Map<Node, number>()
  for (const [node, { size }] of holders)
    weights.set(node, Math.round(node.idf * node.factor * Math.log2(size) * GRAIN))
  return weights
}

/** Takes the place that adds most, again and again; the first of those that add the same. */
function cover(view: ScopeView, places: readonly number[], weights: Map<Node, number>, limit: number): Scored[] {
  const left = new Set(places)
  const taken: Scored[] = []
  const records = new Set<number>()
  while (left.size > 0 && records.size < limit) {
    let best: Scored = { place: -1, score: -1 }
    for (const place of left) {
      let score = 0
      for (const { node } of linksOf(view, place)) score += weights.get(node)!
      if (score > best.score) best = { place, score }
    }
    left.delete(best.place)
    taken.push(best)
    records.add(recordPlaceOf(view.store, best.place))
    for (const { node } of linksOf(view, best.place)) {
      weights.set(node, Math.round(weights.get(node)! * TOLD_SHARE))
    }
  }
  return taken
}
