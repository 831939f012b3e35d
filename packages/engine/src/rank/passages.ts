import { bestPlaces, byScore, type Scored } from './best.ts'
import { firstPlaceOf } from './record-ids.ts'
import type { GraphStore } from './store.ts'

/** The places of a record by its first: itself, and those of its other passages. */
export function placesOfRecord(store: GraphStore, place: number): readonly number[] {
  const others = store.passages.get(place)
  return others === undefined ? [place] : [place, ...others]
}

/** The record's place of any of its passages' places. */
export function recordPlaceOf(store: GraphStore, place: number): number {
  return store.recordPassages[place] === 0 ? place : firstPlaceOf(store, place)
}

/** Of each record the best passage alone, in the order in which the best ones stand. */
export function onePerRecord(store: GraphStore, scored: readonly Scored[]): Scored[] {
  if (store.passages.size === 0) return [...scored]
  const seen = new Set<number>()
  return scored.filter(({ place }) => {
    const record = recordPlaceOf(store, place)
    return !seen.has(record) && seen.add(record)
  })
}

/** The `limit` best records of the first `count` places, each by its best passage, whose place stands for it. */
export function bestRecords(
  store: GraphStore,
  places: ArrayLike<number>,
  count: number,
  scores: Float64Array,
  limit: number,
): Scored[] {
  if (store.passages.size === 0) return bestPlaces(store, places, count, scores, limit)
  const inOrder = byScore(store)
  const best = new Map<number, Scored>()
  for (let at = 0; at < count; at += 1) {
    const place = places[at]!
    const found = { place, score: scores[place]! }
    const record = recordPlaceOf(store, place)
    const known = best.get(record)
    if (known === undefined || inOrder(found, known) < 0) best.set(record, found)
  }
  const kept = Uint32Array.from(best.values(), ({ place }) => place)
  return bestPlaces(store, kept, kept.length, scores, limit)
}
