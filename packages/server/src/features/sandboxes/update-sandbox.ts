import type { Sandbox, UpdateSandbox } from '@cairn/contract'
import { Fault } from '../../base/fault.ts'
import type { Ctx } from '../handler.ts'
import type { Reach } from '../sharing/reach.ts'
import { recordEvent } from '../sharing/record-event.ts'
import { assertMatches, assertVersion } from '../versions.ts'
import { wireSandbox } from './store.ts'

/** Renames a sandbox or replaces its metadata. A field that is omitted or null keeps its value. */
export async function updateSandbox(ctx: Ctx, reach: Reach, change: UpdateSandbox): Promise<Sandbox> {
  const name = change.name ?? undefined
  const metadata = change.metadata ?? undefined
  if (name === undefined && metadata === undefined) {
    assertMatches(ctx.ifMatch, reach.sandbox.version)
    return wireSandbox(reach.sandbox, ctx.limits, reach.role)
  }
  return ctx.sql.transact(reach.holderId, async (tx) => {
    await assertVersion(tx, ctx.ifMatch, 'sandbox', { userId: reach.holderId, id: reach.sandboxId })
    const row = await tx
      .updateTable('sandbox')
      .set({ name, metadata, updated_at: ctx.clock.now() })
      .where('user_id', '=', reach.holderId)
      .where('id', '=', reach.sandboxId)
      .returningAll()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    if (row.status !== 'active') throw new Fault('sandbox_not_active')
    await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: reach.sandboxId })
    return wireSandbox(row, ctx.limits, reach.role)
  })
}
