import type { Done, Id } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import { type Recording, recordEvent } from '../audit/record-event.ts'
import type { Ctx } from '../context.ts'
import type { Reach } from '../reach/reach.ts'
import { connectionsOf } from './store.ts'

/**
 * Revokes a connection and its keys: neither opens a later request here, and none elsewhere after a second. One that is
 * revoked already stays as it is. It works on a sandbox that is suspended or archived too.
 */
export async function revokeConnection(
  ctx: Pick<Ctx, 'authenticator' | 'sql'> & Recording,
  reach: Reach,
  connectionId: Id<'connection'>,
): Promise<Done> {
  await ctx.sql.transact(reach.holderId, async (tx) => {
    const { revoked_at: before } = await connectionsOf(tx, reach)
      .where('id', '=', connectionId)
      .forUpdate()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    if (before !== null) return
    const change = { revoked_at: ctx.clock.now() }
    const place = { userId: reach.holderId, sandboxId: reach.sandboxId }
    await tx
      .updateTable('connection')
      .set(change)
      .where(ofSandbox(place, { id: connectionId }))
      .execute()
    await tx
      .updateTable('api_key')
      .set(change)
      .where(ofSandbox(place))
      .where('connection_id', '=', connectionId)
      .where('revoked_at', 'is', null)
      .execute()
    await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: connectionId })
  })
  ctx.authenticator.forget({ connectionId })
  return { success: true, message: 'The connection and its keys are revoked.' }
}
