import type { Outcome } from '@cairn/contract'
import type { Ctx } from '../handler.ts'
import { cancelPull } from '../polling/end-run.ts'
import { assertWritable } from '../sandboxes/assert-writable.ts'
import type { Reach } from '../sharing/reach.ts'
import { recordEvent } from '../sharing/record-event.ts'
import { destroySecrets, NO_SECRETS } from '../sources/provider-secrets.ts'
import { lockSource } from '../sources/store.ts'
import { outcomeOf } from './outcome.ts'
import { assertUserMcp } from './store.ts'

/**
 * Deletes what opens a server of tools, with what was counted of its minute, and disconnects it for good. One that is
 * disconnected stays so. Throws `wrong_kind` and `sandbox_not_active`.
 */
export async function revokeUserMcp(ctx: Ctx, reach: Reach, sourceId: string): Promise<Outcome> {
  assertWritable(reach)
  return ctx.sql.transact(reach.holderId, async (tx) => {
    const old = await lockSource(tx, reach, sourceId)
    assertUserMcp(old)
    const now = ctx.clock.now()
    await destroySecrets(ctx.secrets, tx, old)
    await cancelPull(tx, old, now)
    await tx
      .deleteFrom('rate')
      .where('user_id', '=', reach.holderId)
      .where('sandbox_id', '=', reach.sandboxId)
      .where('subject', '=', sourceId)
      .execute()
    const row = await tx
      .updateTable('source')
      .set({ ...NO_SECRETS, status: 'disconnected', tool_pins: null, last_error: null, updated_at: now })
      .where('user_id', '=', reach.holderId)
      .where('sandbox_id', '=', reach.sandboxId)
      .where('id', '=', sourceId)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (old.status !== 'disconnected') {
      await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: sourceId })
    }
    return outcomeOf(row)
  })
}
