import type { Limits, Tier } from '@cairnstore/contract'
import { type Decision, declaredThings, mentionedThings, type ReadOfTexts, readText } from '@cairnstore/engine/resolve'
import { Fault } from '../base/fault.ts'
import { createYieldPoint } from '../base/yield-point.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { Row } from '../db/tables.ts'
import { changesOf } from '../store/changes.ts'
import type { Growth } from '../store/graph-room.ts'
import { dropLease, type HeadSize, type Lease, moveHead, takeLease, withSeal } from '../store/lease.ts'
import { measureHead } from '../store/measure-head.ts'
import { insertMerges } from '../store/merge-ledger.ts'
import type { Planes } from '../store/planes.ts'
import { Fenced } from '../store/port.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { awaitKey } from './await-key.ts'
import { buildBatch } from './batch.ts'
import { batchContext } from './batch-context.ts'
import type { IncomingRecord, Room } from './batch-shape.ts'
import type { Changed } from './commit-entities.ts'
import { storedBefore } from './commit-entities.ts'
import { forgetMarks, markSourceDeletions, readMarks, scrubAfter } from './deleted-records.ts'
import {
  type AppliedChunk,
  appliedDeliveries,
  byJob,
  countOf,
  insertDeliveryJobs,
  insertFailedDeliveryJobs,
  noteFates,
  otherFates,
} from './delivery-jobs.ts'
import { countAppliedFiles } from './files/note-files.ts'
import { addCounts, type Chunk, chunkOf, countApplied, type JobCounts, noCounts } from './inbox.ts'
import { projectLinks } from './last-versions.ts'

/** Records of one commit: large enough to share its cost, small enough that no sandbox keeps the others waiting. */
const BATCH_RECORDS_MAX = 1_000
/** Questions wait at most so long for a batch that is being read. */
const SLICE_MS = 2
/** Rows of the inbox looked at for one batch. */
const BATCH_ROWS_MAX = 500
/** A chunk that failed this often is left in the inbox, and its job says so. */
export const ATTEMPTS_MAX = 5

/** What one turn on a sandbox came to. */
export interface TurnOutcome {
  applied: number
  /** What a commit did, when there was one. */
  changed?: Changed
  /** What became of the records, when a batch was committed. */
  counts?: JobCounts
  completedJobs: string[]
  /** More may wait; false when nothing does, or another process holds the lease: it looks for what waits itself. */
  again: boolean
  /** Something waits, and another process holds the lease. */
  isLeased?: boolean
  /** What waits is under a key that nobody holds. */
  needsKey?: boolean
}

type InboxRow = Row<'inbox'>

/**
 * Applies one batch of a sandbox's inbox: resolves it, commits it to the datasets, and in one transaction moves the
 * head, empties the inbox of it and counts it to its jobs. A crash anywhere leaves the batch in the inbox.
 */
export async function applyBatch(planes: Planes, sandbox: SandboxRef): Promise<TurnOutcome> {
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
    const turn = await commitRows(planes, lease, planes.limits[tier], rows)
    return turn.applied > 0 ? { ...turn, again: isCut } : turn
  } catch (cause) {
    if (await eraseIfDeleted(planes, sandbox)) return { applied: 0, completedJobs: [], again: false }
    // Another process took the lease over; the batch is still in the inbox, for whoever holds it next.
    if (cause instanceof Fenced) return { applied: 0, completedJobs: [], again: true }
    // A store, a disk or a database that cannot serve says nothing about the batch, which waits until it can.
    if (!(cause instanceof Fault && cause.code === 'unavailable')) await countFailure(planes, rows)
    throw cause
  }
}

/** What a turn works on: rows under the sandbox's lease. */
interface Taken {
  lease: Lease
  tier: Tier
  rows: InboxRow[]
  /** More waits. */
  isCut: boolean
}

