import { MS_PER_DAY } from '@cairnstore/engine/text'
import { sql } from 'kysely'
import { MS_PER_HOUR } from '../../base/clock.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Planes } from '../../store/planes.ts'
import { nextSourceState } from '../../tenancy/sources/source-states.ts'

/** Sources archived in one round. */
const ROWS_MAX = 500
/** The states that idleness ends. */
const ENDED = (['active', 'error'] as const).filter((state) => nextSourceState(state, 'idled') === 'archived')

/**
 * Archives ephemeral sources that nobody has called for their idle time. A call notes itself in the transaction that
 * stores what it brought, under the row's lock, and the time is looked at again under the same lock: so a source is
 * never archived with a call that came before.
 */
export async function archiveIdleSources({ sql, clock, ephemeralIdleHours }: Planes): Promise<void> {
  const cutoff = new Date(clock.now().getTime() - ephemeralIdleHours * MS_PER_HOUR)
  const idle = await sql.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('source')
      .select(['user_id', 'sandbox_id', 'id'])
      .where('kind', '=', 'ephemeral')
      .where('status', 'in', ENDED)
      .where('last_seen_at', '<', cutoff)
      .limit(ROWS_MAX)
      .execute(),
  )
  for (const source of idle) {
    await sql.transact(source.user_id, (tx) =>
      tx
        .updateTable('source')
        .set({ status: 'archived', updated_at: clock.now() })
        .where(ofSandbox(source, { id: source.id }))
        .where('kind', '=', 'ephemeral')
        .where('status', 'in', ENDED)
        .where('last_seen_at', '<', cutoff)
        .execute(),
    )
  }
}

/** How long it is remembered what became of the files of an import. */
const FILES_KEPT_DAYS = 30
/** Files dropped in one round. */
const DROP_FILES_ROWS_MAX = 50_000

/** Drops what became of files of imports that were long ago. */
export async function dropFiles({ sql: control, clock }: Planes): Promise<void> {
  const cutoff = new Date(clock.now().getTime() - FILES_KEPT_DAYS * MS_PER_DAY)
  await control.transact({ worker: true }, (tx) =>
    sql`delete from import_file where ctid = any (array(
      select ctid from import_file where noted_at < ${cutoff} order by noted_at limit ${DROP_FILES_ROWS_MAX}
    ))`.execute(tx),
  )
}

/** How long the sender of a deleted source is told that it is gone; after that its address is unknown. */
const TOMBSTONE_DAYS = 30

/** Drops the tombstones of sources that were deleted long ago. */
export async function dropTombstones({ sql, clock }: Planes): Promise<void> {
  const cutoff = new Date(clock.now().getTime() - TOMBSTONE_DAYS * MS_PER_DAY)
  const over = await sql.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('source_tombstone')
      .select(['user_id', 'sandbox_id', 'source_id'])
      .where('deleted_at', '<', cutoff)
      .limit(ROWS_MAX)
      .execute(),
  )
  for (const each of over) {
    await sql.transact(each.user_id, (tx) =>
      tx
        .deleteFrom('source_tombstone')
        .where(ofSandbox(each, { source_id: each.source_id }))
        .execute(),
    )
  }
}
