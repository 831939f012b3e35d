import type { Id, RevokedApiKey } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { type Recording, recordEvent } from '../audit/record-event.ts'
import type { Ctx } from '../context.ts'

/** Revokes a key of the caller's account: it opens no later request here, and none elsewhere after a second. */
export async function revokeApiKey(
  ctx: Pick<Ctx, 'authenticator' | 'sql'> & Recording,
  id: Id<'key'>,
): Promise<RevokedApiKey> {
  const { accountId } = ctx.caller
  const revoked = await ctx.sql.transact(accountId, async (tx) => {
    const { name } = await tx
      .updateTable('api_key')
      .set({ revoked_at: ctx.clock.now() })
      .where('user_id', '=', accountId)
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning('name')
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    await recordEvent(ctx, tx, { holderId: accountId, subjectId: id })
    return { revoked: true as const, id, name }
  })
  ctx.authenticator.forget({ keyId: id })
  return revoked
}
