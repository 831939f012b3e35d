import { KEY_FLAG } from '../text/analysis-codec.ts'
import { isWithin, type TimeSpan } from '../understand/time-span.ts'
import { fitScratch, type Scratch } from './bm25.ts'
import { ENTITY_KIND, entityNode, isOnlyMentioned, isPerson, ownersOf } from './entities.ts'
import { idAt, placeOfId } from './id-table.ts'
import { eachMentioning, unitsOf } from './links.ts'
import { eachStretch, findList, POSTING_SHIFT } from './postings.ts'
import {
  bestExactly,
  compareRecordIds,
  placesOfRecord,
  recordIdAt,
  recordPlaceOf,
  type Scored,
} from './record-places.ts'
import { countKey } from './scope-counts.ts'
import { eachInScope, type Node, type ScopeView } from './scope-view.ts'
import type { GraphStore } from './store.ts'

/** Whether a record of the scope mentions or declares a key, by its hash. */
export function holdsKey(view: ScopeView, hash: number): boolean {
  const key = findList(view.store.keys, hash)
  if (key < 0) return false
  const { degree, isDeclared } = countKey(view, key)
  return degree > 0 || isDeclared
}

/** How many records of the scope declare a key, by its hash. */
export function countDeclaring(view: ScopeView, hash: number): number {
  const key = findList(view.store.keys, hash)
  let count = 0
  if (key < 0) return count
  eachInScope(view, view.store.keys, key, (posting) => {
    if ((posting & KEY_FLAG.declared) > 0) count += 1
  })
  return count
}

/** Entities of one name beyond which none of them is looked at. */
const NAMESAKES_MAX = 32

/** What an entity is to a scope; undefined for one that is not there. */
export function nodeOf(view: ScopeView, entityId: string): Node | undefined {
  const place = placeOfId(view.store.entityTable, entityId)
  return place === undefined ? undefined : entityNode(view, place)
}

/**
 * The entity that the scope declares under the name of one that is only mentioned, when it is the only one and may be
 * meant; any other entity stands for itself.
 */
export function standsFor(view: ScopeView, entityId: string): string {
  const { store } = view
  const place = placeOfId(store.entityTable, entityId)
  if (place === undefined || !isOnlyMentioned(store, place)) return entityId
  const key = findList(store.keys, store.entityAliases[place]!)
  const owners = key < 0 ? [] : ownersOf(store, key)
  if (owners.length > NAMESAKES_MAX) return entityId
  const known = owners.filter((owner) => entityNode(view, owner).degree > 0)
  const [only] = known
  if (only === undefined || known.length > 1) return entityId
  const isThing = (store.entityKinds[place]! & ENTITY_KIND.thing) > 0
  return isThing && isPerson(store, only) ? entityId : idAt(store.entityTable, only)!
}

/**
 * The places of the records that hold an entity, those that hold it most firmly first. `masses` of the scratch is all
 * zero before and after.
 */
export function placesOf(view: ScopeView, scratch: Scratch, entityId: string, limit: number): Scored[] {
  const node = nodeOf(view, entityId)
  if (node === undefined) return []
  fitScratch(scratch, view.store.recordReach)
  const { masses } = scratch
  const { store } = view
  const places: number[] = []
  eachMentioning(view, node, (place, unitsMax) => {
    const record = recordPlaceOf(store, place)
    if (masses[record] === 0) places.push(record)
    masses[record]! += unitsMax
  })
  const best = bestExactly(store, places, masses, limit, (record) =>
    placesOfRecord(store, record).reduce((sum, place) => sum + unitsOf(view, place, node), 0),
  )
  for (const place of places) masses[place] = 0
  return best
}

/** How many records these places are of. */
export function countRecords(store: GraphStore, places: Uint32Array): number {
  if (store.passages.size === 0) return places.length
  return new Set(Array.from(places, (place) => recordPlaceOf(store, place))).size
}

/** Which records are listed; what is left out does not matter. */
export interface RecordFilter {
  readonly type?: string | undefined
  readonly sourceId?: string | undefined
  readonly time?: TimeSpan | undefined
  /** Of each word one of these terms, by their hashes, stands in the record. */
  readonly words?: readonly (readonly number[])[] | undefined
}

/** Where a record stands in the list. */
export interface ListedRecord {
  readonly id: string
  /** When it occurred; null when it does not say. */
  readonly atMs: number | null
}

