import { MS_PER_DAY, MS_PER_MINUTE } from '../../../base/clock.ts'
import { PullFailure } from '../../../base/pull-failure.ts'
import type { McpTool } from '../connector.ts'
import { type FieldMapping, mapFields, valuesAt } from '../json/field-mapping.ts'
import type { Details, Listing } from '../mcp-profile.ts'
import { isObject, pick } from '../pick.ts'
import { DIGEST_CHARS, digestOf, type MappedRecord, shortDigestOf, withdrawal } from '../to-record.ts'
import { jsonOf, type McpResult } from './mcp-session.ts'
import { fill, fillArguments } from './profile.ts'

/** Digest and type of records, by external id. */
export type Seen = Record<string, string>

/** Read position in one list of a server, and the records that were read from it. */
export interface ListingMark {
  seen?: Seen
  /** Records from the second call for an item, by the item's external id. */
  details?: Record<string, Seen>
  /** All changes before this time have been read. */
  since?: string
  /** Newest time of change of all items. */
  newest?: string
  /** Start of the last time that the whole list was read. */
  wholeAt?: string
  /** Records missing from the last read of the whole list. They are deleted if the next one lacks them too. */
  absent?: string[]
  /** Set if there are too many records to compare. Deletions are then not detected. */
  isTooLarge?: true
  reading?: Reading
}

/** A read in progress. The next pull continues it. */
interface Reading {
  at: string
  /** Lower bound of the changes; undefined if the whole list is read. */
  since?: string
  /** Cursor or number of the current page; undefined for the first one. */
  page?: string | number
  pages: number
  /** Known records that this read has not found yet. */
  unseen: string[]
  /** Set if unchanged items are sent as well. */
  isResent?: true
  /** Set after a pull ended because second calls failed repeatedly. Further failures are accepted. */
  hasStalled?: true
}

/** Access of a listing to its server. */
export interface ListingPort {
  readonly tool: McpTool
  /** The tool of the second call; undefined if it must not be called. */
  readonly detail: McpTool | undefined
  readonly parameters: Readonly<Record<string, string>>
  readonly now: Date
  readonly wholeDays: number
  /** Maximum number of records that are compared with those of the last read. */
  readonly seenMax: number
  readonly call: (tool: McpTool, given: Record<string, unknown>) => Promise<McpResult>
  /** Makes a second call, which may fail without ending the read. */
  readonly tryCall: ListingPort['call']
}

export const UNKNOWN_DIGEST = ' '.repeat(DIGEST_CHARS)
/** Maximum records and calls per stored page. They bound the work to repeat after an interruption. */
const BATCH_RECORDS = 20
const BATCH_CALLS = 10
/** Maximum number of pages of one read. */
const PAGES_MAX = 4_000
const DETAIL_PAGES_MAX = 50
const CURSOR_CHARS_MAX = 4_096
/** Second calls in a row that may fail before the read stops. */
const FAILURES_MAX = 3
/** Minutes of changes that are read again, because lists change while they are read and clocks differ. */
const OVERLAP_MINUTES = 10

/**
 * Reads new and changed items of a list, page by page, and yields their records with the position after them. Deletes a
 * record once two consecutive reads of the whole list lack it, because pages can shift during one read. Throws a
 * PullFailure. The next call continues at the last yielded position.
 */
