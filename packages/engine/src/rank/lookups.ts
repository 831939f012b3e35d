import { KEY_FLAG } from '../text/analysis-codec.ts'
import { isWithin, type TimeSpan } from '../understand/time-span.ts'
import { growScratch, type Scratch } from './bm25.ts'
import { ENTITY_KIND, entityNode, isOnlyMentioned, isPerson, ownersOf } from './entities.ts'
import { findOrdinal, idAt } from './id-table.ts'
import { eachMentioning, unitsOf } from './links.ts'
import { eachSegment, findList, POSTING_SHIFT } from './postings.ts'
import {
  compareRecordIds,
  docIdsOfRecord,
  recordDocId,
  recordIdAt,
  type Scored,
  topDocsExactly,
} from './record-doc-ids.ts'
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
  const ordinal = findOrdinal(view.store.entityTable, entityId)
  return ordinal === undefined ? undefined : entityNode(view, ordinal)
}

/**
 * Returns the declared entity with the same name, for an entity that is only mentioned, if exactly one candidate has a
 * compatible type. Returns any other entity id unchanged.
 */
export function declaredNamesake(view: ScopeView, entityId: string): string {
  const { store } = view
  const ordinal = findOrdinal(store.entityTable, entityId)
  if (ordinal === undefined || !isOnlyMentioned(store, ordinal)) return entityId
  const key = findList(store.keys, store.entityAliases[ordinal]!)
  const owners = key < 0 ? [] : ownersOf(store, key)
  if (owners.length > NAMESAKES_MAX) return entityId
  const inScope = owners.filter((owner) => entityNode(view, owner).degree > 0)
  const [only] = inScope
  if (only === undefined || inScope.length > 1) return entityId
  const isThing = (store.entityKinds[ordinal]! & ENTITY_KIND.thing) > 0
  return isThing && isPerson(store, only) ? entityId : idAt(store.entityTable, only)!
}

/** Returns the ordinals of the records that are linked to an entity, strongest first. */
export function docsOfEntity(view: ScopeView, scratch: Scratch, entityId: string, limit: number): Scored[] {
  const node = nodeOf(view, entityId)
  if (node === undefined) return []
  growScratch(scratch, view.store.docIdLimit)
  const { graphScores } = scratch
  const { store } = view
  const docIds: number[] = []
  eachMentioning(view, node, (docId, unitsMax) => {
    const record = recordDocId(store, docId)
    if (graphScores[record] === 0) docIds.push(record)
    graphScores[record]! += unitsMax
  })
  const best = topDocsExactly(store, docIds, graphScores, limit, (record) =>
    docIdsOfRecord(store, record).reduce((sum, docId) => sum + unitsOf(view, docId, node), 0),
  )
  for (const docId of docIds) graphScores[docId] = 0
  return best
}

/** Returns the number of distinct records that these ordinals belong to. */
export function countRecords(store: GraphStore, docIds: Uint32Array): number {
  if (store.passages.size === 0) return docIds.length
  return new Set(Array.from(docIds, (docId) => recordDocId(store, docId))).size
}

/** Conditions for listed records. An omitted field is not checked. */
export interface RecordFilter {
  readonly type?: string | undefined
  readonly sourceId?: string | undefined
  readonly time?: TimeSpan | undefined
  /** Words that the record must contain. Each is a list of hashed terms. One of them must occur. */
  readonly words?: readonly (readonly number[])[] | undefined
}

/** Position of a record in the list. */
export interface ListedRecord {
  readonly id: string
  /** Time at which the record occurred; null if unknown. */
  readonly atMs: number | null
}

/** Number of collected records at which they are sorted and cut, as a multiple of the limit. */
const SORT_BUFFER_FACTOR = 4

