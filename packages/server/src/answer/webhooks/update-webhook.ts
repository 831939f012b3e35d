import type { UpdateWebhook, Webhook } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import type { Row } from '../../db/tables.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import type { Ctx } from '../context.ts'
import { assertDeliverable, eventList, updateWebhookOf, webhookOf, wireWebhook } from './store.ts'

/**
 * Changes an endpoint. What is omitted keeps its value. One that is made active, or gets another address, is tried at
 * once and begins anew with its failures; it goes on with the change that has not arrived. Throws `not_found`,
 * `not_deliverable`, and `sandbox_not_active`.
 */
export async function updateWebhook(
  ctx: Pick<Ctx, 'deliverer' | 'network' | 'sql'> & Recording,
  reach: Reach,
  webhookId: string,
  change: UpdateWebhook,
): Promise<Webhook> {
  assertWritable(reach)
  if (change.url) await assertDeliverable(ctx.network, change.url)
  const ref = { userId: reach.holderId, sandboxId: reach.sandboxId, webhookId }
  const afresh: Partial<Row<'webhook'>> = {
    failures: 0,
    failing_since: null,
    last_error: null,
    next_attempt_at: null,
    disabled_reason: null,
  }
  const updated = await ctx.sql.transact(reach.holderId, async (tx) => {
    const old = await webhookOf(tx, ref)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    if (Object.keys(change).length === 0) return wireWebhook(old)
    const isTriedAnew = change.status === 'active' || (change.url && old.status !== 'disabled')
    const row = await updateWebhookOf(tx, ref)
      .set({
        url: change.url ?? old.url,
        description: change.description === undefined ? old.description : change.description,
        events: change.events ? eventList.pack(change.events) : old.events,
        status: change.status ?? old.status,
        ...(isTriedAnew && afresh),
        ...(change.status === 'paused' && { disabled_reason: null }),
        updated_at: ctx.clock.now(),
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordEvent(ctx, tx, { holderId: ref.userId, sandboxId: ref.sandboxId, subjectId: webhookId })
    return wireWebhook(row)
  })
  ctx.deliverer.wake()
  return updated
}
