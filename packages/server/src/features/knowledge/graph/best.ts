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
    const tie = store.recordTies[a.place]! - store.recordTies[b.place]!
    if (tie !== 0) return tie
    return store.recordIds[a.place]! < store.recordIds[b.place]! ? -1 : 1
  }
}

/** Gathers the `limit` best of what is offered, in order. */
function gatherBest(store: GraphStore, limit: number): { offer(place: number, score: number): void; take(): Scored[] } {
  const inOrder = byScore(store)
  // Twice the limit is gathered between two sorts, so that most offers cost one comparison.
  const room = Math.max(limit * 2, ROOM_MIN)
  let kept: Scored[] = []
  let least = 0
  return {
    offer: (place, score) => {
      if (score <= 0 || score < least) return
      kept.push({ place, score })
      if (kept.length < room) return
      kept = kept.sort(inOrder).slice(0, limit)
      least = kept.at(-1)?.score ?? 0
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

/** The `limit` best of `places` by the score at the same position, in order. */
export function bestOf(
  store: GraphStore,
  places: ArrayLike<number>,
  scores: ArrayLike<number>,
  limit: number,
): Scored[] {
  const best = gatherBest(store, limit)
  for (let at = 0; at < places.length; at += 1) best.offer(places[at]!, scores[at]!)
  return best.take()
}
