import { KEY_FLAG } from '../text/analysis-codec.ts'
import { bareNameDegree, entityNode, isOnlyMentioned, keysOf } from './entities.ts'
import { idAt, usedOrdinals } from './id-table.ts'
import { edgesOf } from './links.ts'
import { POSTING_SHIFT } from './postings.ts'
import { compareRecordIds, recordDocId, recordIdAt } from './record-doc-ids.ts'
import { eachInScope, isInScope, type ScopeView } from './scope-view.ts'
import { COUNT_BITS, type GraphStore } from './store.ts'

/** Summary of a scope's contents, computed from ids, times and hashes only. */
export interface ScopeOverview {
  readonly records: number
  /** Counts by type and source, largest first. */
  readonly parts: readonly PartOverview[]
  /** Ids of the latest and the earliest record; undefined if no record has a time. */
  readonly newest: string | undefined
  readonly oldest: string | undefined
  /** The entities with most records, with their counts. */
  readonly entities: readonly { readonly id: string; readonly records: number }[]
  /** The bare names (without an entity) in most records, with their counts and an example record each. */
  readonly names: readonly { readonly key: number; readonly records: number; readonly recordId: string }[]
}

/** Records in scope with one type and source. */
interface PartOverview {
  readonly type: string
  readonly sourceId: string | null
  readonly records: number
  readonly newestMs: number | null
}

/** Maximum numbers of entities and of names in an overview. */
const ENTITIES_MAX = 60
const NAMES_MAX = 40
/** Minimum number of records with a name for the name to count as a topic. */
const NAME_RECORDS_MIN = 3

/** No document ordinal. */
const NO_DOC = -1

/** Cached overviews by view. A view never changes, so they stay valid. */
const overviews = new WeakMap<ScopeView, ScopeOverview>()

/** Returns the overview of a scope. Records outside the scope do not affect it. */
export function overviewOf(view: ScopeView): ScopeOverview {
  const cached = overviews.get(view)
  if (cached) return cached
  const summary = partsOf(view)
  const records = summary.parts.reduce((sum, part) => sum + part.records, 0)
  const overview = { records, ...summary, entities: entitiesIn(view), names: namesIn(view) }
  overviews.set(view, overview)
  return overview
}

function partsOf(view: ScopeView): Pick<ScopeOverview, 'parts' | 'newest' | 'oldest'> {
  const { store } = view
  const { recordTimes: times } = store
  const newestOf = new Float64Array(store.parts.length).fill(Number.NEGATIVE_INFINITY)
  let [newest, oldest] = [NO_DOC, NO_DOC]
  for (let docId = 0; docId < store.docIdLimit; docId += 1) {
    const at = times[docId]!
    if (Number.isNaN(at) || store.recordPassages[docId] !== 0 || !isInScope(view, docId)) continue
    const part = store.recordParts[docId]!
    if (at > newestOf[part]!) newestOf[part] = at
    if (newest === NO_DOC || at > times[newest]! || (at === times[newest]! && isFirst(store, docId, newest)))
      newest = docId
    if (oldest === NO_DOC || at < times[oldest]! || (at === times[oldest]! && isFirst(store, docId, oldest)))
      oldest = docId
  }
  const parts = new Map<string, PartOverview>()
  for (const [index, { type, sourceId, records: ranked, passages }] of store.parts.entries()) {
    const records = ranked - passages
    if (view.open[index] !== 1 || records === 0) continue
    const name = JSON.stringify([type, sourceId])
    const other = parts.get(name)
    const newestMs = Math.max(newestOf[index]!, other?.newestMs ?? Number.NEGATIVE_INFINITY)
    parts.set(name, {
      type,
      sourceId,
      records: records + (other?.records ?? 0),
      newestMs: Number.isFinite(newestMs) ? newestMs : null,
    })
  }
  return {
    parts: [...parts.values()].sort((one, other) => other.records - one.records || (one.type < other.type ? -1 : 1)),
    newest: newest === NO_DOC ? undefined : recordIdAt(store, newest),
    oldest: oldest === NO_DOC ? undefined : recordIdAt(store, oldest),
  }
}

