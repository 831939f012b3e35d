import { addId, compareIds, countIds, idAt, placeOfId, removeId } from './id-table.ts'
import { withRoom } from './number-tables.ts'
import type { GraphStore } from './store.ts'

/** The first place of a record; undefined for one that is not there. */
export function findRecord({ recordTable, recordFirsts }: GraphStore, id: string): number | undefined {
  const number = placeOfId(recordTable, id)
  return number === undefined ? undefined : recordFirsts[number]
}

/** How many records are there. */
export function countHeld({ recordTable }: GraphStore): number {
  return countIds(recordTable)
}

/** The id of the record at a place; none where it was withdrawn. */
export function recordIdAt({ recordTable, recordNumbers }: GraphStore, place: number): string {
  return idAt(recordTable, recordNumbers[place]! - 1) ?? ''
}

/** Whether two places are of one record. */
function isSameRecord({ recordNumbers }: GraphStore, one: number, other: number): boolean {
  return recordNumbers[one] === recordNumbers[other]
}

/** The order of the ids of the records at two places. */
export function compareRecordIds({ recordTable, recordNumbers }: GraphStore, one: number, other: number): number {
  return compareIds(recordTable, recordNumbers[one]! - 1, recordNumbers[other]! - 1)
}

/** Whether a record is there, and begins at this place. */
export function isFirstPlace({ recordNumbers, recordFirsts }: GraphStore, place: number): boolean {
  const number = recordNumbers[place]!
  return number > 0 && recordFirsts[number - 1] === place
}

/** The place at which the record begins that one of its passages is at. */
function firstPlaceOf({ recordNumbers, recordFirsts }: GraphStore, place: number): number {
  return recordFirsts[recordNumbers[place]! - 1]!
}

/** Gives a record its places, the first of which begins it. */
export function addRecordAt(store: GraphStore, id: string, places: readonly number[]): void {
  const number = addId(store.recordTable, id)
  store.recordFirsts = withRoom(store.recordFirsts, number + 1)
  store.recordFirsts[number] = places[0]!
  for (const place of places) store.recordNumbers[place] = number + 1
}

/** Takes the id of a record out of the table, and from its places. */
export function removeRecordFrom(store: GraphStore, id: string, places: readonly number[]): void {
  removeId(store.recordTable, id)
  for (const place of places) store.recordNumbers[place] = 0
}

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
