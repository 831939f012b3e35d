import {
  createResolver,
  createSiteResolver,
  type Decision,
  type Declaration,
  declarationKeys,
  declarationsOf,
  decodeContent,
  type EntityReference,
  encodeContent,
  enrichContent,
  findDeclaration,
  isComparable,
  isOnlyMentioned,
  isSomeUser,
  mentionDeclarations,
  type RecordContent,
  relationEndKey,
  relationsIn,
  type StoredContent,
  withoutFields,
} from '@cairnstore/engine/resolve'
import { createYieldPoint } from '../base/yield-point.ts'
import type { EntityRow, LinkRow, RecordRow } from '../store/port.ts'
import { toEntityRow, toMergedRow, toRecordRow } from '../store/record-row.ts'
import type { Batch, BatchContext, IncomingRecord, StorageQuota, StoredRecord } from './batch-shape.ts'
import { isStillDeleted, markOf } from './deleted-records.ts'
import { deletionTime, isOlder, lastVersions, storedContent, storedVersion } from './last-versions.ts'
import { keepStoredSender } from './with-sender.ts'

/**
 * Converts incoming records to the rows of one commit. Replaces the stored version with the same external id, and
 * removes the entity keys that only this version declared. Resolves declarations to canonical entities. If a batch has
 * several versions of a record, the last one is used, unless its source marks it as older. Users' decisions are applied
 * last.
 */
export async function buildBatch(
  incoming: IncomingRecord[],
  context: BatchContext,
  decisions: readonly Decision[] = [],
): Promise<Batch> {
  const resolver = createResolver(context.known, context.hash, context.newEntityId)
  const batch: Batch = { ...emptyBatch(), merges: resolver.changes.merges }
  const support = createSupport(context)
  const withdrawn: Declaration[] = []
  // The entity of each mentioned name. It stays valid, because keys are removed only after everything is resolved.
  const mentionedIds = new Map<string, string | undefined>()
  const yieldIfDue = createYieldPoint(SLICE_MS)
  const separateBySite = createSiteResolver((key) => storedContentAt(context, key))

  for (const record of incoming) {
    await yieldIfDue()
    separateBySite(record)
  }
  for (const [key, record] of lastVersions(incoming, batch, context)) {
    await yieldIfDue()
    const before = storedVersion(context, key, record)
    if (before) batch.ids.set(record, before.id)
    if (before && isOlder(record.content, decodeContent(before.content))) {
      batch.unchanged.add(record)
      continue
    }
    if (before) keepStoredFields(record, before)
    const mark = before ? undefined : markOf(context.marks, context.hash, record)
    if (mark && isStillDeleted(mark, context.hash, record)) {
      if (mark.digest !== null) batch.stillDeleted.push(mark.recordId)
      batch.unchanged.add(record)
      continue
    }
    const content = record.deleted ? EMPTY : encodeContent(storedContent(record))
    const grownBytes = content.length - (before?.content.length ?? 0)
    if (before && !record.deleted && isSame(before, record, content)) {
      batch.unchanged.add(record)
      continue
    }
    if (!record.deleted && !fitsQuota(context.quota, batch, before ? 0 : 1, grownBytes)) {
      batch.refused.set(record, 'quota_exceeded')
      continue
    }
    if (mark && !record.deleted) batch.restored.push(mark.recordId)
    if (before) {
      batch.replaced.set(before.id, before.projectId ?? null)
      const things = storedThings(before)
      const declared = [...things, ...storedMentioned(before)]
      support.remove(declared)
      withdrawn.push(...declared)
      batch.hasComparable ||= things.some(isComparable)
    }
    if (record.deleted) {
      recordDeletion(batch, record, before, mark?.recordId ?? context.newRecordId)
      if (!before) continue
      batch.added -= 1
      batch.addedBytes += grownBytes
      batch.records.push({ ...before, live: false, content: EMPTY, analysis: EMPTY })
      batch.links.push(...removedLinks(before, 0))
      continue
    }
    if (!before) batch.added += 1
    batch.addedBytes += grownBytes
    const id = assignId(batch, record, before?.id ?? context.newRecordId())
    const { things, mentioned } = record
    support.add([...things, ...mentioned])
    batch.hasComparable ||= things.some(isComparable)
    const entityIds = new Map(things.map((thing) => [thing, resolver.resolve(thing)]))
    for (const thing of mentioned) {
      const { key } = thing.names[0]!
      if (!mentionedIds.has(key)) mentionedIds.set(key, resolver.mention(thing))
    }
    batch.records.push(toRecordRow(id, key, record, content, context.hash))
    const links = toLinkRows(id, record, entityIds, mentionedIds)
    batch.links.push(...links, ...(before ? removedLinks(before, links.length) : []))
  }

  for (const thing of withdrawn) resolver.withdraw(thing, support.has)
  for (const decision of decisions) resolver.decide(decision)
  batch.hasComparable ||= [...resolver.changes.changed.values()].some(
    (entity) => entity.type === 'person' && !isOnlyMentioned(entity),
  )
  batch.entities = toEntityRows(resolver.changes, context)
  return batch
}

