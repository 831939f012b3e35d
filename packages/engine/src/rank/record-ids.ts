import { addId, compareIds, countIds, idAt, placeOfId, removeId } from './id-table.ts'
import { withRoom } from './key-index.ts'
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
export function isSameRecord({ recordNumbers }: GraphStore, one: number, other: number): boolean {
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
export function firstPlaceOf({ recordNumbers, recordFirsts }: GraphStore, place: number): number {
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
