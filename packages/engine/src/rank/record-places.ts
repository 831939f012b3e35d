import { addId, compareIds, countIds, idAt, placeOfId, removeId } from './id-table.ts'
import { withRoom } from './number-tables.ts'
import type { GraphStore } from './store.ts'

/** Returns the first document ordinal of a record, or undefined if there is no such record. */
export function findRecord({ recordTable, recordFirsts }: GraphStore, id: string): number | undefined {
  const number = placeOfId(recordTable, id)
  return number === undefined ? undefined : recordFirsts[number]
}

/** Returns the number of records. */
export function countHeld({ recordTable }: GraphStore): number {
  return countIds(recordTable)
}

/** Returns the id of the record at an ordinal, or an empty string if it was removed. */
export function recordIdAt({ recordTable, recordNumbers }: GraphStore, place: number): string {
  return idAt(recordTable, recordNumbers[place]! - 1) ?? ''
}

/** Returns true if two ordinals belong to one record. */
function isSameRecord({ recordNumbers }: GraphStore, one: number, other: number): boolean {
  return recordNumbers[one] === recordNumbers[other]
}

/** Compares the ids of the records at two ordinals. */
export function compareRecordIds({ recordTable, recordNumbers }: GraphStore, one: number, other: number): number {
  return compareIds(recordTable, recordNumbers[one]! - 1, recordNumbers[other]! - 1)
}

/** Returns true if the ordinal is the first one of an existing record. */
export function isFirstPlace({ recordNumbers, recordFirsts }: GraphStore, place: number): boolean {
  const number = recordNumbers[place]!
  return number > 0 && recordFirsts[number - 1] === place
}

/** Returns the first ordinal of the record that a passage belongs to. */
function firstPlaceOf({ recordNumbers, recordFirsts }: GraphStore, place: number): number {
  return recordFirsts[recordNumbers[place]! - 1]!
}

/** Assigns ordinals to a record. The first one represents the record. */
export function addRecordAt(store: GraphStore, id: string, places: readonly number[]): void {
  const number = addId(store.recordTable, id)
  store.recordFirsts = withRoom(store.recordFirsts, number + 1)
  store.recordFirsts[number] = places[0]!
  for (const place of places) store.recordNumbers[place] = number + 1
}

/** Removes a record's id from the table and from its ordinals. */
export function removeRecordFrom(store: GraphStore, id: string, places: readonly number[]): void {
  removeId(store.recordTable, id)
  for (const place of places) store.recordNumbers[place] = 0
}

/** A document ordinal with its score. */
export interface Scored {
  place: number
  score: number
}

/** Minimum number of candidates collected between two sorts. */
const ROOM_MIN = 64

/** Compares by score. The tie-breaker is the same whenever the records are loaded. */
export function byScore(store: GraphStore): (a: Scored, b: Scored) => number {
  return (a, b) => {
    if (a.score !== b.score) return b.score - a.score
    if (isSameRecord(store, a.place, b.place)) return store.recordPassages[a.place]! - store.recordPassages[b.place]!
    return tieOf(store, a.place) - tieOf(store, b.place) || compareRecordIds(store, a.place, b.place)
  }
}

/** Returns the tie-breaker of a record. A keyed tie-breaker is revealed by `hiddenTies` during a ranking. */
export function tieOf(store: GraphStore, place: number): number {
  const tie = store.recordTies[place]!
  return store.hiddenTies === undefined ? tie : store.hiddenTies.show(place, tie, () => recordIdAt(store, place))
}

/** Returns the `limit` best of the first `count` ordinals by `scores`, in order. */
export function bestPlaces(
  store: GraphStore,
  places: ArrayLike<number>,
  count: number,
  scores: Float64Array,
  limit: number,
): Scored[] {
  const inOrder = byScore(store)
  // Twice the limit is collected between two sorts, so that most ordinals cost one comparison.
  const room = Math.max(limit * 2, ROOM_MIN)
  const gathered = new Float64Array(Math.min(room, count))
  let kept: Scored[] = []
  let least = Number.MIN_VALUE
  let leastTie = Number.POSITIVE_INFINITY
  for (let at = 0; at < count; at += 1) {
    const place = places[at]!
    const score = scores[place]!
    // Many ordinals often have equal scores, for example all records of one entity. The tie-breaker skips them without
    // a sort.
    if (score < least || (score === least && tieOf(store, place) > leastTie)) continue
    gathered[kept.length] = score
    kept.push({ place, score })
    if (kept.length < room) continue
    // Sorting only the numbers yields the threshold. If too many scores are equal, the tie-breakers decide.
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

/** Maximum number of rounds of exact scoring. Each covers twice as many ordinals as the one before. */
const CLOSER_ROUNDS = 8

/**
 * Returns the `limit` best of `places` by `exact`. `scores` holds upper bounds by ordinal, which are replaced by exact
 * scores where computed. The rounds are bounded, so ordinals that they do not examine are left out.
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

/** Returns all ordinals of a record, given its first one. */
export function placesOfRecord(store: GraphStore, place: number): readonly number[] {
  const others = store.passages.get(place)
  return others === undefined ? [place] : [place, ...others]
}

/** Returns the first ordinal of the record that an ordinal belongs to. */
export function recordPlaceOf(store: GraphStore, place: number): number {
  return store.recordPassages[place] === 0 ? place : firstPlaceOf(store, place)
}

/** Keeps the best passage of each record, in the given order. */
export function onePerRecord(store: GraphStore, scored: readonly Scored[]): Scored[] {
  if (store.passages.size === 0) return [...scored]
  const seen = new Set<number>()
  return scored.filter(({ place }) => {
    const record = recordPlaceOf(store, place)
    return !seen.has(record) && seen.add(record)
  })
}

/**
 * Returns the `limit` best records of the first `count` ordinals. Each is represented by the ordinal of its best
 * passage.
 */
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