/** Adds a tombstone for a deletion whose time is known. Older versions that arrive later are then rejected. */
function recordDeletion(
  batch: Batch,
  record: IncomingRecord,
  before: StoredRecord | undefined,
  id: string | (() => string),
): void {
  const at = deletionTime(record)
  if (at === undefined) return
  const stored = before && decodeContent<StoredContent>(before.content).as_of
  batch.deletions.push({
    recordId: before?.id ?? (typeof id === 'string' ? id : id()),
    sourceId: record.origin.sourceId,
    externalId: record.content.external_id,
    asOf: stored !== undefined && stored > at ? stored : at,
  })
}

function assignId({ ids }: Batch, record: IncomingRecord, id: string): string {
  ids.set(record, id)
  return id
}

function emptyBatch(): Batch {
  const rows = { records: [], entities: [], links: [], merges: [], restored: [], stillDeleted: [], deletions: [] }
  const none = { replaced: new Map(), refused: new Map(), unchanged: new Set<IncomingRecord>(), ids: new Map() }
  return { ...rows, ...none, added: 0, addedBytes: 0, hasComparable: false }
}

/** Copies the time and the sender from the previous version if the record does not have them. */
function keepStoredFields(record: IncomingRecord, before: StoredRecord): void {
  if (record.isTimeAssumed) keepStoredTime(record, before)
  keepStoredSender(record, before)
}

/** Gives a record without a time the time of the previous version. */
function keepStoredTime(record: IncomingRecord, before: StoredRecord): void {
  const { occurred_at: at } = decodeContent<StoredContent>(before.content)
  if (at === undefined) return
  const content = { ...record.content, occurred_at: at }
  // Relative dates in the text depend on the record's time.
  record.content = content.facts ? enrichContent(content, { names: true, facts: true }) : content
}

/** Returns true if the stored version has the same content and project. Derived fields are not compared. */
function isSame(before: StoredRecord, record: IncomingRecord, content: Uint8Array): boolean {
  if ((before.projectId ?? null) !== record.projectId) return false
  if (Buffer.compare(before.content, content) === 0) return true
  const { blocks: _, ...compared } = withoutFields(storedContent(record))
  return Buffer.compare(before.content, encodeContent(compared)) === 0
}

function fitsQuota(quota: StorageQuota, batch: Batch, records: number, bytes: number): boolean {
  const fits = (left: number | null, used: number, more: number) => left === null || more <= 0 || used + more <= left
  return fits(quota.records, batch.added, records) && fits(quota.bytes, batch.addedBytes, bytes)
}

/** Milliseconds of work on a batch before it yields to questions. */
const SLICE_MS = 2

const EMPTY = new Uint8Array()

