import type { Limits, Tier } from '@cairnstore/contract'
import {
  type Decision,
  declarationsOf,
  type ExtractionOptions,
  enrichContent,
  mentionDeclarations,
} from '@cairnstore/engine/resolve'
import { sql } from 'kysely'
import { Fault } from '../base/fault.ts'
import { createYieldPoint } from '../base/yield-point.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { Row } from '../db/tables.ts'
import { changesOf } from '../store/changes.ts'
import type { Growth } from '../store/graph-memory-quota.ts'
import { dropLease, type HeadSize, type Lease, moveHead, takeLease, withHeldKey } from '../store/lease.ts'
import { measureHead } from '../store/measure-head.ts'
import { insertMerges } from '../store/merge-ledger.ts'
import { originalBytes } from '../store/original-rows.ts'
import type { Planes } from '../store/planes.ts'
import { Fenced } from '../store/port.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { awaitKey } from './await-key.ts'
import { buildBatch } from './batch.ts'
import { batchContext } from './batch-context.ts'
import type { IncomingRecord, StorageQuota } from './batch-shape.ts'
import type { CommittedChange } from './commit-entities.ts'
import { storedBefore } from './commit-entities.ts'
import { deleteMarks, markSourceDeletions, readMarks, scrubAfter } from './deleted-records.ts'
import {
  type AppliedChunk,
  appliedDeliveries,
  countByJob,
  countOf,
  fatesWithoutJob,
  insertDeliveryJobs,
  insertFailedDeliveryJobs,
  storeFates,
} from './delivery-jobs.ts'
import { countAppliedFiles } from './files/store-files.ts'
import { addCounts, type Chunk, chunkOf, countApplied, type JobCounts, noCounts } from './inbox.ts'
import { projectLinks } from './last-versions.ts'
import { linkOriginals } from './link-originals.ts'

/** Maximum records per commit: enough to share its cost, few enough that other sandboxes need not wait long. */
const BATCH_RECORDS_MAX = 1_000
/**
 * Maximum bytes of payload per commit, unless a single row is larger. Processing needs about ten times as much memory.
 */
const BATCH_BYTES_MAX = 4 * 1024 * 1024
/** Milliseconds of work on a batch before it yields to questions. */
const SLICE_MS = 2
/** Maximum number of inbox rows that are considered for one batch. */
const BATCH_ROWS_MAX = 500
/** Number of failed attempts after which a chunk is given up. It stays in the inbox, and its job fails. */
export const ATTEMPTS_MAX = 5

/** Result of one scheduler slot of a sandbox. */
export interface BatchOutcome {
  applied: number
  /** Summary of the commit, if there was one. */
  changed?: CommittedChange
  /** Counts of the records by outcome, if a batch was committed. */
  counts?: JobCounts
  completedJobs: string[]
  /** True if more work may wait. False if there is none, or if another process holds the lease and will find it. */
  again: boolean
  /** True if there is work and another process holds the lease. */
  isLeased?: boolean
  /** True if the work needs a customer-managed key that this process does not hold. */
  needsKey?: boolean
}

type InboxRow = Row<'inbox'>

/**
 * Applies one batch of a sandbox's inbox. Resolves the entities of its records and commits them to the datasets. Then
 * one transaction moves the head, removes the rows from the inbox and updates the jobs. If the process crashes at any
 * point before, the batch is still in the inbox.
 */
