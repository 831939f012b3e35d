import type { GraphStore } from './store.ts'

/** A record's place with its score. */
export interface Scored {
  place: number
  score: number
}

/** Offers kept at least between two sorts. */
const ROOM_MIN = 64

/** Orders by score, equal ones by what is the same in every load of the records. */
export function byScore(store: GraphStore): (a: Scored, b: Scored) => number {
  return (a, b) => {
    if (a.score !== b.score) return b.score - a.score
    const [one, other] = [store.recordIds[a.place]!, store.recordIds[b.place]!]
    if (one === other) return store.recordPassages[a.place]! - store.recordPassages[b.place]!
    return tieOf(store, a.place) - tieOf(store, b.place) || (one < other ? -1 : 1)
  }
}

/** What orders a record among those of one score; where ties are hidden, whoever ranks shows them. */
export function tieOf({ recordTies, recordIds, hiddenTies }: GraphStore, place: number): number {
  const tie = recordTies[place]!
  return hiddenTies === undefined ? tie : hiddenTies.show(place, recordIds[place]!, tie)
}

/** Gathers the `limit` best of what is offered, in order. */
function gatherBest(store: GraphStore, limit: number): { offer(place: number, score: number): void; take(): Scored[] } {
  const inOrder = byScore(store)
  // Twice the limit is gathered between two sorts, so that most offers cost one comparison.
  const room = Math.max(limit * 2, ROOM_MIN)
  let kept: Scored[] = []
  let least = 0
  let leastTie = Number.POSITIVE_INFINITY
  return {
    offer: (place, score) => {
      // Many places often have one score, as all that hold an entity: the tie spares them the sort.
      if (score <= 0 || score < least || (score === least && tieOf(store, place) > leastTie)) return
      kept.push({ place, score })
      if (kept.length < room) return
      kept = kept.sort(inOrder).slice(0, limit)
      const last = kept.at(-1)
      least = last?.score ?? 0
      leastTie = last === undefined ? leastTie : tieOf(store, last.place)
    },
    take: () => kept.sort(inOrder).slice(0, limit),
  }
}

/** The `limit` best of the first `count` places by what `scores` holds under each place, in order. */
export function bestPlaces(
  store: GraphStore,
  places: ArrayLike<number>,
  count: number,
  scores: Float64Array,
  limit: number,
): Scored[] {
  const best = gatherBest(store, limit)
  for (let at = 0; at < count; at += 1) best.offer(places[at]!, scores[places[at]!]!)
  return best.take()
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
    for (const { place } of take(limit * 2 ** round)) {
      if (exactly.has(place)) continue
      exactly.add(place)
      scores[place] = exact(place)
    }
  }
  return bestPlaces(store, [...exactly], exactly.size, scores, limit)
}
