import { sql } from 'kysely'
import type { Planes } from '../store/planes.ts'
import type { SandboxRef } from '../tenancy/sandboxes/sandbox-ref.ts'
import { ATTEMPTS_MAX } from './apply.ts'

/** Whether something waits to be applied, or to be compared. */
export async function hasWork(planes: Pick<Planes, 'sql'>, { userId, sandboxId }: SandboxRef): Promise<boolean> {
  const place = { user_id: userId, sandbox_id: sandboxId }
  return planes.sql.transact(userId, async (tx) => {
    const waiting = await tx
      .selectFrom('inbox')
      .select('id')
      .where((is) => is.and(place))
      .where('attempts', '<', ATTEMPTS_MAX)
      .limit(1)
      .executeTakeFirst()
    if (waiting) return true
    const uncompared = await tx
      .selectFrom('sandbox_head')
      .select(sql`1`.as('one'))
      .where((is) => is.and(place))
      .whereRef('comparable_seq', '>', 'compared_seq')
      .executeTakeFirst()
    return uncompared !== undefined
  })
}
