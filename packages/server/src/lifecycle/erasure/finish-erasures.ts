import { sql } from 'kysely'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { Planes } from '../../store/planes.ts'
import { dropAccess } from '../../tenancy/storage/bucket.ts'
import { eraseRest } from './erase-sandbox.ts'
import type { Purge } from './purge-records.ts'
import { markErased } from './store.ts'

/** A request erases what it asked for itself; after so many seconds it is believed to have died. */
const BELIEVED_SECONDS = 20
/**
 * The database's files are scrubbed once no erasure has ended for the first of these times, and at the latest the
 * second after the first erasure. So many erasures in a row cost one scrub, and none waits for more than a minute.
 */
const CALM_SECONDS = 5
const SCRUB_SECONDS_MAX = 25
/** For so long the objects of a deleted sandbox are tried to be removed from a bucket that is not the platform's. */
const OWN_DAYS_MAX = 7
/** Erasures looked at in one round. */
const ROWS_MAX = 100

/** The purges that wait or were cut short, oldest first. */
export async function listPurges({ sql: control }: Planes): Promise<Purge[]> {
  const rows = await control.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('erasure')
      .selectAll()
      .where('source_id', 'is not', null)
      .where('erased_at', 'is', null)
      .orderBy('id')
      .limit(ROWS_MAX)
      .execute(),
  )
  return rows as Purge[]
}

/** The erasures that are not finished. */
export function anyErasure(tx: Tx) {
  return tx.selectFrom('erasure').select('id')
}

/** Where deleted sandboxes had their objects: with the platform, or in buckets of their own. */
export type ErasedFrom = 'platform' | 'own'

/** Does one piece of work on a deleted sandbox; what it makes of a failure is its own. */
export type EraseEach = (sandboxId: string, work: () => Promise<void>) => unknown

/**
 * Erases the rest of sandboxes whose request died half-way, and once more the files of those that had a writer in
 * another process when they were deleted: its lease has ended by then. Objects that a bucket of a customer's does not
 * let go of for a week are left there.
 */
export async function finishErasures(
  planes: Planes,
  from: ErasedFrom,
  each: EraseEach,
  believedSeconds = BELIEVED_SECONDS,
): Promise<void> {
  const left = await planes.sql.transact({ worker: true }, (tx) =>
    notes(tx, from)
      .where('source_id', 'is', null)
      .where('record_id', 'is', null)
      .where('erased_at', 'is', null)
      .where('requested_at', '<=', sql<Date>`now() - make_interval(secs => ${believedSeconds})`)
      .execute(),
  )
  for (const row of left) {
    await each(row.sandbox_id, async () => {
      if (!row.is_given_up) return eraseRest(planes, refOf(row))
      planes.log.error('objects of a deleted sandbox were left in its own bucket', { sandboxId: row.sandbox_id })
      await markErased(planes, refOf(row))
    })
  }
  const over = await planes.sql.transact({ worker: true }, (tx) =>
    notes(tx, from).where('scrubbed_at', 'is not', null).where('not_before', '<=', sql<Date>`now()`).execute(),
  )
  for (const row of over) await each(row.sandbox_id, () => endErasure(planes, row))
}

async function endErasure(planes: Planes, row: Row<'erasure'> & { is_given_up: boolean }): Promise<void> {
  const ref = refOf(row)
  const hadWriter = row.source_id === null && row.record_id === null && row.not_before > row.requested_at
  if (hadWriter && !row.is_given_up) await planes.knowledge.erase(ref)
  await planes.sql.transact(row.user_id, async (tx) => {
    await tx.deleteFrom('erasure').where('user_id', '=', row.user_id).where('id', '=', row.id).execute()
    if (row.storage !== null) await dropAccess(planes.secrets, tx, ref)
  })
  planes.buckets.forget(row.sandbox_id)
}

/** Removes the bytes that erased rows left in the database's files, when it is time to. */
export async function scrubErased(planes: Planes, calmSeconds = CALM_SECONDS): Promise<void> {
  const due = await planes.sql.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('erasure')
      .select(['user_id', 'id'])
      .where('erased_at', 'is not', null)
      .where('scrubbed_at', 'is', null)
      .where((is) =>
        is.exists(
          is
            .selectFrom('erasure as other')
            .select(sql`1`.as('one'))
            .where('other.erased_at', 'is not', null)
            .where('other.scrubbed_at', 'is', null)
            .having(
              sql<boolean>`max(other.erased_at) <= now() - make_interval(secs => ${calmSeconds})
                or min(other.erased_at) <= now() - make_interval(secs => ${SCRUB_SECONDS_MAX})`,
            ),
        ),
      )
      .execute(),
  )
  if (due.length === 0) return
  await planes.sql.scrub()
  for (const { user_id: userId, id } of due) {
    await planes.sql.transact(userId, (tx) =>
      tx
        .updateTable('erasure')
        .set({ scrubbed_at: sql<Date>`now()` })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .execute(),
    )
  }
}

function notes(tx: Tx, from: ErasedFrom) {
  const isLate = sql<boolean>`storage is not null and requested_at < now() - make_interval(days => ${OWN_DAYS_MAX})`
  const all = tx.selectFrom('erasure').selectAll().select(isLate.as('is_given_up')).orderBy('id').limit(ROWS_MAX)
  return all.where('storage', from === 'own' ? 'is not' : 'is', null)
}

function refOf(row: { user_id: string; sandbox_id: string; id: string }) {
  return { userId: row.user_id, sandboxId: row.sandbox_id, id: row.id }
}
