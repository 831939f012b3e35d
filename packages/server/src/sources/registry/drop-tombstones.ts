import { MS_PER_DAY } from '@cairnstore/engine/text'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Planes } from '../../store/planes.ts'

/** How long the sender of a deleted source is told that it is gone; after that its address is unknown. */
const TOMBSTONE_DAYS = 30
/** Tombstones dropped in one round. */
const ROWS_MAX = 500

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
