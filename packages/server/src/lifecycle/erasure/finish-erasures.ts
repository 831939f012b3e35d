import { sql } from 'kysely'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { Planes } from '../../store/planes.ts'
import { dropAccess } from '../../tenancy/storage/bucket.ts'
import { eraseRest } from './erase-sandbox.ts'
import type { Purge } from './purge-records.ts'
import { markErased } from './store.ts'

/**
 * Seconds after which the request that began an unfinished erasure is considered dead. Until then the request itself
 * does the work.
 */
const CLUSTER_LAG_SECONDS = 20
/**
 * Seconds without a new erasure after which the database's files are scrubbed. SCRUB_SECONDS_MAX is the maximum time
 * after the first erasure. Consecutive erasures share one scrub, and none waits for more than a minute.
 */
const IDLE_SECONDS = 5
const SCRUB_SECONDS_MAX = 25
/** Number of days for which the service tries to delete the objects of a deleted sandbox from a customer's bucket. */
const OWN_BUCKET_DAYS_MAX = 7
/** Maximum number of erasures per round. */
export const ERASURES_MAX = 100

/** Lists pending and interrupted purges, oldest first. */
export async function listPurges({ sql: control }: Planes, after?: Purge): Promise<Purge[]> {
  const rows = await control.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('erasure')
      .selectAll()
      .where('source_id', 'is not', null)
      .where('erased_at', 'is', null)
      .where('id', '>', after?.id ?? '')
      .orderBy('id')
      .limit(ERASURES_MAX)
      .execute(),
  )
  return rows as Purge[]
}

/** Selects erasures that are not finished. */
export function anyErasure(tx: Tx) {
  return tx.selectFrom('erasure').select('id')
}

/** Location of deleted sandboxes' objects: the service's storage, or buckets of their own. */
export type BucketOwner = 'platform' | 'own'

/** Runs work on a deleted sandbox and handles its failures. */
export type RunErasure = (sandboxId: string, work: () => Promise<void>) => unknown

/**
 * Completes the erasure of sandboxes whose request died. Also deletes files that a writer in another process may have
 * added until its lease ended. Objects that cannot be deleted from a customer's bucket within a week are left there.
 */
export async function finishErasures(
  planes: Planes,
  from: BucketOwner,
  each: RunErasure,
  lagSeconds = CLUSTER_LAG_SECONDS,
): Promise<void> {
  const remaining = await planes.sql.transact({ worker: true }, (tx) =>
    selectErasures(tx, from)
      .where('source_id', 'is', null)
      .where('record_id', 'is', null)
      .where('erased_at', 'is', null)
      .where('requested_at', '<=', sql<Date>`now() - make_interval(secs => ${lagSeconds})`)
      .execute(),
  )
  for (const row of remaining) {
    await each(row.sandbox_id, async () => {
      if (!row.is_given_up) return eraseRest(planes, refOf(row))
      planes.log.error('objects of a deleted sandbox remain in its customer bucket; giving up', {
        sandboxId: row.sandbox_id,
      })
      await markErased(planes, refOf(row))
    })
  }
  const scrubbed = await planes.sql.transact({ worker: true }, (tx) =>
    selectErasures(tx, from).where('scrubbed_at', 'is not', null).where('not_before', '<=', sql<Date>`now()`).execute(),
  )
  for (const row of scrubbed) await each(row.sandbox_id, () => endErasure(planes, row))
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

/** Removes the bytes of erased rows from the database's files, if a scrub is due. */
export async function scrubDatabase(planes: Planes, idleSeconds = IDLE_SECONDS): Promise<void> {
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
              sql<boolean>`max(other.erased_at) <= now() - make_interval(secs => ${idleSeconds})
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

function selectErasures(tx: Tx, from: BucketOwner) {
  const oldestAge = sql`make_interval(days => ${OWN_BUCKET_DAYS_MAX})`
  const isLate = sql<boolean>`storage is not null and requested_at < now() - ${oldestAge}`
  const all = tx.selectFrom('erasure').selectAll().select(isLate.as('is_given_up')).orderBy('id').limit(ERASURES_MAX)
  return all.where('storage', from === 'own' ? 'is not' : 'is', null)
}

function refOf(row: { user_id: string; sandbox_id: string; id: string }) {
  return { userId: row.user_id, sandboxId: row.sandbox_id, id: row.id }
}