export async function applyBatch(planes: Planes, sandbox: SandboxRef): Promise<BatchOutcome> {
  const taken = await planes.sql.transact(sandbox.userId, (tx) => takeRows(planes, tx, sandbox))
  if (!taken || taken === 'leased') {
    return { applied: 0, completedJobs: [], again: false, isLeased: taken === 'leased' }
  }
  const { lease, tier, rows, isCut } = taken
  if (lease.head.keyEpoch !== null && !lease.seal) {
    await awaitKey(planes, sandbox)
    return { applied: 0, completedJobs: [], again: false, needsKey: true }
  }
  try {
    const outcome = await commitRows(planes, lease, planes.limits[tier], rows)
    return outcome.applied > 0 ? { ...outcome, again: isCut } : outcome
  } catch (cause) {
    if (await eraseIfDeleted(planes, sandbox)) return { applied: 0, completedJobs: [], again: false }
    // Another process took over the lease. The batch is still in the inbox, where that process finds it.
    if (cause instanceof Fenced) return { applied: 0, completedJobs: [], again: true }
    // If the store, disk or database is not available, the batch is not the cause and waits.
    if (!(cause instanceof Fault && cause.code === 'unavailable')) await countFailure(planes, rows)
    throw cause
  }
}

/** Inbox rows for one slot, and the sandbox's lease. */
interface TakenRows {
  lease: Lease
  tier: Tier
  rows: InboxRow[]
  /** True if further rows are waiting. */
  isCut: boolean
}

/**
 * Takes the lease and the first waiting rows. Returns undefined if there are none, and `leased` if another process has
 * the lease.
 */
async function takeRows(planes: Planes, tx: Tx, sandbox: SandboxRef): Promise<TakenRows | 'leased' | undefined> {
  const tier = await tierOf(tx, sandbox)
  if (!tier) return undefined
  // Payloads are read only for the rows that are taken, because a large delivery has megabytes of them.
  const waiting = await tx
    .selectFrom('inbox')
    .select(['id', 'record_count', 'attempts', sql<number>`octet_length(payload)`.as('bytes')])
    .where(ofSandbox(sandbox))
    .where('attempts', '<', ATTEMPTS_MAX)
    .orderBy('id')
    .limit(BATCH_ROWS_MAX)
    .execute()
  if (waiting.length === 0) return undefined
  const leased = await takeLease(tx, sandbox, planes)
  if (!leased) return 'leased'
  const lease = withHeldKey(planes.seals, leased)
  // Releases the lease, because another process may hold the key.
  if (lease.head.keyEpoch !== null && !lease.seal) await dropLease(tx, lease)
  // Reads the rows again under the lease. The previous holder may have applied some of them meanwhile.
  const ids = firstRows(waiting).map(({ id }) => id)
  const rows = await rowsOf(tx, sandbox, ids)
  const isCut = ids.length < waiting.length || waiting.length === BATCH_ROWS_MAX
  return rows.length === 0 ? undefined : { lease, tier, rows, isCut }
}

async function rowsOf(tx: Tx, sandbox: SandboxRef, ids: InboxRow['id'][]): Promise<InboxRow[]> {
  if (ids.length === 0) return []
  return tx
    .selectFrom('inbox')
    .selectAll()
    .where(ofSandbox(sandbox))
    .where('id', '=', (is) => is.fn.any(is.val(ids)))
    .orderBy('id')
    .execute()
}

/** A waiting row without its payload. */
interface WaitingRow extends Pick<InboxRow, 'id' | 'record_count' | 'attempts'> {
  readonly bytes: number
}

/** Returns the rows of the next batch: the first one, and further ones up to the limits. */
export function firstRows(waiting: readonly WaitingRow[]): WaitingRow[] {
  const rows: WaitingRow[] = []
  let records = 0
  let bytes = 0
  for (const row of waiting) {
    const isFull = records + row.record_count > BATCH_RECORDS_MAX || bytes + row.bytes > BATCH_BYTES_MAX
    // A chunk that failed before is applied separately, so that other chunks cannot fail because of it.
    if (rows.length > 0 && (isFull || row.attempts > 0)) break
    rows.push(row)
    records += row.record_count
    bytes += row.bytes
    if (row.attempts > 0) break
  }
  return rows
}