/** Returns the declarations in the stored version of a record. */
export function storedThings(row: Pick<RecordRow, 'content' | 'sourceId'>): Declaration[] {
  const content = decodeContent<StoredContent>(row.content)
  return declarationsOf(content, { sourceId: row.sourceId ?? null, provider: content.provider })
}

/** Returns the mentions in the text of a stored version. */
export function storedMentioned(row: Pick<RecordRow, 'content'>): Declaration[] {
  return mentionDeclarations(decodeContent<StoredContent>(row.content))
}

function storedContentAt(context: BatchContext, key: string): RecordContent | undefined {
  const row = context.stored(key)
  return row && decodeContent<StoredContent>(row.content)
}

/** Counts records that declare a key: live records at the head, corrected by the changes of the batch. */
function createSupport(context: BatchContext) {
  const change = new Map<string, number>()
  // Counting is deferred, because most batches withdraw nothing and need no counts.
  let uncounted: { things: Declaration[]; by: number }[] = []
  const count = () => {
    for (const { things, by } of uncounted) {
      for (const key of new Set(things.flatMap(declarationKeys))) change.set(key, (change.get(key) ?? 0) + by)
    }
    uncounted = []
  }
  return {
    add: (things: Declaration[]) => void uncounted.push({ things, by: 1 }),
    remove: (things: Declaration[]) => void uncounted.push({ things, by: -1 }),
    has: (key: string) => {
      count()
      return context.supporters(context.hash(key)) + (change.get(key) ?? 0) > 0
    },
  }
}

function toLinkRows(
  recordId: string,
  record: IncomingRecord,
  entityIds: Map<Declaration, string | undefined>,
  mentionedIds: ReadonlyMap<string, string | undefined>,
): LinkRow[] {
  const rows: LinkRow[] = []
  const idOf = (end: EntityReference, isExtracted: boolean) => {
    const thing = isExtracted && isSomeUser(end) ? undefined : findDeclaration(record.things, end)
    if (thing) return entityIds.get(thing)
    return isExtracted ? mentionedIds.get(relationEndKey(end) ?? '') : undefined
  }
  for (const relation of relationsIn(record.content)) {
    const isExtracted = 'confidence' in relation
    const subjectId = idOf(relation.subject, isExtracted)
    if (!subjectId) continue
    rows.push({
      id: linkId(recordId, rows.length),
      live: true,
      recordId,
      subjectId,
      objectId: idOf(relation.object, isExtracted) ?? null,
      predicate: relation.predicate,
      validFromMs: relation.valid_from ? Date.parse(relation.valid_from) : null,
      validToMs: relation.valid_to ? Date.parse(relation.valid_to) : null,
      content: encodeContent(relation),
    })
  }
  return rows
}

/** Returns tombstones for the links of the stored version, except for ids that the new version uses again. */
function removedLinks(before: StoredRecord, kept: number): LinkRow[] {
  const relations = relationsIn(decodeContent<StoredContent>(before.content))
  return relations.slice(kept).map((relation, index) => ({
    id: linkId(before.id, kept + index),
    live: false,
    recordId: before.id,
    subjectId: '',
    objectId: null,
    predicate: relation.predicate,
    validFromMs: null,
    validToMs: null,
    content: EMPTY,
  }))
}

function linkId(recordId: string, index: number): string {
  return `${recordId}:${index}`
}

function toEntityRows(
  changes: ReturnType<typeof createResolver>['changes'],
  { hash, known }: BatchContext,
): EntityRow[] {
  const rows: EntityRow[] = []
  for (const entity of changes.changed.values()) rows.push(toEntityRow(entity, hash))
  for (const id of changes.removed) rows.push({ id, live: false, type: '', mergedInto: null, keys: [], content: EMPTY })
  for (const { from, into, kind } of changes.merges) {
    if (kind !== 'split') rows.push(toMergedRow({ id: from, type: known.get(from)?.type ?? '' }, into))
  }
  return rows
}
