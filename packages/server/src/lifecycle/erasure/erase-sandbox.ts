import type { DeletedCounts } from '@cairnstore/contract'
import { sql } from 'kysely'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { headOf } from '../../db/head.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { Planes } from '../../store/planes.ts'
import { HeadGone } from '../../store/port.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { dropSecrets } from '../../tenancy/storage/bucket.ts'
import type { ErasureRef } from './store.ts'
import { deleteStoredReplies, markErased, NO_COUNTS } from './store.ts'

/** Tables with rows of a sandbox, referencing tables first. The audit log is kept for the operator. */
const TABLES = [
  'inbox',
  'job',
  'answer',
  'merge_ledger',
  'merge_suggestion',
  'connection',
  'project_source',
  'project',
  'source_secret',
  'source_tombstone',
  'source',
  'webhook_delivery',
  'webhook',
  'erasure',
  'sandbox_head',
] as const

/**
 * Erases a sandbox from the control plane and the data plane. First runs `before`, deletes the rows and stores what
 * remains to be deleted, in one transaction. From then on nothing of the sandbox is accessible, and the erasure is
 * resumed after a crash. The bytes of the deleted rows are removed from the database's files within a minute. Throws
 * `not_found`.
 */
export async function eraseSandbox(
  planes: Planes,
  place: SandboxRef,
  before: (tx: Tx) => Promise<void>,
): Promise<DeletedCounts> {
  const note = newId('job', planes.clock)
  const { rows, head, storage } = await planes.sql.transact(place.userId, async (tx) => {
    const { head, storage } = await lockSandbox(tx, place)
    await before(tx)
    let rows = await dropSecrets(tx, place)
    for (const table of TABLES) rows += await deleteRows(tx, table, place)
    await tx.deleteFrom('sandbox').where('user_id', '=', place.userId).where('id', '=', place.sandboxId).execute()
    await tx
      .updateTable('account')
      .set({ primary_sandbox_id: null, default_project_id: null })
      .where('user_id', '=', place.userId)
      .where('primary_sandbox_id', '=', place.sandboxId)
      .execute()
    await tx
      .insertInto('erasure')
      .values({
        user_id: place.userId,
        id: note,
        sandbox_id: place.sandboxId,
        source_id: null,
        up_to_seq: null,
        storage,
        counts: NO_COUNTS,
        // A writer in another process may write files until its lease ends. After that it gets an error.
        not_before: sql<Date>`greatest(now(), ${head.lease_until}::timestamptz)`,
        erased_at: null,
        scrubbed_at: null,
      })
      .execute()
    return { rows: rows + 1, head, storage }
  })
  const erasure = { ...place, id: note }
  const replies = await deleteStoredReplies(planes, place.userId, place.sandboxId)
  try {
    const known = await countKnowledge(planes, place, head)
    return { ...known, sql: rows + replies, objects: await eraseObjects(planes, erasure) }
  } catch (error) {
    if (storage === null) throw error
    // The customer's bucket is not available. The rest is deleted when it is available again.
    planes.log.warn('the objects of a deleted sandbox are not yet removed from its customer bucket', {
      ...erasure,
      error,
    })
    return { sql: rows + replies, records: head.record_count ?? 0, entities: 0, links: 0, objects: 0 }
  }
}

/** Deletes the files of a deleted sandbox, and idempotent responses that may quote it. It can be repeated. */
export async function eraseRest(planes: Planes, erasure: SandboxRef & ErasureRef): Promise<void> {
  await deleteStoredReplies(planes, erasure.userId, erasure.sandboxId)
  await eraseObjects(planes, erasure)
}

async function eraseObjects(planes: Planes, erasure: SandboxRef & ErasureRef): Promise<number> {
  const objects = await planes.knowledge.erase(erasure)
  await markErased(planes, erasure)
  return objects
}

/** Locks the head before the sandbox, like the applier. A different order could cause a deadlock. */
async function lockSandbox(
  tx: Tx,
  place: SandboxRef,
): Promise<{ head: Row<'sandbox_head'>; storage: Row<'sandbox'>['storage'] }> {
  const head = await tx
    .selectFrom('sandbox_head')
    .selectAll()
    .where(ofSandbox(place))
    .forUpdate()
    .executeTakeFirstOrThrow(() => new Fault('not_found'))
  const { storage } = await tx
    .selectFrom('sandbox')
    .select('storage')
    .where('user_id', '=', place.userId)
    .where('id', '=', place.sandboxId)
    .forUpdate()
    .executeTakeFirstOrThrow(() => new Fault('not_found'))
  return { head, storage }
}

async function deleteRows(tx: Tx, table: (typeof TABLES)[number], place: SandboxRef): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom(table).where(ofSandbox(place)).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Counts the live data at the head, which can no longer move. */
async function countKnowledge({ knowledge, log }: Planes, place: SandboxRef, head: Row<'sandbox_head'>) {
  try {
    const store = await knowledge.store(place)
    return await store.count(headOf(head))
  } catch (error) {
    if (!(error instanceof HeadGone)) throw error
    // A concurrent compaction removed this version. The erasure continues without counts.
    log.warn('a sandbox was erased, but its data could not be counted', { sandboxId: place.sandboxId })
    return { records: 0, entities: 0, links: 0 }
  }
}

/**
 * Deletes folders of sandboxes that do not exist. A crash may leave such folders. A sandbox's row is created before its
 * folder, so a folder without a row is not used. The database must be in the same data folder; any other may not know
 * all sandboxes.
 */
export async function sweepOrphans({ sql, knowledge, log }: Pick<Planes, 'sql' | 'knowledge' | 'log'>): Promise<void> {
  for (const location of await knowledge.stores.listLocal()) {
    const owners = await sql.transact({ operator: true }, (tx) =>
      tx.selectFrom('sandbox').select('user_id').where('id', '=', location.sandboxId).execute(),
    )
    if (owners.some((row) => knowledge.stores.isOfAccount(location, row.user_id))) continue
    await knowledge.stores.eraseLocal(location)
    log.info('files of a deleted sandbox were removed', { sandboxId: location.sandboxId })
  }
}
