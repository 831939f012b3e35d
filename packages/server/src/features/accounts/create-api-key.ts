import type { CreateApiKey, CreatedApiKey } from '@cairn/contract'
import { newId } from '../../base/id.ts'
import type { Ctx } from '../handler.ts'
import { keepReply } from '../idempotency/keep-reply.ts'
import { recordEvent } from '../sharing/record-event.ts'
import { keyPrefix, newApiKey } from './key-format.ts'
import { insertKey } from './store.ts'

const MS_PER_DAY = 24 * 60 * 60 * 1000
const WARNING = 'This key is shown only here. Keep it safe: whoever holds it can act as this account.'

/** Makes an API key of the caller's account. Its plaintext is in the reply and nowhere else. */
export async function createApiKey(ctx: Ctx, { name, expires_in_days: days }: CreateApiKey): Promise<CreatedApiKey> {
  const { accountId: userId } = ctx.caller
  const createdAt = ctx.clock.now()
  const expiresAt = days ? new Date(createdAt.getTime() + days * MS_PER_DAY) : null
  const id = newId('key', ctx.clock)
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
  await ctx.sql.transact(userId, async (tx) => {
    await insertKey(tx, { userId, id, name, key, createdAt, expiresAt })
    await recordEvent(ctx, tx, { holderId: userId, subjectId: id })
    await keepReply(ctx, tx, created)
  })
  return created
}