export async function* readListing(
  listing: Listing,
  before: ListingMark,
  port: ListingPort,
): AsyncGenerator<{ records: MappedRecord[]; mark: ListingMark }> {
  const mark = { ...structuredClone(before), seen: ownIds(before.seen), details: ownIds(before.details) }
  mark.reading ??= begin(listing, mark, port)
  const { reading } = mark
  const unseen = new Set(reading.unseen)
  const batch = openBatch(port.seenMax - countSeen(mark))
  const flush = () => {
    reading.unseen = [...unseen]
    return { records: batch.take(), mark }
  }
  const isRepeated = openRepeatCheck()
  let failures = 0
  let ended: 'whole' | 'older' | 'cut' | undefined
  while (ended === undefined) {
    const result = await port.call(port.tool, argumentsOf(listing, reading, port))
    if (result.isError) {
      // The cursor may have expired. The next read starts at the first page and skips stored items.
      delete reading.page
      yield flush()
      throw new PullFailure('provider_failed')
    }
    const page = pageOf(listing, result, reading.page)
    if (isRepeated(reading.page, page.items)) throw new PullFailure('unreadable')
    for (const item of page.items) {
      const one = toItem(listing.map, listing.computed, item, (name) => port.parameters[name])
      if (!one) continue
      const changed = one.record.as_of ?? one.record.occurred_at
      if (listing.changes?.newest_first && reading.since && changed && changed < reading.since) {
        ended = 'older'
        break
      }
      if (changed && changed > (mark.newest ?? '')) mark.newest = changed
      unseen.delete(one.record.external_id)
      if (!reading.isResent && mark.seen[one.record.external_id]?.startsWith(shortDigestOf(one.record))) continue
      const isRead = await readItem(listing.details, one, mark, port, batch)
      failures = isRead ? 0 : failures + 1
      if (failures >= FAILURES_MAX && !reading.hasStalled) {
        reading.hasStalled = true
        yield flush()
        throw new PullFailure('provider_failed')
      }
      if (batch.isFull()) yield flush()
    }
    reading.pages += 1
    if (page.next === undefined) ended ??= 'whole'
    else if (reading.pages >= PAGES_MAX) ended ??= 'cut'
    else reading.page = page.next
    if (ended === undefined) yield flush()
  }
  batch.records.push(...finish(mark, reading, ended, unseen))
  yield { records: batch.take(), mark }
}

/** A mark whose maps accept any record id, including `constructor`. */
type OpenMark = ListingMark & Required<Pick<ListingMark, 'seen' | 'details'>>

function ownIds<T>(found: Readonly<Record<string, T>> | undefined): Record<string, T> {
  return Object.assign(Object.create(null), found)
}

/** Returns a mark from which items since a time are sent again. */
export function rewound(mark: ListingMark, since: Date, now: Date): ListingMark {
  const again = { at: now.toISOString(), pages: 0, isResent: true } as const
  const isWhole = !mark.wholeAt || !mark.since
  const from = [since.toISOString(), mark.since ?? ''].sort()[0]!
  return {
    ...mark,
    reading: { ...again, ...(isWhole ? { unseen: Object.keys(mark.seen ?? {}) } : { unseen: [], since: from }) },
  }
}

/** Starts a read. It covers the whole list if changes cannot be queried, or if a read of the whole list is due. */
function begin({ changes }: Listing, mark: ListingMark, { now, wholeDays }: ListingPort): Reading {
  const { wholeAt, absent = [], since, isTooLarge } = mark
  const isDue = absent.length > 0 || now.getTime() - Date.parse(wholeAt ?? '') >= wholeDays * MS_PER_DAY
  const isWhole = !changes || !wholeAt || !since || (isDue && !isTooLarge)
  return {
    at: now.toISOString(),
    pages: 0,
    unseen: isWhole ? Object.keys(mark.seen ?? {}) : [],
    ...(!isWhole && { since }),
  }
}

/** Updates the mark at the end of a read. Returns the deletions. */
function finish(mark: OpenMark, reading: Reading, ended: string, unseen: ReadonlySet<string>): MappedRecord[] {
  delete mark.reading
  if (ended === 'cut') return []
  const overlapping = new Date(Date.parse(reading.at) - OVERLAP_MINUTES * MS_PER_MINUTE).toISOString()
  mark.since = [overlapping, mark.newest ?? overlapping].sort()[0]!
  if (reading.since !== undefined) return []
  mark.wholeAt = reading.at
  const wasAbsent = new Set(mark.absent)
  const gone = mark.isTooLarge ? [] : [...unseen].filter((id) => wasAbsent.has(id))
  mark.absent = mark.isTooLarge ? [] : [...unseen].filter((id) => !wasAbsent.has(id))
  return gone.flatMap((id) => {
    const own = withdrawal(id, typeIn(mark.seen[id]))
    const parts = Object.entries(mark.details[id] ?? {}).map(([part, seen]) => withdrawal(part, typeIn(seen)))
    delete mark.seen[id]
    delete mark.details[id]
    return [own, ...parts]
  })
}

