import type { CreateAccount, CreatedAccount } from '@cairnstore/contract'
import { newId } from '../../base/id.ts'
import { newApiKey } from '../accounts/key-format.ts'
import { insertAccount, insertKey } from '../accounts/store.ts'
import { type Recording, recordEvent } from '../audit/record-event.ts'
import type { Ctx } from '../context.ts'
import { type Keeping, keepReply } from '../idempotency/keep-reply.ts'

const KEY_NAME = 'First key'

/** Makes an account with its first API key, whose plaintext is in the reply and nowhere else; `account_exists`. */
export async function createAccount(
  ctx: Pick<Ctx, 'sql'> & Recording & Keeping,
  input: CreateAccount,
): Promise<CreatedAccount> {
  const userId = input.user_id ?? newId('account', ctx.clock)
  const displayName = input.display_name ?? userId
  const createdAt = ctx.clock.now()
  const key = newApiKey()
  const made = { user_id: userId, display_name: displayName, key }
  await ctx.sql.transact({ tenant: userId, operator: true }, async (tx) => {
    await insertAccount(tx, userId, displayName, createdAt)
    await insertKey(tx, { userId, id: newId('key', ctx.clock), name: KEY_NAME, key, createdAt, expiresAt: null })
    await recordEvent(ctx, tx, { holderId: userId, subjectId: userId })
    await keepReply(ctx, tx, made)
  })
  return made
}
