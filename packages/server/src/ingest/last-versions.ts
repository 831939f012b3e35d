import {
  decodeContent,
  encodeContent,
  type RecordContent,
  recordKey,
  type StoredContent,
} from '@cairnstore/engine/resolve'
import { SECOND_HAND_AS_OF } from '../base/second-hand.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Sql } from '../db/open.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { Batch, BatchContext, IncomingRecord, ProjectLinks, StoredRecord } from './batch-shape.ts'

/** Returns the key of a link between a source and a project. */
export function linkKey(projectId: string, sourceId: string): string {
  return `${projectId} ${sourceId}`
}

/** Returns the stored version of a record. Hashed keys can collide, so the external id is compared too. */
export function storedVersion(context: BatchContext, key: string, record: IncomingRecord): StoredRecord | undefined {
  const before = context.stored(key)
  const isSame = before && decodeContent<StoredContent>(before.content).external_id === record.content.external_id
  return isSame ? before : undefined
}

/** Returns true if a version is known to be older than another. Deliveries can arrive in the wrong order. */
export function isOlder({ as_of: at }: RecordContent, than: RecordContent): boolean {
  if (at === SECOND_HAND_AS_OF) return than.as_of !== at
  return at !== undefined && than.as_of !== undefined && at < than.as_of
}

/** Returns the time at which the source deleted the record; undefined if it is unknown. */
export function deletionTime({ deleted, deletedAt, content }: IncomingRecord): string | undefined {
  return deleted ? (deletedAt ?? content.as_of) : undefined
}

/** Returns true if a version is not newer than the deletion; false for a version without a time. */
export function isBeforeDeletion({ deleted, content }: IncomingRecord, deletedAt: string | undefined): boolean {
  return !deleted && deletedAt !== undefined && content.as_of !== undefined && content.as_of <= deletedAt
}

/** Moves the time of a deletion to that of the deleted version if it is earlier. The clocks of sources may differ. */
function deleteAfter(record: IncomingRecord, known: IncomingRecord | undefined): void {
  const at = deletionTime(record)
  const latest = known && (deletionTime(known) ?? known.content.as_of)
  if (at !== undefined && latest !== undefined && at < latest) record.deletedAt = latest
}

/**
 * Returns for each record the version that is used. Repeated and older versions change nothing. A version that would
 * replace one outside its sender's project is rejected, and the stored one stays. If the sender removes such a record,
 * the result is the same as for a record that does not exist, so the sender cannot learn that it does.
 */
export function lastVersions(
  incoming: IncomingRecord[],
  { unchanged, refused }: Batch,
  context: BatchContext,
): Map<string, IncomingRecord> {
  const last = new Map<string, IncomingRecord>()
  const withdrawn = new Map<string, IncomingRecord>()
  for (const record of incoming) {
    const key = recordKey(record.origin.sourceId, record.content.external_id)
    const before = last.get(key)
    const isOut = isOutsideProject(context, key, record, before)
    const versions = isOut ? withdrawn : last
    const known = versions.get(key)
    if (isOut && !record.deleted) refused.set(record, 'outside_project')
    else if (known && (isSuperseded(record, known) || isRepeat(known, record))) unchanged.add(record)
    else {
      deleteAfter(record, known)
      versions.set(key, record)
    }
  }
  return last
}

function isSuperseded(record: IncomingRecord, known: IncomingRecord): boolean {
  return isOlder(record.content, known.content) || isBeforeDeletion(record, deletionTime(known))
}

/** Returns true if a record would replace a version, stored or in the batch, outside its sender's project. */
function isOutsideProject(context: BatchContext, key: string, record: IncomingRecord, last?: IncomingRecord): boolean {
  const { within, origin } = record
  if (within === undefined) return false
  const stored = storedVersion(context, key, record)
  const isLate = last && stored && isOlder(last.content, decodeContent(stored.content))
  const replaced = last && !isLate ? last : stored
  if (!replaced || ('deleted' in replaced && replaced.deleted)) return false
  if (replaced.projectId) return replaced.projectId !== within
  return origin.sourceId === null || !context.links.has(linkKey(within, origin.sourceId))
}

function isRepeat(before: IncomingRecord, record: IncomingRecord): boolean {
  if (before.deleted !== record.deleted || before.projectId !== record.projectId) return false
  return Buffer.compare(encodeContent(storedContent(before)), encodeContent(storedContent(record))) === 0
}

export function storedContent({ content, origin }: IncomingRecord): StoredContent {
  return { ...content, provider: origin.provider }
}

/** Returns the links between sources and the projects that senders of these records are limited to, if any. */
export async function projectLinks(
  sql: Pick<Sql, 'transact'>,
  { userId, sandboxId }: SandboxRef,
  incoming: readonly IncomingRecord[],
): Promise<ProjectLinks> {
  const projects = [...new Set(incoming.flatMap(({ within }) => within ?? []))]
  if (projects.length === 0) return new Set()
  const links = await sql.transact(userId, (tx) =>
    tx
      .selectFrom('project_source')
      .select(['project_id', 'source_id'])
      .where(ofSandbox({ userId, sandboxId }))
      .where('project_id', '=', (is) => is.fn.any(is.val(projects)))
      .execute(),
  )
  return new Set(links.map((link) => linkKey(link.project_id, link.source_id)))
}
