import {
  declaredThings,
  decodeContent,
  encodeContent,
  mentionedThings,
  readAgain,
  recordKey,
  type StoredContent,
} from '@cairnstore/engine/resolve'
import type { KeyHash } from '@cairnstore/engine/text'
import { createYieldPoint } from '../../base/yield-point.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Applier } from '../../ingest/applier.ts'
import { eraseIfDeleted } from '../../ingest/apply.ts'
import { withKeptFields } from '../../sources/connectors/connector-for.ts'
import { dropLease, type Lease, moveHead, takeLease, withSeal } from '../../store/lease.ts'
import type { Planes } from '../../store/planes.ts'
import { Fenced, type RecordRow, type RecordText } from '../../store/port.ts'
import { toRecordRow } from '../../store/record-row.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'

/** Records of one turn: few enough that its commit holds nobody up. */
const RECORDS_PER_TURN = 256
/** Questions wait at most so long for a record that is read anew. */
const SLICE_MS = 2

/** What a turn works with. */
type RereadTurns = Pick<Applier, 'alone' | 'changed' | 'keepLease'>

/**
 * Reads anew some of a sandbox's records that an older program stored, or notes that none is left. Each is found by the
 * commit of its version, so that what a crash, a failure or a newer version leaves is what the next turn finds. Their
 * ids, entities and vectors stay, and nobody is told of a change. False when another process works on the sandbox, an
 * erasure waits in it, or nobody holds its key.
 */
export async function rereadRecords(planes: Planes, applier: RereadTurns, sandbox: SandboxRef): Promise<boolean> {
  const alone = <T>(work: () => Promise<T>) => applier.alone(sandbox.sandboxId, work)
  const taken = await alone(() => take(planes, sandbox))
  if (!taken) return false
  try {
    return await applier.keepLease(sandbox.sandboxId, async () => {
      const reread = await readAnew(planes, taken)
      if (reread.length > 0)
        return alone(() => commit(planes, applier, sandbox, { reread, keyEpoch: taken.lease.head.keyEpoch }))
      await noteComplete(planes, sandbox, taken.upTo)
      return true
    })
  } finally {
    // It has kept other processes from the same work, and is not to keep them from their records.
    await alone(() => planes.sql.transact(sandbox.userId, (tx) => dropLease(tx, taken.lease)))
  }
}

/** The lease, and up to which commit records are to be read anew. */
interface RereadLease {
  lease: Lease
  upTo: number
}

/** Undefined where nothing may be written: an erasure knows what is to go by the commits of its versions. */
async function take(planes: Planes, sandbox: SandboxRef): Promise<RereadLease | undefined> {
  const taken = await planes.sql.transact(sandbox.userId, async (tx) => {
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
    return upTo === 0 || erasure ? undefined : { lease: withSeal(planes.seals, lease), upTo }
  })
  return taken && (taken.lease.head.keyEpoch === null || taken.lease.seal) ? taken : undefined
}

/** A record's row as it would be stored today, and the version that it was made of. */
interface Reread {
  row: RecordRow
  seq: number
  grownBytes: number
}

async function readAnew(planes: Planes, { lease, upTo }: RereadLease): Promise<Reread[]> {
  const breathe = createYieldPoint(SLICE_MS, planes.questions)
  const view = await planes.knowledge.view(lease, lease.head)
  const ids = view.graph.recordsUpTo(upTo, RECORDS_PER_TURN)
  const numbers = ids.flatMap((id) => view.rowOf(id) ?? [])
  const reread: Reread[] = []
  for (const stored of (await view.store.recordsAt(view.head, numbers)).values()) {
    const row = rereadRow(stored, view.hash)
    reread.push({ row, seq: stored.seq, grownBytes: row.content.length - stored.content.length })
    await breathe()
  }
  if (ids.length > 0 && reread.length === 0) throw new Error('No record that is to be read anew is stored.')
  return reread
}

/**
 * Commits the records that were not replaced meanwhile, each with its vectors. Returns false when the lease was lost.
 */
async function commit(
  planes: Planes,
  applier: RereadTurns,
  sandbox: SandboxRef,
  { reread, keyEpoch }: { reread: readonly Reread[]; keyEpoch: number | null },
): Promise<boolean> {
  const taken = await take(planes, sandbox)
  if (!taken || taken.lease.head.keyEpoch !== keyEpoch) return false
  const { lease } = taken
  const view = await planes.knowledge.view(lease, lease.head)
  const current = reread.filter(({ row, seq }) => view.graph.seqOf(row.id) === seq)
  if (current.length === 0) return true
  try {
    const held = await view.store.vectorsOf(
      lease.head,
      current.map(({ row, seq }) => ({ id: row.id, seq })),
    )
    const vectors = held.map((row) => ({ ...row, recordSeq: lease.head.seq + 1 }))
    const records = current.map(({ row }) => row)
    const head = await view.store.commit(lease.head, { records, entities: [], links: [], vectors })
    const commitsSinceUpkeep = lease.commitsSinceUpkeep + 1
    const grown = current.reduce((sum, { grownBytes }) => sum + grownBytes, 0)
    const size = lease.size && { records: lease.size.records, bytes: lease.size.bytes + grown }
    const move = { commitsSinceUpkeep, changes: null, ...(size && { size }) }
    const isMoved = await planes.sql.transact(lease.userId, (tx) => moveHead(tx, lease, head, move))
    if (!isMoved) {
      await eraseIfDeleted(planes, sandbox)
      return false
    }
    planes.knowledge.committed(lease, head)
    const recordsInAll = size?.records ?? 0
    applier.changed(sandbox, { commits: commitsSinceUpkeep, records: records.length, recordsInAll })
    return true
  } catch (error) {
    if (error instanceof Fenced) return false
    // A sandbox that was deleted meanwhile is not to come back as files.
    if (await eraseIfDeleted(planes, sandbox)) return false
    throw error
  }
}

/** Notes that every record is read as it is today. */
async function noteComplete(planes: Planes, sandbox: SandboxRef, upTo: number): Promise<void> {
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
 * The row of a record as it would be stored today, of what is stored of it: its content opened, and analysed under the
 * hash. Its id and what names it at its source stay, and so do the things that it declares and mentions.
 */
function rereadRow(row: Omit<RecordText, 'seq'>, hash: KeyHash): RecordRow {
  const content = readAgain(withKeptFields(decodeContent<StoredContent>(row.content)))
  const origin = { sourceId: row.sourceId ?? null, provider: content.provider }
  const said = { things: declaredThings(content, origin), mentioned: mentionedThings(content) }
  const record = { content, origin, projectId: row.projectId ?? null, ...said }
  return toRecordRow(row.id, recordKey(origin.sourceId, content.external_id), record, encodeContent(content), hash)
}
