import type { CreateAccountKey, CreatedAccountKey } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import type { Tx } from '../../db/open.ts'
import { newKey } from '../accounts/create-api-key.ts'
import { insertKey } from '../accounts/store.ts'
import { type Recording, recordEvent } from '../audit/record-event.ts'
import type { Ctx } from '../context.ts'
import { type Keeping, keepReply } from '../idempotency/keep-reply.ts'

/**
 * Makes another API key of an account, and revokes its other ones when that is asked for: they open no later request
 * here, and none elsewhere after a second. Keys of connections stay. Throws `not_found`.
 */
export async function createAccountKey(
  ctx: Pick<Ctx, 'authenticator' | 'sql'> & Recording & Keeping,
  userId: string,
  { revoke_others: isSole = false, ...wanted }: CreateAccountKey,
): Promise<CreatedAccountKey> {
  const { created, row } = newKey(ctx, userId, wanted)
  const made = await ctx.sql.transact({ tenant: userId, operator: true }, async (tx) => {
    await tx
      .selectFrom('account')
      .select('user_id')
      .where('user_id', '=', userId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    const others = isSole ? await revokeKeys(tx, userId, ctx.clock.now()) : await countKeys(tx, userId)
    await insertKey(tx, row)
    await recordEvent(ctx, tx, { holderId: userId, subjectId: row.id })
    const reply = { ...created, user_id: userId, keys_kept: isSole ? 0 : others, keys_revoked: isSole ? others : 0 }
    await keepReply(ctx, tx, reply)
    return reply
  })
  if (isSole) ctx.authenticator.forget({ accountId: userId })
  return made
}

async function countKeys(tx: Tx, userId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('api_key')
    .select((is) => is.fn.countAll<string>().as('count'))
    .where('user_id', '=', userId)
    .where('connection_id', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

async function revokeKeys(tx: Tx, userId: string, at: Date): Promise<number> {
  const { numUpdatedRows: revoked } = await tx
    .updateTable('api_key')
    .set({ revoked_at: at })
    .where('user_id', '=', userId)
    .where('connection_id', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(revoked)
}