async function commitRows(planes: Planes, lease: Lease, limits: Limits, rows: InboxRow[]): Promise<BatchOutcome> {
  const chunks: AppliedChunk[] = []
  const decisions: Decision[] = []
  const yieldIfDue = createYieldPoint(SLICE_MS)
  for (const row of rows) {
    const chunk = chunkOf(row, lease.seal)
    const incoming: IncomingRecord[] = []
    for (const record of chunk.records) {
      incoming.push(toIncoming(row, chunk, record, planes.textExtraction))
      await yieldIfDue()
    }
    chunks.push({ row, incoming, event: chunk.event })
    decisions.push(...(chunk.decisions ?? []))
  }
  const incoming = chunks.flatMap((chunk) => chunk.incoming)
  const view = await planes.knowledge.view(lease, lease.head)
  const before = lease.size ?? (await measureHead(view.store, lease.head))
  const links = await projectLinks(planes.sql, lease, incoming)
  const marks = await readMarks(planes.sql, lease, view.hash, incoming)
  const used = await withOriginals(planes, lease, limits, before)
  const quota = quotaLeft(limits, used, planes.knowledge.graphs.growthOf(lease))
  const inputs = { decisions, quota, links, marks }
  const batch = await buildBatch(incoming, await batchContext(view, incoming, inputs, planes.clock), decisions)
  const changes = changesOf(batch, storedBefore(view, batch))
  const head = await view.store.commit(lease.head, batch)
  const now = planes.clock.now()
  const { hasComparable } = batch
  const commits = lease.commitsSinceCompaction + 1
  const size = { records: before.records + batch.added, bytes: before.bytes + batch.addedBytes }
  const completedJobs = await planes.sql.transact(lease.userId, async (tx) => {
    const move = { commitsSinceCompaction: commits, changes, size, hasComparable }
    if (!(await moveHead(tx, lease, head, move))) return undefined
    await tx
      .deleteFrom('inbox')
      .where(ofSandbox(lease))
      .where('id', '=', (is) => is.fn.any(is.val(rows.map((row) => row.id))))
      .execute()
    // Releases the lease, because another process may hold the key or get the next records.
    if (lease.head.keyEpoch !== null || !planes.cluster.isSettled(lease.sandboxId)) await dropLease(tx, lease)
    await insertMerges(tx, lease, batch.merges, planes.clock, lease.seal)
    await deleteMarks(tx, lease, batch.restored)
    await markSourceDeletions(tx, lease, batch.deletions, { hash: view.hash, seal: lease.seal, at: now })
    await scrubAfter(tx, lease, batch.stillDeleted, planes.clock)
    await stampSources(tx, lease, rows, now)
    await linkOriginals(tx, lease, incoming, batch)
    const completed: string[] = []
    const sealTo = lease.seal?.storedKey.publicKey
    await insertDeliveryJobs(tx, { ...lease, sealTo }, appliedDeliveries(chunks, batch), planes.clock)
    await storeFates(tx, lease, fatesWithoutJob(chunks, batch))
    for (const [jobId, { count, counts }] of countByJob(chunks, batch)) {
      if (await countApplied(tx, { ...lease, id: jobId, sealTo }, count, counts, now)) completed.push(jobId)
      const incomingOfJob = chunks.flatMap(({ row, incoming }) => (row.job_id === jobId ? incoming : []))
      await countAppliedFiles(tx, { ...lease, id: jobId }, incomingOfJob, batch, view.hash)
    }
    return completed
  })
  if (!completedJobs) return { applied: 0, completedJobs: [], again: !(await eraseIfDeleted(planes, lease)) }
  planes.knowledge.committed(lease, head)
  const counts = addCounts(noCounts(), countOf(incoming, batch))
  const applied = incoming.length + decisions.length
  const changed = { commits, records: applied, totalRecords: size.records, isRemoving: counts.removed > 0 }
  return { applied, changed, counts, completedJobs, again: true }
}

/**
 * Erases a sandbox again if it was deleted while files were written to it, because these would remain. Returns true if
 * it was deleted.
 */
export async function eraseIfDeleted(planes: Planes, sandbox: SandboxRef): Promise<boolean> {
  if (await planes.sql.transact(sandbox.userId, (tx) => exists(tx, sandbox))) return false
  await planes.knowledge.erase(sandbox)
  return true
}

