import { type CreateWebhook, type SecretWebhook, WEBHOOK_EVENTS } from '@cairnstore/contract'
import { newId } from '../../base/id.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import { changesKept } from '../../store/changes.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import { type Keeping, keepReply } from '../../tenancy/idempotency/keep-reply.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertBelow, assertWritable, lockForGrowth } from '../../tenancy/sandboxes/assert-writable.ts'
import type { Ctx } from '../context.ts'
import { newSigningSecret, signingRef } from './signing.ts'
import { assertDeliverable, eventList, wireWebhook } from './store.ts'

/** Endpoints of one sandbox: each is sent every change. */
const WEBHOOKS_MAX = 10

/**
 * Has what changes from now on sent to an address, and shows what its messages are signed with. Throws
 * `not_deliverable`, `sandbox_not_active` and `quota_exceeded`.
 */
export async function createWebhook(
  ctx: Pick<Ctx, 'limits' | 'network' | 'secrets' | 'sql'> & Recording & Keeping,
  reach: Reach,
  input: CreateWebhook,
): Promise<SecretWebhook> {
  assertWritable(reach)
  await assertDeliverable(ctx.network, input.url)
  const id = newId('webhook', ctx.clock)
  const secret = newSigningSecret()
  const place = { userId: reach.holderId, sandboxId: reach.sandboxId }
  const now = ctx.clock.now()
  return ctx.sql.transact(reach.holderId, async (tx) => {
    await lockForGrowth(tx, reach, ctx.limits)
    const { count } = await tx
      .selectFrom('webhook')
      .select((is) => is.fn.countAll<number>().as('count'))
      .where(ofSandbox(place))
      .executeTakeFirstOrThrow()
    assertBelow(WEBHOOKS_MAX, count, 'webhooks')
    const { head } = await changesKept(tx, place)
    const row = await tx
      .insertInto('webhook')
      .values({
        user_id: place.userId,
        sandbox_id: place.sandboxId,
        id,
        url: input.url,
        description: input.description ?? null,
        events: eventList.pack(input.events ?? WEBHOOK_EVENTS),
        next_seq: head + 1,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await ctx.secrets.put(tx, place, signingRef(id, 'signing'), secret)
    await recordEvent(ctx, tx, { holderId: place.userId, sandboxId: place.sandboxId, subjectId: id })
    const webhook = { ...wireWebhook(row), signing_secret: secret }
    await keepReply(ctx, tx, webhook)
    return webhook
  })
}
