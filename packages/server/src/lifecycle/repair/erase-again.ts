import { sql } from 'kysely'
import type { Head } from '../../db/head.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import { forgetMarksOf } from '../../ingest/deleted-records.ts'
import { forgetFiles } from '../../ingest/files/note-files.ts'
import { removeSource } from '../../sources/registry/delete-source.ts'
import type { Planes } from '../../store/planes.ts'
import type { SandboxStore } from '../../store/port.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { BATCH_RECORDS, emptyInbox, leaveVersions, type Purge, removeRecords } from '../erasure/purge-records.ts'
import { forgetReplies, NOTHING } from '../erasure/store.ts'
import type { KnownErased } from './gather-erased.ts'

/** The ids of the records at the head that were erased, of a source or one by one. */
export async function erasedAt(
  store: Pick<SandboxStore, 'recordIdsOf' | 'recordsById'>,
  head: Head,
  erased: readonly KnownErased[],
): Promise<string[]> {
  const ids = new Set<string>()
  for (const { source_id: sourceId, record_id: recordId, up_to_seq: upTo, isKnown } of erased) {
    // One that has not begun is the janitor's.
    if (upTo === null && isKnown) continue
    const seq = upTo ?? head.seq
    if (sourceId !== null) for (const id of await store.recordIdsOf(head, sourceId, seq)) ids.add(id)
    if (recordId === null) continue
    for (const row of (await store.recordsById(head, [recordId])).values()) if (row.seq <= seq) ids.add(row.id)
  }
  return [...ids]
}

/**
 * Erases again what a restore brought back: the records, what waits of a purged source, and that source where it was
 * deleted. What the database did not know is on its list afterwards. False while another process holds the lease.
 */
export async function eraseAgain(
  planes: Planes,
  sandbox: SandboxRef,
  ids: readonly string[],
  { erased, seq }: { erased: readonly KnownErased[]; seq: number },
): Promise<boolean> {
  for (let from = 0; from < ids.length; from += BATCH_RECORDS) {
    const batch = ids.slice(from, from + BATCH_RECORDS)
    if (!(await removeRecords(planes, purgeOf(sandbox, ''), batch, Number.POSITIVE_INFINITY))) return false
  }
  if (ids.length > 0 && (await leaveVersions(planes, sandbox)) === undefined) return false
  for (const entry of erased) if (!entry.isKnown) await eraseRows(planes, sandbox, entry, seq)
  return true
}

async function eraseRows(planes: Planes, sandbox: SandboxRef, entry: KnownErased, seq: number): Promise<void> {
  const { source_id: sourceId, record_id: recordId } = entry
  await planes.sql.transact(sandbox.userId, async (tx) => {
    if (sourceId !== null) {
      await emptyInbox(planes, tx, purgeOf(sandbox, sourceId))
      await forgetMarksOf(tx, sandbox, sourceId)
      await forgetFiles(tx, sandbox, { source_id: sourceId })
      const source = tx
        .selectFrom('source')
        .selectAll()
        .where(ofSandbox(sandbox, { id: sourceId }))
      const row = entry.is_source_gone ? await source.forUpdate().executeTakeFirst() : undefined
      if (row) await removeSource(planes, tx, row)
    }
    if (entry.mark !== null) {
      await sql`insert into deleted_record
        select * from jsonb_populate_record(null::deleted_record, ${JSON.stringify(entry.mark)}::jsonb)
        on conflict do nothing`.execute(tx)
    }
    await noteKnown(tx, { ...entry, up_to_seq: Math.min(entry.up_to_seq ?? seq, seq) })
  })
  await forgetReplies(planes, sandbox.userId, recordId ?? sourceId ?? sandbox.sandboxId)
}

/** Puts an erasure that the database did not know on its list. */
export async function noteKnown(tx: Tx, { isKnown: _, erased_at: at, ...entry }: KnownErased): Promise<void> {
  await tx
    .insertInto('erased')
    .values({ ...entry, mark: entry.mark as never, erased_at: new Date(at) })
    .onConflict((is) => is.doNothing())
    .execute()
}

function purgeOf({ userId, sandboxId }: SandboxRef, sourceId: string): Purge {
  const never = { erased_at: null, scrubbed_at: null }
  const rest = { id: '', record_id: null, up_to_seq: null, storage: null, counts: NOTHING, ...never }
  const now = new Date(0)
  return { user_id: userId, sandbox_id: sandboxId, source_id: sourceId, ...rest, requested_at: now, not_before: now }
}