async function tierOf(tx: Tx, sandbox: SandboxRef): Promise<Tier | undefined> {
  const row = await tx
    .selectFrom('sandbox')
    .select('tier')
    .where('user_id', '=', sandbox.userId)
    .where('id', '=', sandbox.sandboxId)
    .executeTakeFirst()
  return row?.tier
}

async function exists(tx: Tx, sandbox: SandboxRef): Promise<boolean> {
  const row = await tx.selectFrom('sandbox_head').select('sandbox_id').where(ofSandbox(sandbox)).executeTakeFirst()
  return row !== undefined
}

async function stampSources(tx: Tx, lease: Lease, rows: InboxRow[], now: Date): Promise<void> {
  const sourceIds = [...new Set(rows.flatMap((row) => row.source_id ?? []))]
  if (sourceIds.length === 0) return
  await tx
    .updateTable('source')
    .set({ last_sync_at: now })
    .where(ofSandbox(lease))
    .where('id', '=', (is) => is.fn.any(is.val(sourceIds)))
    .execute()
}

/** Counts the failed attempt. Fails the jobs of chunks that are not retried. */
async function countFailure(planes: Planes, rows: InboxRow[]): Promise<void> {
  const [first] = rows
  if (!first) return
  await planes.sql.transact(first.user_id, async (tx) => {
    const ids = rows.map((row) => row.id)
    await tx
      .updateTable('inbox')
      .set((is) => ({ attempts: is('attempts', '+', 1) }))
      .where(ofSandbox(first))
      .where('id', 'in', ids)
      .execute()
    const jobIds = [...new Set(rows.flatMap((row) => row.job_id ?? []))]
    const isLast = rows.some((row) => row.attempts + 1 >= ATTEMPTS_MAX)
    const lost = isLast ? rows.filter((row) => row.job_id === null) : []
    await insertFailedDeliveryJobs(tx, lost, APPLY_FAILED_MESSAGE, planes.clock)
    if (jobIds.length === 0) return
    await tx
      .updateTable('job')
      .set((is) => ({
        retry_count: is('retry_count', '+', 1),
        ...(isLast && {
          status: 'failed' as const,
          error_message: APPLY_FAILED_MESSAGE,
          completed_at: planes.clock.now(),
        }),
      }))
      .where(ofSandbox(first))
      .where('id', 'in', jobIds)
      .execute()
  })
}

const APPLY_FAILED_MESSAGE = 'Applying the records failed repeatedly. They are still stored; the log has the cause.'

function toIncoming(
  row: InboxRow,
  { provider, within }: Chunk,
  record: Chunk['records'][number],
  read: ExtractionOptions,
): IncomingRecord {
  const origin = { sourceId: row.source_id, provider }
  const content = record.deleted ? record.content : enrichContent(record.content, read)
  const extracted = { things: declarationsOf(content, origin), mentioned: mentionDeclarations(content) }
  return { ...record, origin, ...(within !== undefined && { within }), content, ...extracted }
}

/** Adds the size of the sandbox's original files to the size, if its storage is limited. */
async function withOriginals({ sql }: Planes, lease: Lease, limits: Limits, size: HeadSize): Promise<HeadSize> {
  if (limits.max_storage_bytes === null) return size
  return { ...size, bytes: size.bytes + (await sql.transact(lease.userId, (tx) => originalBytes(tx, lease))) }
}

/** Returns the growth that the limits of the tier and the memory quota still allow. */
function quotaLeft(
  { max_records: records, max_storage_bytes: bytes }: Limits,
  size: HeadSize,
  growth: Growth,
): StorageQuota {
  const left = (limit: number | null, used: number) =>
    limit === null ? Number.POSITIVE_INFINITY : Math.max(0, limit - used)
  return {
    records: Math.min(left(records, size.records), growth.records),
    bytes: Math.min(left(bytes, size.bytes), growth.bytes),
  }
}
