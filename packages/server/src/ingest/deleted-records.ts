import { encodeContent, recordKey, type StoredContent, withoutFields } from '@cairnstore/engine/resolve'
import type { KeyHash } from '@cairnstore/engine/text'
import { sql } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { sha256 } from '../base/digest.ts'
import { newId } from '../base/id.ts'
import { ofSandbox, sandboxColumns } from '../db/of-sandbox.ts'
import type { Sql, Tx } from '../db/open.ts'
import type { Row } from '../db/tables.ts'
import type { ContentCipher, KeyChange } from '../tenancy/caller-keys/content-cipher.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { DeletedMark, DeletedMarks, IncomingRecord, SourceDeletion } from './batch-shape.ts'
import { isBeforeDeletion, isOlder, storedContent } from './last-versions.ts'

/** A record with its source and project. */
interface LocatedContent {
  sourceId: string | null
  projectId: string | null
  content: StoredContent
}

/**
 * `name` is the digest of a record's source and external id, `said` that of its content. Rows store keyed hashes of
 * them. A source's deletion has no content.
 */
type Digests = { name: string; said?: string }

function digestsOf({ sourceId, projectId, content }: LocatedContent): Required<Digests> {
  // Not compared: the version's time, the event's time, which may be unknown, and derived fields.
  const { as_of: _, occurred_at: __, mentions: ___, blocks: ____, ...compared } = withoutFields(content)
  return {
    name: nameDigest(sourceId, content.external_id),
    said: sha256(Buffer.concat([encodeContent(compared), Buffer.from(`\n${projectId ?? ''}`)])).toString('hex'),
  }
}

function nameDigest(sourceId: string | null, externalId: string): string {
  return sha256(recordKey(sourceId, externalId)).toString('hex')
}

function keyOf(hash: KeyHash, { origin, content }: IncomingRecord): number {
  return hash(nameDigest(origin.sourceId, content.external_id))
}

/** Returns the tombstones of these records, by the hash of source and external id. */
export async function readMarks(
  control: Pick<Sql, 'transact'>,
  { userId, sandboxId }: SandboxRef,
  hash: KeyHash,
  incoming: readonly IncomingRecord[],
): Promise<DeletedMarks> {
  const keys = [...new Set(incoming.map((record) => keyOf(hash, record)))]
  if (keys.length === 0) return new Map()
  const rows = await control.transact(userId, (tx) =>
    tx
      .selectFrom('deleted_record')
      .select(['record_key', 'record_id', 'digest', 'as_of', 'occurred_at'])
      .where(ofSandbox({ userId, sandboxId }))
      .where('record_key', '=', (is) => is.fn.any(is.val(keys)))
      .execute(),
  )
  return new Map(
    rows.map((row) => [
      row.record_key,
      { recordId: row.record_id, digest: row.digest, asOf: row.as_of, occurredAt: row.occurred_at },
    ]),
  )
}

/** Returns the tombstone of a record that is not stored. */
export function markOf(marks: DeletedMarks, hash: KeyHash, record: IncomingRecord): DeletedMark | undefined {
  return marks.size === 0 ? undefined : marks.get(keyOf(hash, record))
}

/**
 * Returns true if a record stays deleted. If a user deleted it, it stays deleted while its content is the same or its
 * version is older. If its source deleted it, it stays deleted unless its version is newer than the deletion. A newer
 * version means that it was created again at the source.
 */
export function isStillDeleted(
  { digest, asOf, occurredAt }: DeletedMark,
  hash: KeyHash,
  record: IncomingRecord,
): boolean {
  if (record.deleted) return false
  if (digest === null) return isBeforeDeletion(record, asOf ?? undefined)
  const content = storedContent(record)
  if (asOf !== null && isOlder(content, { ...content, as_of: asOf })) return true
  if (!record.isTimeAssumed && (content.occurred_at ?? null) !== occurredAt) return false
  const { phase: _, owner: __, due: ___, kind: ____, ...undeclared } = content
  // The digest of a record that was deleted before connectors sent status fields does not include them.
  return [content, undeclared].some((each) => {
    const located = { sourceId: record.origin.sourceId, projectId: record.projectId, content: each }
    return hash(digestsOf(located).said) === digest
  })
}

/** Stores a tombstone for a record that a user deleted, in the transaction that removes the record. */
export async function markDeleted(
  tx: Tx,
  sandbox: SandboxRef,
  record: LocatedContent & { id: string },
  { hash, seal, at }: { hash: KeyHash; seal: ContentCipher | undefined; at: Date },
): Promise<void> {
  const digests = digestsOf(record)
  await tx
    .insertInto('deleted_record')
    .values({
      ...sandboxColumns(sandbox),
      record_id: record.id,
      source_id: record.sourceId,
      as_of: record.content.as_of ?? null,
      occurred_at: record.content.occurred_at ?? null,
      deleted_at: at,
      ...hashed(record.id, digests, hash, seal),
    })
    .execute()
}

