import {
  declarationsOf,
  decodeContent,
  encodeContent,
  mentionDeclarations,
  recordKey,
  reenrichContent,
  type StoredContent,
} from '@cairnstore/engine/resolve'
import type { KeyHash } from '@cairnstore/engine/text'
import { createYieldPoint } from '../../base/yield-point.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Applier } from '../../ingest/applier.ts'
import { eraseIfDeleted } from '../../ingest/apply.ts'
import { dropLease, type Lease, moveHead, takeLease, withHeldKey } from '../../store/lease.ts'
import type { Planes } from '../../store/planes.ts'
import { Fenced, type RecordRow, type RecordText } from '../../store/port.ts'
import { toRecordRow } from '../../store/record-row.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'

/** Maximum number of records per slot. A larger commit would noticeably delay other work in the sandbox. */
const RECORDS_PER_BATCH = 256
/** Milliseconds of reindexing before it yields to questions. */
const SLICE_MS = 2

/** The functions of the applier that serialize work per sandbox and renew the lease. */
type BackfillMutex = Pick<Applier, 'runExclusive' | 'changed' | 'keepLease'>

/**
 * Reindexes one batch of records that an older program version wrote. If there are none, marks the sandbox as done.
 * Records are found by the commit of their version, so the next slot continues after a crash or failure. Ids, entities
 * and vectors stay the same, and no change is published. Returns false if another process works on the sandbox, an
 * erasure is pending, or the key is not held.
 */
export async function backfillRecords(planes: Planes, applier: BackfillMutex, sandbox: SandboxRef): Promise<boolean> {
  const exclusively = <T>(work: () => Promise<T>) => applier.runExclusive(sandbox.sandboxId, work)
  const backfill = await exclusively(() => takeBackfillLease(planes, sandbox))
  if (!backfill) return false
  try {
    return await applier.keepLease(sandbox.sandboxId, async () => {
      const backfilled = await extractAgain(planes, backfill)
      if (backfilled.length > 0)
        return exclusively(() =>
          commit(planes, applier, sandbox, { reread: backfilled, keyEpoch: backfill.lease.head.keyEpoch }),
        )
      await markComplete(planes, sandbox, backfill.upTo)
      return true
    })
  } finally {
    // Releases the lease at once. Until it expires, no other process could apply new records.
    await exclusively(() => planes.sql.transact(sandbox.userId, (tx) => dropLease(tx, backfill.lease)))
  }
}

/** The lease, and the commit up to which records are to be reindexed. */
interface BackfillLease {
  lease: Lease
  upTo: number
}

/**
 * Takes the lease. Returns undefined if nothing may be written, for example during a pending erasure. Erasures find
 * records by their commit, and reindexing would give them a new one.
 */
async function takeBackfillLease(planes: Planes, sandbox: SandboxRef): Promise<BackfillLease | undefined> {
  const backfill = await planes.sql.transact(sandbox.userId, async (tx) => {
    const lease = await takeLease(tx, sandbox, planes)
    if (!lease) return undefined
    const { reread_up_to: upTo } = await tx
      .selectFrom('sandbox_head')
      .select('reread_up_to')
      .where(ofSandbox(sandbox))
      .executeTakeFirstOrThrow()
    const erasure = await tx
      .selectFrom('erasure')
      .select('id')
      .where(ofSandbox(sandbox))
      .where('erased_at', 'is', null)
      .executeTakeFirst()
    return upTo === 0 || erasure ? undefined : { lease: withHeldKey(planes.seals, lease), upTo }
  })
  return backfill && (backfill.lease.head.keyEpoch === null || backfill.lease.seal) ? backfill : undefined
}

/** The reindexed row of a record, with the commit of its previous version. */
interface BackfilledRecord {
  row: RecordRow
  seq: number
  grownBytes: number
}

