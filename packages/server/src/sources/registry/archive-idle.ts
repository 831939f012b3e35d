import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Planes } from '../../store/planes.ts'
import { nextSourceState } from '../../tenancy/sources/source-states.ts'

const MS_PER_HOUR = 3_600_000
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
