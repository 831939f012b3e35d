import type { TimeSpan } from '../understand/times-asked.ts'
import { eachStretch, findList, POSTING_SHIFT } from './postings.ts'
import { compareRecordIds, recordIdAt, recordPlaceOf } from './record-places.ts'
import type { ScopeView } from './scope-view.ts'
import { isWithin } from './time-weight.ts'

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