function argumentsOf({ arguments: templates, changes, pages }: Listing, { since, page }: Reading, port: ListingPort) {
  const given = fillArguments(templates, (name) => port.parameters[name])
  if (!given) throw new PullFailure('misconfigured')
  const filter = since && fill(changes?.value, () => since.replace(/\.\d+Z$/, 'Z'))
  const position = page ?? (pages.next ? undefined : FIRST_PAGE)
  return {
    ...given,
    ...(changes?.argument && filter !== undefined && { [changes.argument]: filter }),
    ...(position !== undefined && { [pages.argument]: position }),
  }
}

const FIRST_PAGE = 1

/** Returns the items of a page and the position of the next one. Throws `unreadable` for a result of another shape. */
function pageOf({ items: path, pages }: Pick<Listing, 'items' | 'pages'>, result: McpResult, page?: string | number) {
  const body = jsonOf(result)
  const items = path === undefined ? body : pick(body, ...path.split('.'))
  // Some servers send null for an empty list, or omit it.
  const isOmitted = path !== undefined && isObject(body) && Object.keys(body).every((key) => key === pages.next)
  const isEmpty = items === null || isOmitted
  if (!Array.isArray(items) && !isEmpty) throw new PullFailure('unreadable')
  const found = Array.isArray(items) ? items : []
  if (!pages.next) {
    const isLast = found.length === 0 || (pages.size !== undefined && found.length < pages.size)
    return { items: found, next: isLast ? undefined : Number(page ?? FIRST_PAGE) + 1 }
  }
  const next = pathValue(body, pages.next)
  const isLast = next === undefined || next === '' || (pages.more && pathValue(body, pages.more) === false)
  if (isLast) return { items: found, next: undefined }
  if (typeof next !== 'string' || next.length > CURSOR_CHARS_MAX) throw new PullFailure('unreadable')
  return { items: found, next }
}

/** An item with its record and the values for its second call. */
interface Item {
  readonly record: MappedRecord
  readonly scope: Record<string, unknown>
}

function toItem(
  map: Record<string, unknown>,
  computed: Record<string, string> = {},
  item: unknown,
  parameter: (name: string) => unknown,
  parent?: unknown,
): Item | undefined {
  if (!isObject(item)) return undefined
  const lookUp = (name: string) => parameter(name) ?? pathValue({ ...item, parent }, name)
  const values = Object.entries(computed).map(([name, template]) => [name, fill(template, lookUp)] as const)
  const scope = { ...item, parent, computed: Object.fromEntries(values) }
  const [record] = mapFields(map as unknown as FieldMapping, scope)
  return record && { record, scope }
}

/** Adds the records of a new or changed item to the batch. Returns false if its second call failed. */
async function readItem(
  details: Details | undefined,
  { record, scope }: Item,
  mark: OpenMark,
  port: ListingPort,
  batch: Batch,
): Promise<boolean> {
  const id = record.external_id
  const digest = shortDigestOf(record)
  const found = details && port.detail && (await readDetails(details, scope, { ...port, tool: port.detail }, batch))
  const isRead = found !== 'failed'
  const isKnown = mark.seen[id] !== undefined
  // A stored record is better than one without its text.
  if (isRead || !isKnown || details?.text === undefined) {
    batch.records.push({ ...record, ...(isRead && found?.text && { text: found.text }) })
  }
  // An item whose second call failed has no digest, so that it counts as changed.
  if (isKnown || batch.reserve(mark)) {
    mark.seen[id] = `${isRead ? digest : UNKNOWN_DIGEST} ${record.type}`
  }
  if (!isRead || !found?.records) return isRead
  const before = ownIds(mark.details[id])
  const after = ownIds<string>(undefined)
  for (const one of found.records) {
    const own = shortDigestOf(one)
    const seen = before[one.external_id]
    if (seen !== undefined || batch.reserve(mark)) after[one.external_id] = `${own} ${one.type}`
    if (!seen?.startsWith(own)) batch.records.push(one)
  }
  const listed = new Set(found.records.map((one) => one.external_id))
  const gone = found.isWhole ? Object.keys(before).filter((one) => !listed.has(one)) : []
  batch.records.push(...gone.map((one) => withdrawal(one, typeIn(before[one]))))
  const seen = found.isWhole ? after : { ...before, ...after }
  if (Object.keys(seen).length > 0) mark.details[id] = seen
  else delete mark.details[id]
  return true
}