/** Takes the lease and the first rows that wait; undefined when there are none, `leased` while another has it. */
async function takeRows(planes: Planes, tx: Tx, sandbox: SandboxRef): Promise<Taken | 'leased' | undefined> {
  const tier = await tierOf(tx, sandbox)
  if (!tier) return undefined
  // What the rows hold is read of those alone that are taken: a large delivery waits in megabytes.
  const waiting = await tx
    .selectFrom('inbox')
    .select(['id', 'record_count', 'attempts'])
    .where(ofSandbox(sandbox))
    .where('attempts', '<', ATTEMPTS_MAX)
    .orderBy('id')
    .limit(BATCH_ROWS_MAX)
    .execute()
  if (waiting.length === 0) return undefined
  const leased = await takeLease(tx, sandbox, planes)
  if (!leased) return 'leased'
  const lease = withSeal(planes.seals, leased)
  // Another process may be brought the key.
  if (lease.head.keyEpoch !== null && !lease.seal) await dropLease(tx, lease)
  // Whoever had the lease before may have applied some of them since they were read.
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

/** A row that waits, without what it holds. */
type WaitingRow = Pick<InboxRow, 'id' | 'record_count' | 'attempts'>

function firstRows(waiting: WaitingRow[]): WaitingRow[] {
  const rows: WaitingRow[] = []
  let records = 0
  for (const row of waiting) {
    // A chunk that failed before goes alone, so that it cannot take others down with it.
    if (rows.length > 0 && (records + row.record_count > BATCH_RECORDS_MAX || row.attempts > 0)) break
    rows.push(row)
    records += row.record_count
    if (row.attempts > 0) break
  }
  return rows
}

async function commitRows(planes: Planes, lease: Lease, limits: Limits, rows: InboxRow[]): Promise<TurnOutcome> {
  const chunks: AppliedChunk[] = []
  const decisions: Decision[] = []
  const breathe = createYieldPoint(SLICE_MS)
  for (const row of rows) {
    const chunk = chunkOf(row, lease.seal)
    chunks.push({ row, incoming: toIncoming(row, chunk, planes.readOfTexts), event: chunk.event })
    decisions.push(...(chunk.decisions ?? []))
    await breathe()
  }
  const incoming = chunks.flatMap((chunk) => chunk.incoming)
  const view = await planes.knowledge.view(lease, lease.head)
  const before = lease.size ?? (await measureHead(view.store, lease.head))
  const links = await projectLinks(planes.sql, lease, incoming)
  const marks = await readMarks(planes.sql, lease, view.hash, incoming)
  const room = roomIn(limits, before, planes.knowledge.growthOf(lease))
  const given = { decisions, room, links, marks }
  const batch = await buildBatch(incoming, await batchContext(view, incoming, given, planes.clock), decisions)
  const changes = changesOf(batch, storedBefore(view, batch))
  const head = await view.store.commit(lease.head, batch)
  const now = planes.clock.now()
  const { hasComparable } = batch
  const commits = lease.commitsSinceUpkeep + 1
  const size = { records: before.records + batch.added, bytes: before.bytes + batch.addedBytes }
  const completedJobs = await planes.sql.transact(lease.userId, async (tx) => {
    const move = { commitsSinceUpkeep: commits, changes, size, hasComparable }
    if (!(await moveHead(tx, lease, head, move))) return undefined
    await tx
      .deleteFrom('inbox')
      .where(ofSandbox(lease))
      .where('id', '=', (is) => is.fn.any(is.val(rows.map((row) => row.id))))
      .execute()
    // Another process may be brought the key, or the next chunk.
    if (lease.head.keyEpoch !== null || !planes.cluster.isSettled(lease.sandboxId)) await dropLease(tx, lease)
    await insertMerges(tx, lease, batch.merges, planes.clock, lease.seal)
    await forgetMarks(tx, lease, batch.returned)
    await markSourceDeletions(tx, lease, batch.deletions, { hash: view.hash, seal: lease.seal, at: now })
    await scrubAfter(tx, lease, batch.keptOut, planes.clock)
    await stampSources(tx, lease, rows, now)
    const completed: string[] = []
    const sealTo = lease.seal?.kept.publicKey
    await insertDeliveryJobs(tx, { ...lease, sealTo }, appliedDeliveries(chunks, batch), planes.clock)
    await noteFates(tx, lease, otherFates(chunks, batch))
    for (const [jobId, { count, counts }] of byJob(chunks, batch)) {
      if (await countApplied(tx, { ...lease, id: jobId, sealTo }, count, counts, now)) completed.push(jobId)
      const brought = chunks.flatMap(({ row, incoming }) => (row.job_id === jobId ? incoming : []))
      await countAppliedFiles(tx, { ...lease, id: jobId }, brought, batch, view.hash)
    }
    return completed
  })
  if (!completedJobs) return { applied: 0, completedJobs: [], again: !(await eraseIfDeleted(planes, lease)) }
  planes.knowledge.committed(lease, head)
  const counts = addCounts(noCounts(), countOf(incoming, batch))
  const applied = incoming.length + decisions.length
  const changed = { commits, records: applied, recordsInAll: size.records, isRemoving: counts.removed > 0 }
  return { applied, changed, counts, completedJobs, again: true }
}

/** Erases again a sandbox that was deleted while its files were written, so that it does not come back as files. */
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

/** Counts the failed try, and tells the jobs of the chunks that will not be tried again. */
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
    await insertFailedDeliveryJobs(tx, lost, GIVEN_UP, planes.clock)
    if (jobIds.length === 0) return
    await tx
      .updateTable('job')
      .set((is) => ({
        retry_count: is('retry_count', '+', 1),
        ...(isLast && { status: 'failed' as const, error_message: GIVEN_UP, completed_at: planes.clock.now() }),
      }))
      .where(ofSandbox(first))
      .where('id', 'in', jobIds)
      .execute()
  })
}

const GIVEN_UP = 'Applying the records failed repeatedly. They are kept; the operator finds the cause in the log.'

function toIncoming(row: InboxRow, chunk: Chunk, read: ReadOfTexts): IncomingRecord[] {
  const origin = { sourceId: row.source_id, provider: chunk.provider }
  const beside = { origin, ...(chunk.within !== undefined && { within: chunk.within }) }
  return chunk.records.map((record) => {
    const content = record.deleted ? record.content : readText(record.content, read)
    const said = { things: declaredThings(content, origin), mentioned: mentionedThings(content) }
    return { ...record, ...beside, content, ...said }
  })
}

/** What the limits, and the memory of the service, leave to grow by. */
function roomIn({ max_records: records, max_storage_bytes: bytes }: Limits, size: HeadSize, growth: Growth): Room {
  const left = (limit: number | null, used: number) =>
    limit === null ? Number.POSITIVE_INFINITY : Math.max(0, limit - used)
  return {
    records: Math.min(left(records, size.records), growth.records),
    bytes: Math.min(left(bytes, size.bytes), growth.bytes),
  }
}