/** Maximum number of tombstones per sandbox for deletions that sources reported. The oldest are removed first. */
const SOURCE_DELETIONS_MAX = 50_000

/**
 * Stores tombstones for records that their sources deleted, in the transaction that removes the records. An existing
 * tombstone is kept and gets the later of the two deletion times.
 */
export async function markSourceDeletions(
  tx: Tx,
  { userId, sandboxId }: SandboxRef,
  deletions: readonly SourceDeletion[],
  {
    hash,
    seal,
    at,
    max = SOURCE_DELETIONS_MAX,
  }: { hash: KeyHash; seal: ContentCipher | undefined; at: Date; max?: number },
): Promise<void> {
  if (deletions.length === 0) return
  await tx
    .insertInto('deleted_record')
    .values(
      deletions.map(({ recordId, sourceId, externalId, asOf }) => ({
        user_id: userId,
        sandbox_id: sandboxId,
        record_id: recordId,
        source_id: sourceId,
        as_of: asOf,
        occurred_at: null,
        deleted_at: at,
        ...hashed(recordId, { name: nameDigest(sourceId, externalId) }, hash, seal),
      })),
    )
    .onConflict((is) =>
      is.columns(['user_id', 'sandbox_id', 'record_id']).doUpdateSet({
        as_of: sql`greatest(coalesce(deleted_record.as_of, ''), excluded.as_of)`,
      }),
    )
    .execute()
  const oldest = tx
    .selectFrom('deleted_record')
    .select('record_id')
    .where(ofSandbox({ userId, sandboxId }))
    .where('digest', 'is', null)
    .orderBy('deleted_at', 'desc')
    .offset(max)
  await marksIn(tx, { userId, sandboxId }).where('digest', 'is', null).where('record_id', 'in', oldest).execute()
}

function hashed(id: string, digests: Digests, hash: KeyHash, cipher: ContentCipher | undefined) {
  return {
    record_key: hash(digests.name),
    digest: digests.said === undefined ? null : hash(digests.said),
    sealed: cipher ? cipher.encrypt(associatedDataOf(id), Buffer.from(JSON.stringify(digests))) : null,
  }
}

function associatedDataOf(recordId: string): string {
  return `deleted/${recordId}`
}

/** Deletes the tombstones of records whose source has sent new content. */
export async function deleteMarks(tx: Tx, sandbox: SandboxRef, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return
  await marksIn(tx, sandbox)
    .where('record_id', '=', (is) => is.fn.any(is.val(recordIds)))
    .execute()
}

/**
 * Schedules a scrub of the database's files, in the transaction that removes repeated records from the inbox. The
 * content of these deleted records was written to the database log when it arrived, and would remain there.
 */
export async function scrubAfter(
  tx: Tx,
  sandbox: SandboxRef,
  recordIds: readonly string[],
  clock: Clock,
): Promise<void> {
  const [recordId] = recordIds
  if (recordId === undefined) return
  await tx
    .insertInto('erasure')
    .values({
      user_id: sandbox.userId,
      id: newId('job', clock),
      sandbox_id: sandbox.sandboxId,
      source_id: null,
      record_id: recordId,
      counts: {},
      erased_at: sql<Date>`now()`,
      scrubbed_at: null,
    })
    .execute()
}

/** Deletes the tombstones of a purged source. Records that it sends later count as new. */
export async function deleteMarksOfSource(tx: Tx, sandbox: SandboxRef, sourceId: string): Promise<void> {
  await marksIn(tx, sandbox).where('source_id', '=', sourceId).execute()
}

function marksIn(tx: Tx, { userId, sandboxId }: SandboxRef) {
  return tx.deleteFrom('deleted_record').where(ofSandbox({ userId, sandboxId }))
}

/** Re-encrypts the sandbox's tombstones with another key, in the transaction that changes the key. */
export async function reencryptMarks(
  tx: Tx,
  { userId, sandboxId }: SandboxRef,
  { before, after }: KeyChange,
): Promise<void> {
  const sandboxKey = { user_id: userId, sandbox_id: sandboxId }
  const rows: Pick<Row<'deleted_record'>, 'record_id' | 'sealed'>[] = await tx
    .selectFrom('deleted_record')
    .select(['record_id', 'sealed'])
    .where((is) => is.and(sandboxKey))
    .execute()
  for (const { record_id: id, sealed } of rows) {
    if (sealed === null) continue
    const digests = JSON.parse(before.decrypt(associatedDataOf(id), sealed).toString()) as Digests
    await tx
      .updateTable('deleted_record')
      .set(hashed(id, digests, after.hash, after))
      .where((is) => is.and({ ...sandboxKey, record_id: id }))
      .execute()
  }
}
