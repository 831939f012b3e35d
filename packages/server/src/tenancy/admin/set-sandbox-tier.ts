import type { Sandbox, Tier } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { type Recording, recordEvent } from '../audit/record-event.ts'
import type { Ctx } from '../context.ts'
import { wireSandbox } from '../sandboxes/store.ts'

/** Sets the tier of any account's sandbox, shown as its owner sees it. What exceeds the new limits stays. */
export async function setSandboxTier(
  ctx: Pick<Ctx, 'limits' | 'sql'> & Recording,
  sandboxId: string,
  tier: Tier,
): Promise<Sandbox> {
  const held = await ctx.sql.transact({ operator: true }, (tx) =>
    tx.selectFrom('sandbox').select('user_id').where('id', '=', sandboxId).executeTakeFirst(),
  )
  if (!held) throw new Fault('not_found')
  return ctx.sql.transact(held.user_id, async (tx) => {
    const row = await tx
      .updateTable('sandbox')
      .set({ tier, updated_at: ctx.clock.now() })
      .where('user_id', '=', held.user_id)
      .where('id', '=', sandboxId)
      .returningAll()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    await recordEvent(ctx, tx, { holderId: held.user_id, sandboxId, subjectId: sandboxId })
    return wireSandbox(row, ctx.limits, 'owner')
  })
}
