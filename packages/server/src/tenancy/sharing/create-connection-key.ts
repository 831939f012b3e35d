import type { ConnectionKey, Id } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { keyPrefix, newToken } from '../accounts/key-format.ts'
import { insertKey } from '../accounts/store.ts'
import { type Recording, recordEvent } from '../audit/record-event.ts'
import type { Ctx } from '../context.ts'
import { type Keeping, keepReply } from '../idempotency/keep-reply.ts'
import type { Reach } from '../reach/reach.ts'
import { connectionsOf } from './store.ts'

const WARNING =
  'This key is shown only here. Whoever holds it can act in this sandbox as the account that the connection is for.'

/**
 * Makes a key that acts as the connection's grantee, in this sandbox alone, as long as the connection lives. Throws
 * `connection_not_active` when that is over.
 */
export async function createConnectionKey(
  ctx: Pick<Ctx, 'sql'> & Recording & Keeping,
  reach: Reach,
  connectionId: Id<'connection'>,
): Promise<ConnectionKey> {
  const id = newId('key', ctx.clock)
  const key = newToken('connectionKey')
  const { holderId, sandboxId } = reach
  return ctx.sql.transact(holderId, async (tx) => {
    const connection = await connectionsOf(tx, reach)
      .where('id', '=', connectionId)
      .forShare()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    if (connection.revoked_at !== null || connection.isOver) throw new Fault('connection_not_active')
    await insertKey(tx, {
      userId: holderId,
      id,
      name: `Connection ${connectionId}`,
      key,
      createdAt: ctx.clock.now(),
      expiresAt: connection.expires_at,
      connection: { sandboxId, id: connectionId },
    })
    await recordEvent(ctx, tx, { holderId, sandboxId, subjectId: id })
    const made: ConnectionKey = {
      api_key_id: id,
      plaintext_key: key,
      key_prefix: keyPrefix(key),
      expires_at: connection.expires_at?.toISOString() ?? null,
      warning: WARNING,
    }
    await keepReply(ctx, tx, made)
    return made
  })
}
