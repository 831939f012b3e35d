import { decodeContent, type StoredContent } from '@cairnstore/engine/resolve'
import { sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { Applier } from '../../ingest/applier.ts'
import { buildBatch } from '../../ingest/batch.ts'
import { batchContext } from '../../ingest/batch-context.ts'
import type { Batch, IncomingRecord, StorageQuota } from '../../ingest/batch-shape.ts'
import { storedBefore } from '../../ingest/commit-entities.ts'
import { deleteMarksOfSource } from '../../ingest/deleted-records.ts'
import { deleteFiles } from '../../ingest/files/store-files.ts'
import { endUploadsOf } from '../../sources/import/stored/upload-rows.ts'
import { changesOf } from '../../store/changes.ts'
import { type HeadSize, type Lease, moveHead, takeLease, withHeldKey } from '../../store/lease.ts'
import { decryptEvidence, encryptEvidence } from '../../store/merge-ledger.ts'
import { forgetSuggestions } from '../../store/merge-suggestions.ts'
import { endOriginalsOfSource } from '../../store/original-rows.ts'
import type { Planes } from '../../store/planes.ts'
import type { RecordText } from '../../store/port.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { addToCounts, deleteStoredReplies, markErased } from './store.ts'

/** Maximum number of records that are removed per commit, so that questions and other sandboxes are hardly delayed. */
export const BATCH_RECORDS = 1_000

const PURGED_MESSAGE = 'The source was purged before these records were applied.'

/** A purge of a source's data. */
export type Purge = Row<'erasure'> & { source_id: string }

/**
 * Purges a source's data in steps. Deletes its inbox rows, removes its records in bounded commits, and then copies the
 * live data to new datasets without older versions. Other work in the sandbox runs between the steps, and the purge can
 * be resumed at any of them. Returns false if another process holds the lease, this process does not hold the sandbox's
 * key, or the program stops.
 */
export async function purgeRecords(
  planes: Planes,
  applier: Applier,
  purge: Purge,
  stopping: AbortSignal,
): Promise<boolean> {
  const release = await retainKey(planes, sandboxOf(purge))
  if (!release) return false
  try {
    return await purgeWithKey(planes, applier, purge, stopping)
  } finally {
    release()
  }
}

async function purgeWithKey(planes: Planes, applier: Applier, purge: Purge, stopping: AbortSignal): Promise<boolean> {
  const exclusively = <T>(work: () => Promise<T>) => applier.runExclusive(purge.sandbox_id, work)
  const started = await exclusively(() => startPurge(planes, purge))
  if (!started) return false
  const { ids, upToSeq } = started
  for (let from = 0; from < ids.length; from += BATCH_RECORDS) {
    if (stopping.aborted) return false
    const batch = ids.slice(from, from + BATCH_RECORDS)
    if (!(await exclusively(() => removeRecords(planes, purge, batch, upToSeq)))) return false
    // Lets waiting work on the sandbox run.
    await new Promise((resolve) => setImmediate(resolve))
  }
  const files = await exclusively(() => compactForPurge(planes, sandboxOf(purge)))
  if (files === undefined) return false
  const replies = await deleteStoredReplies(planes, purge.user_id, purge.source_id)
  await planes.sql.transact(purge.user_id, (tx) => addToCounts(tx, refOf(purge), { sql: replies, objects: files }))
  await markErased(planes, refOf(purge))
  return true
}

interface StartedPurge {
  ids: string[]
  upToSeq: number
}

/** Stores the commit up to which records are removed, and deletes the inbox rows. Later records stay. */
async function startPurge(planes: Planes, purge: Purge): Promise<StartedPurge | undefined> {
  const started = await planes.sql.transact(purge.user_id, async (tx) => {
    const lease = await takeLease(tx, sandboxOf(purge), planes)
    if (!lease) return undefined
    if (purge.up_to_seq !== null) return { lease, upToSeq: purge.up_to_seq }
    await addToCounts(tx, refOf(purge), { sql: await emptyInbox(planes, tx, purge) })
    await endUploadsOf(tx, planes, sandboxOf(purge), { sourceId: purge.source_id, cancelled: PURGED_MESSAGE })
    await deleteMarksOfSource(tx, sandboxOf(purge), purge.source_id)
    await deleteFiles(tx, sandboxOf(purge), { source_id: purge.source_id })
    await endOriginalsOfSource(tx, sandboxOf(purge), purge.source_id)
    await tx
      .updateTable('erasure')
      .set({ up_to_seq: lease.head.seq })
      .where('user_id', '=', purge.user_id)
      .where('id', '=', purge.id)
      .execute()
    return { lease, upToSeq: lease.head.seq }
  })
  if (!started) return undefined
  const { lease, upToSeq } = started
  const store = await planes.knowledge.store(lease)
  return { ids: await store.recordIdsOf(lease.head, purge.source_id, upToSeq), upToSeq }
}

/** Deletes a source's inbox rows and cancels its jobs. Returns the number of deleted rows. */
export async function emptyInbox(planes: Planes, tx: Tx, purge: Purge): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with emptied as (
      delete from inbox
      where user_id = ${purge.user_id} and sandbox_id = ${purge.sandbox_id} and source_id = ${purge.source_id}
      returning id
    ), failed_deliveries as (
      update delivery set fate = 'failed', reason = 'source_purged'
      where user_id = ${purge.user_id} and sandbox_id = ${purge.sandbox_id} and source_id = ${purge.source_id}
        and inbox_id in (select id from emptied)
    )
    select id from emptied`.execute(tx)
  const ofSource = tx.updateTable('job').where(ofSandbox(purge, { source_id: purge.source_id }))
  // Errors contain external ids, which count as content.
  await ofSource.set({ result: sql`result || '{"errors": []}'` }).where('result', 'is not', null).execute()
  await ofSource
    .set({ status: 'cancelled', pending_chunks: 0, error_message: PURGED_MESSAGE, completed_at: planes.clock.now() })
    .where('pending_chunks', '>', 0)
    .execute()
  return rows.length
}

/** Removes the versions of these records up to `upToSeq` in one commit. Returns false if the lease was lost. */
export async function removeRecords(planes: Planes, purge: Purge, ids: string[], upToSeq: number): Promise<boolean> {
  const lease = await takePurgeLease(planes, purge)
  if (!lease) return false
  const view = await planes.knowledge.view(lease, lease.head)
  const rows = ids.flatMap((id) => view.rowOf(id) ?? [])
  const stored = [...(await view.store.recordsAt(lease.head, rows)).values()].filter((row) => row.seq <= upToSeq)
  if (stored.length === 0) return true
  const batch = await buildRemovalBatch(view, stored, planes.clock)
  const counts = {
    records: batch.records.length,
    entities: batch.entities.filter((entity) => !entity.live).length,
    links: (
      await view.store.linksOfRecords(
        lease.head,
        stored.map((row) => row.id),
      )
    ).length,
  }
  const changes = changesOf(batch, storedBefore(view, batch))
  const head = await view.store.commit(lease.head, batch)
  const isMoved = await planes.sql.transact(lease.userId, async (tx) => {
    const { hasComparable } = batch
    const commitsSinceCompaction = lease.commitsSinceCompaction + 1
    const move = { commitsSinceCompaction, changes, hasComparable, ...sizeAfter(lease, batch) }
    if (!(await moveHead(tx, lease, head, move))) return false
    await addToCounts(tx, refOf(purge), counts)
    return true
  })
  if (isMoved) planes.knowledge.committed(lease, head)
  return isMoved
}

async function takePurgeLease(planes: Planes, purge: Purge): Promise<Lease | undefined> {
  const lease = await planes.sql.transact(purge.user_id, (tx) => takeLease(tx, sandboxOf(purge), planes))
  return lease && withHeldKey(planes.seals, lease)
}

function sandboxOf(purge: Purge) {
  return { userId: purge.user_id, sandboxId: purge.sandbox_id }
}

function refOf(purge: Purge) {
  return { userId: purge.user_id, id: purge.id }
}

/** Removals need no storage quota. */
const UNLIMITED: StorageQuota = { records: null, bytes: null }

/** Returns the batch that removes these records, and all entity keys that no other record declares. */
export async function buildRemovalBatch(
  view: SandboxView,
  stored: readonly RecordText[],
  clock: Clock,
): Promise<Batch> {
  const incoming = stored.map((row): IncomingRecord => {
    const content = decodeContent<StoredContent>(row.content)
    const origin = { sourceId: row.sourceId, provider: content.provider }
    return { content, origin, projectId: null, deleted: true, things: [], mentioned: [], line: 0 }
  })
  const inputs = { decisions: [], quota: UNLIMITED, links: new Set<string>(), marks: new Map() }
  return buildBatch(incoming, await batchContext(view, incoming, inputs, clock))
}

/** Returns the size of the head after a batch; empty if the size has not been counted yet. */
export function sizeAfter({ size }: Lease, { added, addedBytes }: Batch): { size?: HeadSize } {
  return size ? { size: { records: size.records + added, bytes: size.bytes + addedBytes } } : {}
}

/**
 * Copies the live data of a sandbox to new datasets and deletes the old ones with all older versions. Returns the
 * number of deleted files, or undefined if the lease was lost. Runs between batches.
 */
export async function compactForPurge(planes: Planes, sandbox: SandboxRef): Promise<number | undefined> {
  const taken = await planes.sql.transact(sandbox.userId, (tx) => takeLease(tx, sandbox, planes))
  if (!taken) return undefined
  const lease = withHeldKey(planes.seals, taken)
  if (lease.head.seq === 0) return 0
  const store = await planes.knowledge.store(lease)
  await removeEvidenceKeys(planes, await planes.knowledge.view(lease, lease.head), lease)
  const head = await store.purge(lease.head)
  const move = { commitsSinceCompaction: 0, changes: null }
  if (!(await planes.sql.transact(lease.userId, (tx) => moveHead(tx, lease, head, move)))) return undefined
  // Builds the new graph while the old one answers questions. Then removes the old rows from memory.
  await planes.knowledge.view(lease, head)
  planes.knowledge.forgetRecords(lease)
  return await store.sweep(head)
}

/**
 * Keeps the sandbox's customer-managed key in memory until the returned function is called. Returns undefined if this
 * process does not hold the key.
 */
export async function retainKey(planes: Planes, { userId, sandboxId }: SandboxRef): Promise<(() => void) | undefined> {
  const head = await planes.sql.transact(userId, (tx) =>
    tx.selectFrom('sandbox_head').select('key_epoch').where(ofSandbox({ userId, sandboxId })).executeTakeFirst(),
  )
  if (!head?.key_epoch) return () => undefined
  const seal = planes.seals.find(sandboxId, head.key_epoch)
  return seal && planes.seals.hold(seal)
}

/**
 * Removes keys from the evidence of merges that no live record contains. The merges stay. Deletes suggestions for
 * entities without records.
 */
async function removeEvidenceKeys(planes: Planes, view: SandboxView, place: SandboxRef): Promise<void> {
  await planes.sql.transact(place.userId, async (tx) => {
    await forgetSuggestions(tx, place, (partId) => view.graph.containsEntity(view.canonical(partId), null))
    const merges = await tx.selectFrom('merge_ledger').select(['id', 'evidence']).where(ofSandbox(place)).execute()
    for (const { id, evidence: stored } of merges) {
      const evidence = decryptEvidence(id, stored, view.seal)
      const { keys = [] } = evidence as { keys?: string[] }
      const declared = keys.filter((key) => view.graph.countDeclaring(view.hash(key), null) > 0)
      if (declared.length === keys.length) continue
      await tx
        .updateTable('merge_ledger')
        .set({ evidence: encryptEvidence(id, { ...evidence, keys: declared }, view.seal) })
        .where(ofSandbox(place, { id }))
        .execute()
    }
  })
}