function isFirst(store: GraphStore, docId: number, other: number): boolean {
  return compareRecordIds(store, docId, other) < 0
}

/**
 * Returns the entities with most records in scope. Counts the records of entities in descending order of an upper bound
 * until no other entity can have more.
 */
function entitiesIn(view: ScopeView): ScopeOverview['entities'] {
  const { store } = view
  const bounds = usedOrdinals(store.entityTable).map((at) => ({ at, countMax: entityBound(store, at) }))
  const idOf = (ordinal: number) => idAt(store.entityTable, ordinal)!
  const countOf = (ordinal: number): number => {
    // Entities that are only mentioned are listed among the names.
    if (isOnlyMentioned(store, ordinal)) return 0
    const node = entityNode(view, ordinal)
    if (node.degree === 0) return 0
    return new Set(Array.from(edgesOf(view, node).docIds, (each) => recordDocId(store, each))).size
  }
  return topCounted(bounds, countOf, ENTITIES_MAX, (one, other) => (idOf(one) < idOf(other) ? -1 : 1)).map(
    ({ at, count }) => ({ id: idOf(at), records: count }),
  )
}

/** Returns an upper bound of the number of records of an entity. */
function entityBound(store: GraphStore, ordinal: number): number {
  let most = 0
  for (const key of keysOf(store, ordinal)) most += store.keys.counts[key]!
  return most
}

function namesIn(view: ScopeView): ScopeOverview['names'] {
  const { keys } = view.store
  const bounds: Bound[] = []
  for (let key = 0; key < keys.index.idLimit; key += 1) {
    const countMax = keys.counts[key] ?? 0
    if (countMax >= NAME_RECORDS_MIN) bounds.push({ at: key, countMax })
  }
  const hashOf = (key: number) => keys.index.hashes[key]!
  const inOrder = (one: number, other: number) => hashOf(one) - hashOf(other)
  const countOf = (key: number): number => {
    const degree = bareNameDegree(view, key)
    return degree >= NAME_RECORDS_MIN ? degree : 0
  }
  const best = topCounted(bounds, countOf, NAMES_MAX + 1, inOrder)
  // Equally frequent names are listed together or not at all. Their order depends on hashes and differs with a
  // customer-managed key.
  const beyond = best[NAMES_MAX]?.count ?? 0
  return best
    .filter(({ count }) => count > beyond)
    .map(({ at, count }) => ({ key: hashOf(at), records: count, recordId: firstNaming(view, at) }))
}

interface Bound {
  readonly at: number
  /** Upper bound of the item's count. */
  readonly countMax: number
}

/**
 * Returns the `max` items with the greatest counts above 0, in order. It counts items in descending order of their
 * upper bounds, so that it can stop early.
 */
function topCounted(
  bounds: Bound[],
  countOf: (at: number) => number,
  max: number,
  inOrder: (one: number, other: number) => number,
): { at: number; count: number }[] {
  bounds.sort((one, other) => other.countMax - one.countMax)
  const best: { at: number; count: number }[] = []
  for (const { at, countMax } of bounds) {
    if (countMax === 0 || (best.length === max && countMax < best[max - 1]!.count)) break
    const count = countOf(at)
    if (count === 0 || (best.length === max && count < best[max - 1]!.count)) continue
    const found = best.findIndex((each) => each.count < count || (each.count === count && inOrder(each.at, at) > 0))
    best.splice(found < 0 ? best.length : found, 0, { at, count })
    if (best.length > max) best.pop()
  }
  return best
}

/** Returns the smallest id of the records in scope that write the key as a name. */
function firstNaming(view: ScopeView, key: number): string {
  const { store } = view
  let first = NO_DOC
  eachInScope(view, store.keys, key, (posting) => {
    if ((posting & COUNT_BITS) === 0 || (posting & KEY_FLAG.nameLike) === 0) return
    const docId = posting >>> POSTING_SHIFT
    if (first === NO_DOC || isFirst(store, docId, first)) first = docId
  })
  return first === NO_DOC ? '' : recordIdAt(store, first)
}
