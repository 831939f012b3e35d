import { compareRecordIds, isSameRecord, recordIdAt } from './record-ids.ts'
import type { GraphStore } from './store.ts'

/** A record's place with its score. */
export interface Scored {
  place: number
  score: number
}

/** Places kept at least between two cuts. */
const ROOM_MIN = 64

/** Orders by score, equal ones by what is the same in every load of the records. */
export function byScore(store: GraphStore): (a: Scored, b: Scored) => number {
  return (a, b) => {
    if (a.score !== b.score) return b.score - a.score
    if (isSameRecord(store, a.place, b.place)) return store.recordPassages[a.place]! - store.recordPassages[b.place]!
    return tieOf(store, a.place) - tieOf(store, b.place) || compareRecordIds(store, a.place, b.place)
  }
}

/** What orders a record among those of one score; where ties are hidden, whoever ranks shows them. */
export function tieOf(store: GraphStore, place: number): number {
  const tie = store.recordTies[place]!
  return store.hiddenTies === undefined ? tie : store.hiddenTies.show(place, tie, () => recordIdAt(store, place))
}

/** The `limit` best of the first `count` places by what `scores` holds under each place, in order. */
export function bestPlaces(
  store: GraphStore,
  places: ArrayLike<number>,
  count: number,
  scores: Float64Array,
  limit: number,
): Scored[] {
  const inOrder = byScore(store)
  // Twice the limit is gathered between two cuts, so that most places cost one comparison.
  const room = Math.max(limit * 2, ROOM_MIN)
  const gathered = new Float64Array(Math.min(room, count))
  let kept: Scored[] = []
  let least = Number.MIN_VALUE
  let leastTie = Number.POSITIVE_INFINITY
  for (let at = 0; at < count; at += 1) {
    const place = places[at]!
    const score = scores[place]!
    // Many places often have one score, as all that hold an entity: the tie spares them the sort.
    if (score < least || (score === least && tieOf(store, place) > leastTie)) continue
    gathered[kept.length] = score
    kept.push({ place, score })
    if (kept.length < room) continue
    // Sorted as numbers alone, the scores say what is left out; where too many are equal the ties say it.
    least = gathered.sort()[room - limit]!
    kept = kept.filter((found) => found.score >= least)
    if (kept.length > (limit + room) / 2) {
      kept = kept.sort(inOrder).slice(0, limit)
      leastTie = tieOf(store, kept.at(-1)!.place)
    } else leastTie = Number.POSITIVE_INFINITY
    for (const [position, found] of kept.entries()) gathered[position] = found.score
  }
  return kept.sort(inOrder).slice(0, limit)
}

/** Rounds of looking closer, each at twice as many places as the one before. */
const CLOSER_ROUNDS = 8

/**
 * The `limit` best of `places` by `exact`, of which `scores`, by place, holds an upper bound that is replaced where it
 * was looked at. Few places are looked at; one that these rounds did not come to is left out.
 */
export function bestExactly(
  store: GraphStore,
  places: readonly number[],
  scores: Float64Array,
  limit: number,
  exact: (place: number) => number,
): Scored[] {
  const exactly = new Set<number>()
  const take = (count: number): Scored[] => bestPlaces(store, places, places.length, scores, count)
  for (let round = 0; round < CLOSER_ROUNDS; round += 1) {
    const best = take(limit)
    if (best.every(({ place }) => exactly.has(place))) return best
    for (const { place } of round === 0 ? best : take(limit * 2 ** round)) {
      if (exactly.has(place)) continue
      exactly.add(place)
      scores[place] = exact(place)
    }
  }
  return bestPlaces(store, [...exactly], exactly.size, scores, limit)
}