/** Records gathered between two cuts, as a multiple of those that are wanted. */
const GATHERED = 4

/** The first `limit` records in scope after `after`, the latest first, those without a time last, equal ones by id. */
export function listRecords(
  view: ScopeView,
  filter: RecordFilter,
  after: ListedRecord | undefined,
  limit: number,
): ListedRecord[] {
  const { store, open } = view
  const { type, sourceId, time } = filter
  const isListed = Uint8Array.from(store.parts, (part, place) =>
    open[place] === 1 &&
    (type === undefined || part.type === type) &&
    (sourceId === undefined || part.sourceId === sourceId)
      ? 1
      : 0,
  )
  // Ids are compared where times are equal, and made for those alone that are listed.
  const timeAt = (place: number): number => {
    const at = store.recordTimes[place]!
    return Number.isNaN(at) ? Number.NEGATIVE_INFINITY : at
  }
  const inOrder = (one: number, other: number): number =>
    timeAt(one) === timeAt(other) ? compareRecordIds(store, other, one) : timeAt(one) > timeAt(other) ? -1 : 1
  const comesAfter = (place: number, { id, atMs }: ListedRecord): boolean => {
    const at = atMs ?? Number.NEGATIVE_INFINITY
    return timeAt(place) === at ? recordIdAt(store, place) < id : timeAt(place) < at
  }
  let kept: number[] = []
  let last: number | undefined
  const take = (place: number): void => {
    // Of a record in passages the first stands for it.
    if (isListed[store.recordParts[place]!] !== 1 || store.recordPassages[place] !== 0) return
    const at = store.recordTimes[place]!
    if (time !== undefined && !isWithin(at, time)) return
    if (last !== undefined && inOrder(last, place) <= 0) return
    if (after !== undefined && !comesAfter(place, after)) return
    kept.push(place)
    if (kept.length < limit * GATHERED) return
    kept = kept.sort(inOrder).slice(0, limit)
    last = kept.at(-1)
  }
  if (filter.words) for (const place of placesWith(view, filter.words)) take(place)
  else for (let place = 0; place < store.recordReach; place += 1) take(place)
  return kept
    .sort(inOrder)
    .slice(0, limit)
    .map((place) => {
      const at = store.recordTimes[place]!
      return { id: recordIdAt(store, place), atMs: Number.isNaN(at) ? null : at }
    })
}

/** The records, in scope or not, in which each word stands in one of its forms. */
function placesWith({ store }: ScopeView, words: readonly (readonly number[])[]): ReadonlySet<number> {
  let found: Set<number> | undefined
  for (const forms of words) {
    const before = found
    const here = new Set<number>()
    for (const list of forms.map((hash) => findList(store.terms, hash)).filter((id) => id >= 0)) {
      eachStretch(store.terms, list, (page, from, to) => {
        for (let at = from; at < to; at += 1) {
          const place = page[at]! >>> POSTING_SHIFT
          if (store.recordParts[place] === 0) continue
          const record = recordPlaceOf(store, place)
          if (before === undefined || before.has(record)) here.add(record)
        }
      })
    }
    found = here
    if (here.size === 0) break
  }
  return found ?? new Set()
}

/** The records of some types in a scope. */
export interface RecordsOfTypes {
  readonly ids: readonly string[]
  /** Rises when any of them, or any entity, changes; equal versions of one graph mean equal records. */
  readonly version: number
}

/** The types of the records in scope. */
export function typesIn({ store, open }: ScopeView): Set<string> {
  return new Set(store.parts.flatMap(({ type, records }, part) => (open[part] === 1 && records > 0 ? [type] : [])))
}

/** The records in scope that are of one of the types. */
export function recordsOfTypes({ store, open }: ScopeView, types: ReadonlySet<string>): RecordsOfTypes {
  const wanted = Uint8Array.from(store.parts, ({ type }, part) => (open[part] === 1 && types.has(type) ? 1 : 0))
  let version = store.entitiesChanged
  for (const [part, { changed }] of store.parts.entries()) if (wanted[part] === 1) version = Math.max(version, changed)
  const ids: string[] = []
  for (let place = 0; place < store.recordReach; place += 1) {
    // Of a record in passages the first stands for it.
    if (wanted[store.recordParts[place]!] === 1 && store.recordPassages[place] === 0) ids.push(recordIdAt(store, place))
  }
  return { ids, version }
}
