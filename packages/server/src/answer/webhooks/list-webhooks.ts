import type { WebhookDeliveryPage, WebhookPage } from '@cairnstore/contract'
import { openPage, type PageAsked } from '../../base/cursor.ts'
import { Fault } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import type { Ctx } from '../context.ts'
import { ATTEMPTS_KEPT_MS } from './note-attempt.ts'
import { webhookOf, wireDelivery, wireWebhook } from './store.ts'

type Listing = Pick<Ctx, 'caller' | 'clock' | 'cursors' | 'sql'>

/** One page of a sandbox's endpoints, newest first. */
export async function listWebhooks(ctx: Listing, reach: Reach, asked: PageAsked): Promise<WebhookPage> {
  const page = openPage(ctx.cursors, ['webhooks', ctx.caller.accountId, reach.sandboxId], asked)
  const found = await ctx.sql.transact(reach.holderId, (tx) => {
    const query = tx.selectFrom('webhook').selectAll().where(ofSandbox(reach)).orderBy('id', 'desc').limit(page.rowsMax)
    return (page.after ? query.where('id', '<', String(page.after[0])) : query).execute()
  })
  const { rows, end } = page.cut(found, (last) => [last.id])
  return { webhooks: rows.map(wireWebhook), ...end }
}

/** One page of what was sent to an endpoint lately, newest first. Throws `not_found`. */
export async function listWebhookDeliveries(
  ctx: Listing,
  reach: Reach,
  webhookId: string,
  asked: PageAsked,
): Promise<WebhookDeliveryPage> {
  const page = openPage(ctx.cursors, ['webhook-deliveries', ctx.caller.accountId, reach.sandboxId, webhookId], asked)
  const since = new Date(ctx.clock.now().getTime() - ATTEMPTS_KEPT_MS)
  const ref = { userId: reach.holderId, sandboxId: reach.sandboxId, webhookId }
  const found = await ctx.sql.transact(reach.holderId, async (tx) => {
    if (!(await webhookOf(tx, ref).executeTakeFirst())) throw new Fault('not_found')
    const query = tx
      .selectFrom('webhook_delivery')
      .selectAll()
      .where(ofSandbox(ref))
      .where('webhook_id', '=', webhookId)
      .where('attempted_at', '>', since)
      .orderBy('id', 'desc')
      .limit(page.rowsMax)
    return (page.after ? query.where('id', '<', String(page.after[0])) : query).execute()
  })
  const { rows, end } = page.cut(found, (last) => [last.id])
  return { deliveries: rows.map(wireDelivery), ...end }
}
