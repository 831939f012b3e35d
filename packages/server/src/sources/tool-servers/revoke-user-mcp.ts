import type { Outcome } from '@cairnstore/contract'
import { ofSandbox } from '../../db/of-sandbox.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import { lockSource } from '../../tenancy/sources/source-rows.ts'
import type { Ctx } from '../context.ts'
import { cancelPull } from '../registry/cancel-pull.ts'
import { destroySecrets, NO_SECRETS } from '../registry/provider-secrets.ts'
import { outcomeOf } from './outcome.ts'
import { assertUserMcp } from './store.ts'

/**
 * Deletes what opens a server of tools, with what was counted of its minute, and disconnects it for good. One that is
 * disconnected stays so. Throws `wrong_kind` and `sandbox_not_active`.
 */
export async function revokeUserMcp(
  ctx: Pick<Ctx, 'secrets' | 'sql'> & Recording,
  reach: Reach,
  sourceId: string,
): Promise<Outcome> {
  assertWritable(reach)
  return ctx.sql.transact(reach.holderId, async (tx) => {
    const old = await lockSource(tx, reach, sourceId)
    assertUserMcp(old)
    const now = ctx.clock.now()
    await destroySecrets(ctx.secrets, tx, old)
    await cancelPull(tx, old, now)
    await tx.deleteFrom('rate').where(ofSandbox(reach)).where('subject', '=', sourceId).execute()
    const row = await tx
      .updateTable('source')
      .set({ ...NO_SECRETS, status: 'disconnected', tool_pins: null, last_error: null, updated_at: now })
      .where(ofSandbox(reach, { id: sourceId }))
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: sourceId })
    return outcomeOf(row)
  })
}
