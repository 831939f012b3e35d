import { MS_PER_DAY } from '../../base/clock.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Planes } from '../../store/planes.ts'
import { fileOfPart } from '../encrypted-parts.ts'

/** Maximum number of originals per sweep. */
const ROWS_MAX = 1_000

/** Returns a query for unused originals: those marked for removal, and those without records after a day. */
export function unusedOriginals(tx: Tx, now: Date) {
  return tx
    .selectFrom('original')
    .select(['user_id', 'sandbox_id', 'id'])
    .where('has_records', '=', false)
    .where((is) => is.or([is('state', '=', 'over'), is('created_at', '<', new Date(now.getTime() - MS_PER_DAY))]))
}

/** Removes the parts and then the rows of unused originals. If a store fails, the next sweep tries again. */
export async function removeOriginals(planes: Pick<Planes, 'clock' | 'knowledge' | 'log' | 'sql'>): Promise<void> {
  const { sql, clock, knowledge, log } = planes
  const rows = await sql.transact({ worker: true }, (tx) => unusedOriginals(tx, clock.now()).limit(ROWS_MAX).execute())
  const bySandbox = new Map<string, { userId: string; ids: Set<string> }>()
  for (const { user_id: userId, sandbox_id: sandboxId, id } of rows) {
    const found = bySandbox.get(sandboxId) ?? { userId, ids: new Set() }
    found.ids.add(id)
    bySandbox.set(sandboxId, found)
  }
  for (const [sandboxId, { userId, ids }] of bySandbox) {
    try {
      // Marked first, so that no record is linked to one of them meanwhile.
      const over = await sql.transact(userId, (tx) =>
        tx
          .updateTable('original')
          .set({ state: 'over', key_box: null })
          .where(ofSandbox({ userId, sandboxId }))
          .where('id', 'in', [...ids])
          .where('has_records', '=', false)
          .returning('id')
          .execute(),
      )
      const ended = new Set(over.map(({ id }) => id))
      const store = await knowledge.store({ userId, sandboxId })
      await store.removeSegments('originals', (name) => ended.has(fileOfPart(name)))
      if (ended.size === 0) continue
      await sql.transact(userId, (tx) =>
        tx
          .deleteFrom('original')
          .where(ofSandbox({ userId, sandboxId }))
          .where('id', 'in', [...ended])
          .where('state', '=', 'over')
          .execute(),
      )
    } catch (error) {
      log.warn('originals were not removed yet', { sandboxId, error })
    }
  }
}