async function extractAgain(planes: Planes, { lease, upTo }: BackfillLease): Promise<BackfilledRecord[]> {
  const yieldIfDue = createYieldPoint(SLICE_MS, planes.questions)
  const view = await planes.knowledge.view(lease, lease.head)
  const ids = view.graph.recordsUpTo(upTo, RECORDS_PER_BATCH)
  const numbers = ids.flatMap((id) => view.rowOf(id) ?? [])
  const backfilled: BackfilledRecord[] = []
  for (const stored of (await view.store.recordsAt(view.head, numbers)).values()) {
    const row = toBackfilledRow(stored, view.hash)
    backfilled.push({ row, seq: stored.seq, grownBytes: row.content.length - stored.content.length })
    await yieldIfDue()
  }
  if (ids.length > 0 && backfilled.length === 0) throw new Error('None of the records to backfill is stored.')
  return backfilled
}

/** Commits the records that no newer version has replaced, with their vectors. Returns false if the lease was lost. */
async function commit(
  planes: Planes,
  applier: BackfillMutex,
  sandbox: SandboxRef,
  { reread, keyEpoch }: { reread: readonly BackfilledRecord[]; keyEpoch: number | null },
): Promise<boolean> {
  const backfill = await takeBackfillLease(planes, sandbox)
  if (!backfill || backfill.lease.head.keyEpoch !== keyEpoch) return false
  const { lease } = backfill
  const view = await planes.knowledge.view(lease, lease.head)
  const current = reread.filter(({ row, seq }) => view.graph.seqOf(row.id) === seq)
  if (current.length === 0) return true
  try {
    const vectorRows = await view.store.vectorsOf(
      lease.head,
      current.map(({ row, seq }) => ({ id: row.id, seq })),
    )
    const vectors = vectorRows.map((row) => ({ ...row, recordSeq: lease.head.seq + 1 }))
    const records = current.map(({ row }) => row)
    const head = await view.store.commit(lease.head, { records, entities: [], links: [], vectors })
    const commitsSinceCompaction = lease.commitsSinceCompaction + 1
    const grown = current.reduce((sum, { grownBytes }) => sum + grownBytes, 0)
    const size = lease.size && { records: lease.size.records, bytes: lease.size.bytes + grown }
    const move = { commitsSinceCompaction, changes: null, ...(size && { size }) }
    const isMoved = await planes.sql.transact(lease.userId, (tx) => moveHead(tx, lease, head, move))
    if (!isMoved) {
      await eraseIfDeleted(planes, sandbox)
      return false
    }
    planes.knowledge.committed(lease, head)
    const totalRecords = size?.records ?? 0
    applier.changed(sandbox, { commits: commitsSinceCompaction, records: records.length, totalRecords })
    return true
  } catch (error) {
    if (error instanceof Fenced) return false
    // If the sandbox was deleted meanwhile, the new files must be deleted too.
    if (await eraseIfDeleted(planes, sandbox)) return false
    throw error
  }
}

/** Stores that all records are up to date. */
async function markComplete(planes: Planes, sandbox: SandboxRef, upTo: number): Promise<void> {
  await planes.sql.transact(sandbox.userId, (tx) =>
    tx
      .updateTable('sandbox_head')
      .set({ reread_up_to: 0 })
      .where(ofSandbox(sandbox))
      .where('reread_up_to', '=', upTo)
      .execute(),
  )
}

/**
 * Analyzes a stored record again and returns its new row. The ids of the record and its source, the declarations and
 * the mentions stay the same.
 */
function toBackfilledRow(row: Omit<RecordText, 'seq'>, hash: KeyHash): RecordRow {
  const content = reenrichContent(decodeContent<StoredContent>(row.content))
  const origin = { sourceId: row.sourceId ?? null, provider: content.provider }
  const extracted = { things: declarationsOf(content, origin), mentioned: mentionDeclarations(content) }
  const record = { content, origin, projectId: row.projectId ?? null, ...extracted }
  return toRecordRow(row.id, recordKey(origin.sourceId, content.external_id), record, encodeContent(content), hash)
}
