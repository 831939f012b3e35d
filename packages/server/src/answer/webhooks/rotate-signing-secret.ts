import type { SecretWebhook } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import { type Keeping, keepReply } from '../../tenancy/idempotency/keep-reply.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import type { Ctx } from '../context.ts'
import { newSigningSecret, signingRef } from './signing.ts'
import { updateWebhookOf, webhookOf, wireWebhook } from './store.ts'

const MS_PER_SECOND = 1000

/**
 * Gives an endpoint a new signing secret, shown in this reply alone. The one that was in use signs as well for the
 * grace, and one that was in its grace already ends at once. Throws `not_found` and `sandbox_not_active`.
 */
export async function rotateSigningSecret(
  ctx: Pick<Ctx, 'secrets' | 'sql'> & Recording & Keeping,
  reach: Reach,
  webhookId: string,
  graceSeconds: number,
): Promise<SecretWebhook> {
  assertWritable(reach)
  const secret = newSigningSecret()
  const place = { userId: reach.holderId, sandboxId: reach.sandboxId }
  const ref = { ...place, webhookId }
  const [signing, previous] = [signingRef(webhookId, 'signing'), signingRef(webhookId, 'previous')]
  return ctx.sql.transact(reach.holderId, async (tx) => {
    await webhookOf(tx, ref)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    const old = graceSeconds > 0 ? await ctx.secrets.find(tx, place, signing) : undefined
    if (old === undefined) await ctx.secrets.destroy(tx, place, previous)
    else await ctx.secrets.put(tx, place, previous, old)
    await ctx.secrets.put(tx, place, signing, secret)
    const now = ctx.clock.now()
    const until = old === undefined ? null : new Date(now.getTime() + graceSeconds * MS_PER_SECOND)
    const row = await updateWebhookOf(tx, ref)
      .set({ previous_secret_until: until, updated_at: now })
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordEvent(ctx, tx, { holderId: place.userId, sandboxId: place.sandboxId, subjectId: webhookId })
    const webhook = { ...wireWebhook(row), signing_secret: secret }
    await keepReply(ctx, tx, webhook)
    return webhook
  })
}
