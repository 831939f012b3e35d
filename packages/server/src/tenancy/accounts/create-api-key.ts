import type { CreateApiKey, CreatedApiKey } from '@cairnstore/contract'
import { MS_PER_DAY } from '@cairnstore/engine/text'
import { newId } from '../../base/id.ts'
import { type Recording, recordEvent } from '../audit/record-event.ts'
import type { Ctx } from '../context.ts'
import { type Keeping, keepReply } from '../idempotency/keep-reply.ts'
import { keyPrefix, newApiKey } from './key-format.ts'
import { insertKey, type NewKey } from './store.ts'

const WARNING = 'This key is shown only here. Keep it safe: whoever holds it can act as this account.'

/** Makes an API key of the caller's account. Its plaintext is in the reply and nowhere else. */
export async function createApiKey(
  ctx: Pick<Ctx, 'sql'> & Recording & Keeping,
  wanted: CreateApiKey,
): Promise<CreatedApiKey> {
  const { accountId: userId } = ctx.caller
  const { created, row } = newKey(ctx, userId, wanted)
  await ctx.sql.transact(userId, async (tx) => {
    await insertKey(tx, row)
    await recordEvent(ctx, tx, { holderId: userId, subjectId: row.id })
    await keepReply(ctx, tx, created)
  })
  return created
}

/** A new key of an account as its maker is told of it, and as it is stored. */
export function newKey(
  { clock }: Pick<Ctx, 'clock'>,
  userId: string,
  { name, expires_in_days: days }: CreateApiKey,
): { created: CreatedApiKey; row: NewKey } {
  const createdAt = clock.now()
  const expiresAt = days ? new Date(createdAt.getTime() + days * MS_PER_DAY) : null
  const id = newId('key', clock)
  const key = newApiKey()
  const created: CreatedApiKey = {
    id,
    name,
    key,
    key_prefix: keyPrefix(key),
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
    warning: WARNING,
  }
  return { created, row: { userId, id, name, key, createdAt, expiresAt } }
}
