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

/** Returns true if a record of the scope mentions or declares a key, given its hash. */
export function holdsKey(view: ScopeView, hash: number): boolean {
  const key = findList(view.store.keys, hash)
  if (key < 0) return false
  const { degree, isDeclared } = countKey(view, key)
  return degree > 0 || isDeclared
}

/** Returns the number of records in scope that declare a key, given its hash. */
export function countDeclaring(view: ScopeView, hash: number): number {
  const key = findList(view.store.keys, hash)
  let count = 0
  if (key < 0) return count
  eachInScope(view, view.store.keys, key, (posting) => {
    if ((posting & KEY_FLAG.declared) > 0) count += 1
  })
  return count
}

/** Maximum number of entities with one name that are examined. */
const NAMESAKES_MAX = 32

/** Returns the node of an entity in scope, or undefined if the graph has no such entity. */
export function nodeOf(view: ScopeView, entityId: string): Node | undefined {
  const place = placeOfId(view.store.entityTable, entityId)
  return place === undefined ? undefined : entityNode(view, place)
}

/**
 * Returns the declared entity that has the name of an entity that is only mentioned, if it is the only candidate and
 * its type fits. Returns any other entity id unchanged.
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
 * Returns the ordinals of the records that are linked to an entity, strongest link first. Uses `masses` of the scratch,
 * which is all zero before and after.
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

/** Returns the number of distinct records that these ordinals belong to. */
export function countRecords(store: GraphStore, places: Uint32Array): number {
  if (store.passages.size === 0) return places.length
  return new Set(Array.from(places, (place) => recordPlaceOf(store, place))).size
}

/** Conditions for listed records. An omitted field is not checked. */
export interface RecordFilter {
  readonly type?: string | undefined
  readonly sourceId?: string | undefined
  readonly time?: TimeSpan | undefined
  /** Words that the record must contain. Each is a list of hashed terms, one of which must occur. */
  readonly words?: readonly (readonly number[])[] | undefined
}

/** Position of a record in the list. */
export interface ListedRecord {
  readonly id: string
  /** Time at which the record occurred; null if unknown. */
  readonly atMs: number | null
}

/** Records collected between two sorts, as a multiple of the limit. */
const GATHERED = 4

/**
 * Returns the first `limit` records in scope after `after`: latest first, records without a time last, equal times by
 * id.
 */
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
  // Ids are compared only if times are equal, and created only for the records that are returned.
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
    // A record with several passages is represented by the first one.
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

/** Returns the records, in or out of scope, that contain each word in at least one of its forms. */
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

/** Records of certain types in a scope. */
export interface RecordsOfTypes {
  readonly ids: readonly string[]
  /** Rises when one of the records or any entity changes. Equal versions of one graph mean equal records. */
  readonly version: number
}

/** Returns the types of the records in scope. */
export function typesIn({ store, open }: ScopeView): Set<string> {
  return new Set(store.parts.flatMap(({ type, records }, part) => (open[part] === 1 && records > 0 ? [type] : [])))
}

/** Returns the records in scope that have one of the types. */
export function recordsOfTypes({ store, open }: ScopeView, types: ReadonlySet<string>): RecordsOfTypes {
  const wanted = Uint8Array.from(store.parts, ({ type }, part) => (open[part] === 1 && types.has(type) ? 1 : 0))
  let version = store.entitiesChanged
  for (const [part, { changed }] of store.parts.entries()) if (wanted[part] === 1) version = Math.max(version, changed)
  const ids: string[] = []
  for (let place = 0; place < store.recordReach; place += 1) {
    // A record with several passages is represented by the first one.
    if (wanted[store.recordParts[place]!] === 1 && store.recordPassages[place] === 0) ids.push(recordIdAt(store, place))
  }
  return { ids, version }
}
