import { isWithin } from '../understand/time-span.ts'
import type { AskedTimes } from '../understand/times-asked.ts'
import { fitScratch, type Scratch } from './bm25.ts'
import { linksOf } from './links.ts'
import { bestPlaces, onePerRecord, recordPlaceOf, type Scored } from './record-places.ts'
import { type Node, type ScopeView, sees } from './scope-view.ts'
import { demoteCopies } from './signals/copies.ts'

/** Maximum number of records examined, latest first. They are enough to show what mattered in a year. */
const LOOKED_AT = 500
/** Makes every time that a Date can represent a positive number, because scores must be positive. */
const EPOCH_SHIFT = 8.64e15 + 1
/** Factor of a node's weight after a record with it was selected, so that the next record covers another topic. */
const TOLD_SHARE = 0.5
/** Weights are whole multiples of 1/GRAIN, so that sums do not depend on the order. */
const GRAIN = 2 ** 20

/**
 * Ranks the records in scope of a time range, for a question that asks about nothing else. Prefers records with
 * entities that many of them share and that are rare otherwise. Each next record should cover other entities. Records
 * that share nothing come last, latest first.
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

/** Returns the weight of each node that several of the records share. */
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

/** Selects greedily the ordinal that adds most weight. The first one wins ties. */
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