/** Returns `limit` records in scope after `after`: latest first, without a time last, equal times by id. */
export function listRecords(
  view: ScopeView,
  filter: RecordFilter,
  after: ListedRecord | undefined,
  limit: number,
): ListedRecord[] {
  const { store, open } = view
  const { type, sourceId, time } = filter
  const isListed = Uint8Array.from(store.parts, (part, index) =>
    open[index] === 1 &&
    (type === undefined || part.type === type) &&
    (sourceId === undefined || part.sourceId === sourceId)
      ? 1
      : 0,
  )
  // Ids are compared only if times are equal, and created only for the records that are returned.
  const timeAt = (docId: number): number => {
    const at = store.recordTimes[docId]!
    return Number.isNaN(at) ? Number.NEGATIVE_INFINITY : at
  }
  const inOrder = (one: number, other: number): number =>
    timeAt(one) === timeAt(other) ? compareRecordIds(store, other, one) : timeAt(one) > timeAt(other) ? -1 : 1
  const comesAfter = (docId: number, { id, atMs }: ListedRecord): boolean => {
    const at = atMs ?? Number.NEGATIVE_INFINITY
    return timeAt(docId) === at ? recordIdAt(store, docId) < id : timeAt(docId) < at
  }
  let collected: number[] = []
  let last: number | undefined
  const take = (docId: number): void => {
    // A record with several passages is represented by the first one.
    if (isListed[store.recordParts[docId]!] !== 1 || store.recordPassages[docId] !== 0) return
    const at = store.recordTimes[docId]!
    if (time !== undefined && !isWithin(at, time)) return
    if (last !== undefined && inOrder(last, docId) <= 0) return
    if (after !== undefined && !comesAfter(docId, after)) return
    collected.push(docId)
    if (collected.length < limit * SORT_BUFFER_FACTOR) return
    collected = collected.sort(inOrder).slice(0, limit)
    last = collected.at(-1)
  }
  if (filter.words) for (const docId of docIdsWith(view, filter.words)) take(docId)
  else for (let docId = 0; docId < store.docIdLimit; docId += 1) take(docId)
  return collected
    .sort(inOrder)
    .slice(0, limit)
    .map((docId) => {
      const at = store.recordTimes[docId]!
      return { id: recordIdAt(store, docId), atMs: Number.isNaN(at) ? null : at }
    })
}

/** Returns the records, in or out of scope, that contain each word in at least one of its forms. */
function docIdsWith({ store }: ScopeView, words: readonly (readonly number[])[]): ReadonlySet<number> {
  let found: Set<number> | undefined
  for (const forms of words) {
    const before = found
    const matching = new Set<number>()
    for (const list of forms.map((hash) => findList(store.terms, hash)).filter((id) => id >= 0)) {
      eachSegment(store.terms, list, (page, from, to) => {
        for (let at = from; at < to; at += 1) {
          const docId = page[at]! >>> POSTING_SHIFT
          if (store.recordParts[docId] === 0) continue
          const record = recordDocId(store, docId)
          if (before === undefined || before.has(record)) matching.add(record)
        }
      })
    }
    found = matching
    if (matching.size === 0) break
  }
  return found ?? new Set()
}

/** The records in a scope that have one of some types. */
export interface RecordsOfTypes {
  readonly ids: readonly string[]
  /**
   * Version of the graph at the last change of one of the records or of any entity. While it is the same, so are the
   * records.
   */
  readonly version: number
}

export function typesIn({ store, open }: ScopeView): Set<string> {
  return new Set(store.parts.flatMap(({ type, records }, part) => (open[part] === 1 && records > 0 ? [type] : [])))
}

export function recordsOfTypes({ store, open }: ScopeView, types: ReadonlySet<string>): RecordsOfTypes {
  const isWanted = Uint8Array.from(store.parts, ({ type }, part) => (open[part] === 1 && types.has(type) ? 1 : 0))
  let version = store.entitiesChanged
  for (const [part, { changed }] of store.parts.entries())
    if (isWanted[part] === 1) version = Math.max(version, changed)
  const ids: string[] = []
  for (let docId = 0; docId < store.docIdLimit; docId += 1) {
    // A record with several passages is represented by the first one.
    if (isWanted[store.recordParts[docId]!] === 1 && store.recordPassages[docId] === 0)
      ids.push(recordIdAt(store, docId))
  }
  return { ids, version }
}