interface FoundDetails {
  text?: string | undefined
  records?: MappedRecord[]
  isWhole: boolean
}

async function readDetails(
  details: Details,
  scope: Record<string, unknown>,
  port: ListingPort,
  batch: Batch,
): Promise<FoundDetails | 'failed' | undefined> {
  const { only_if: condition, pages, map, text } = details
  const lookUp = (name: string) => port.parameters[name] ?? pathValue(scope, name)
  if (condition && !isMet(condition, pathValue(scope, condition.path))) return map && { records: [], isWhole: true }
  const given = fillArguments(details.arguments, lookUp)
  if (!given) return undefined
  const records: MappedRecord[] = []
  for (let page = FIRST_PAGE; page <= DETAIL_PAGES_MAX; page += 1) {
    batch.calls += 1
    const result = await port.tryCall(port.tool, { ...given, ...(pages && { [pages.argument]: page }) })
    const body = jsonOf(result)
    if (result.isError || body === undefined) return 'failed'
    if (!map) return { text: textAt(body, text), isWhole: true }
    const items = body ?? []
    if (!Array.isArray(items)) return 'failed'
    const parameter = (name: string) => port.parameters[name]
    records.push(...items.flatMap((one) => toItem(map, details.computed, one, parameter, scope)?.record ?? []))
    if (!pages || items.length < (pages.size ?? 1)) return { records, isWhole: true }
  }
  return { records, isWhole: false }
}

function isMet({ above, one_of: allowed }: NonNullable<Details['only_if']>, value: unknown): boolean {
  if (above !== undefined) return typeof value !== 'number' || value > above
  return allowed?.includes(String(value)) ?? true
}

function textAt(body: unknown, path: string | undefined): string | undefined {
  const value = path === undefined ? undefined : pathValue(body, path)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** Records and calls since the last stored page. */
interface Batch {
  records: MappedRecord[]
  calls: number
  isFull(): boolean
  take(): MappedRecord[]
  /** Returns true if one more record can be compared with the next read. */
  reserve(mark: ListingMark): boolean
}

function openBatch(seenMax: number): Batch {
  let left = seenMax
  const batch: Batch = {
    records: [],
    calls: 0,
    isFull: () => batch.records.length >= BATCH_RECORDS || batch.calls >= BATCH_CALLS,
    take: () => {
      batch.calls = 0
      return batch.records.splice(0)
    },
    reserve: (mark) => {
      left -= 1
      if (left < 0) mark.isTooLarge = true
      return left >= 0
    },
  }
  return batch
}

function countSeen({ seen = {}, details = {} }: ListingMark): number {
  return [seen, ...Object.values(details)].reduce((sum, one) => sum + Object.keys(one).length, 0)
}

/** Returns a function that returns true for a repeated position or a repeated page of items. */
function openRepeatCheck(): (position: unknown, items: readonly unknown[]) => boolean {
  const seen = new Set<unknown>()
  return (position, items) => {
    const print = digestOf(items)
    const isRepeated = seen.has(`at ${position}`) || (items.length > 0 && seen.has(print))
    seen.add(`at ${position}`).add(print)
    return isRepeated
  }
}

/** Returns the record type in an entry of `Seen`. */
export function typeIn(seen: string | undefined): string {
  return seen?.slice(DIGEST_CHARS + 1) || 'document'
}

function pathValue(body: unknown, path: string): unknown {
  return valuesAt(body, path)[0]
}
