import {
  type CreateWebhook,
  type Done,
  type SecretWebhook,
  type UpdateWebhook,
  WEBHOOK_EVENTS,
  type Webhook,
  type WebhookDelivery,
  type WebhookDeliveryPage,
  type WebhookPage,
  type webhookOperations,
} from '@cairnstore/contract'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { openPage, type PageRequest } from '../../base/cursor.ts'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { ofSandbox, sandboxColumns } from '../../db/of-sandbox.ts'
import type { Row } from '../../db/tables.ts'
import { storedChangeRange } from '../../store/changes.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { type AuditContext, recordEvent } from '../../tenancy/audit/record-event.ts'
import { type IdempotencyContext, storeReply } from '../../tenancy/idempotency/keyed-request.ts'
import { assertBelow, assertWritable, lockForGrowth } from '../../tenancy/sandboxes/assert-writable.ts'
import type { AnswerCtx, AnswerHandlers } from '../context.ts'
import { openSigningSecrets, testMessage } from './claim-message.ts'
import { dropSigningSecrets, newSigningSecret, postMessage, signingRef } from './post-message.ts'
import { ATTEMPTS_KEPT_MS, storeAttempt } from './record-attempt.ts'
import { assertDeliverable, eventList, updateWebhookOf, webhookOf, wireDelivery, wireWebhook } from './store.ts'

export const handlers: AnswerHandlers<typeof webhookOperations> = {
  createWebhook: (ctx, { access, body }) => createWebhook(ctx, access, body),
  listWebhooks: (ctx, { access, query }) => listWebhooks(ctx, access, query),
  updateWebhook: (ctx, { access, params, body }) => updateWebhook(ctx, access, params.webhook_id, body),
  deleteWebhook: (ctx, { access, params }) => deleteWebhook(ctx, access, params.webhook_id),
  rotateSigningSecret: (ctx, { access, params, body }) =>
    rotateSigningSecret(ctx, access, params.webhook_id, body.grace_seconds ?? 0),
  testWebhook: (ctx, { access, params }) => testWebhook(ctx, access, params.webhook_id),
  listWebhookDeliveries: (ctx, { access, params, query }) =>
    listWebhookDeliveries(ctx, access, params.webhook_id, query),
}

/** Maximum number of endpoints of one sandbox. Each one receives every change. */
const WEBHOOKS_MAX = 10

/**
 * Creates a webhook and returns its signing secret. It receives the changes from now on. Throws `not_deliverable`,
 * `sandbox_not_active` and `quota_exceeded`.
 */
async function createWebhook(
  ctx: Pick<AnswerCtx, 'limits' | 'network' | 'secrets' | 'sql'> & AuditContext & IdempotencyContext,
  access: AccessScope,
  input: CreateWebhook,
): Promise<SecretWebhook> {
  assertWritable(access)
  await assertDeliverable(ctx.network, input.url)
  const id = newId('webhook', ctx.clock)
  const secret = newSigningSecret()
  const place = { userId: access.holderId, sandboxId: access.sandboxId }
  const now = ctx.clock.now()
  return ctx.sql.transact(access.holderId, async (tx) => {
    await lockForGrowth(tx, access, ctx.limits)
    const { count } = await tx
      .selectFrom('webhook')
      .select((is) => is.fn.countAll<number>().as('count'))
      .where(ofSandbox(place))
      .executeTakeFirstOrThrow()
    assertBelow(WEBHOOKS_MAX, count, 'webhooks')
    const { head } = await storedChangeRange(tx, place)
    const row = await tx
      .insertInto('webhook')
      .values({
        ...sandboxColumns(place),
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
    await storeReply(ctx, tx, webhook)
    return webhook
  })
}

type WebhooksCtx = Pick<AnswerCtx, 'caller' | 'clock' | 'cursors' | 'sql'>

/** Returns one page of a sandbox's webhooks, newest first. */
async function listWebhooks(ctx: WebhooksCtx, access: AccessScope, asked: PageRequest): Promise<WebhookPage> {
  const page = openPage(ctx.cursors, ['webhooks', ctx.caller.accountId, access.sandboxId], asked)
  const found = await ctx.sql.transact(access.holderId, (tx) => {
    const query = tx
      .selectFrom('webhook')
      .selectAll()
      .where(ofSandbox(access))
      .orderBy('id', 'desc')
      .limit(page.rowsMax)
    return (page.after ? query.where('id', '<', String(page.after[0])) : query).execute()
  })
  const { rows, end } = page.cut(found, (last) => [last.id])
  return { webhooks: rows.map(wireWebhook), ...end }
}

/** Returns one page of a webhook's recent deliveries, newest first. Throws `not_found`. */
async function listWebhookDeliveries(
  ctx: WebhooksCtx,
  access: AccessScope,
  webhookId: string,
  asked: PageRequest,
): Promise<WebhookDeliveryPage> {
  const page = openPage(ctx.cursors, ['webhook-deliveries', ctx.caller.accountId, access.sandboxId, webhookId], asked)
  const since = new Date(ctx.clock.now().getTime() - ATTEMPTS_KEPT_MS)
  const ref = { userId: access.holderId, sandboxId: access.sandboxId, webhookId }
  const found = await ctx.sql.transact(access.holderId, async (tx) => {
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

/**
 * Updates a webhook. An omitted field keeps its value. If the webhook is activated or its URL changes, its failures are
 * reset and delivery continues at once, from the first undelivered change. Throws `not_found`, `not_deliverable` and
 * `sandbox_not_active`.
 */
async function updateWebhook(
  ctx: Pick<AnswerCtx, 'deliverer' | 'network' | 'sql'> & AuditContext,
  access: AccessScope,
  webhookId: string,
  change: UpdateWebhook,
): Promise<Webhook> {
  assertWritable(access)
  if (change.url) await assertDeliverable(ctx.network, change.url)
  const ref = { userId: access.holderId, sandboxId: access.sandboxId, webhookId }
  const afresh: Partial<Row<'webhook'>> = {
    failures: 0,
    failing_since: null,
    last_error: null,
    next_attempt_at: null,
    disabled_reason: null,
  }
  const updated = await ctx.sql.transact(access.holderId, async (tx) => {
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

/** Deletes a webhook with its secrets and deliveries. Throws `not_found`. */
async function deleteWebhook(
  ctx: Pick<AnswerCtx, 'secrets' | 'sql'> & AuditContext,
  access: AccessScope,
  webhookId: string,
): Promise<Done> {
  const place = { userId: access.holderId, sandboxId: access.sandboxId }
  await ctx.sql.transact(access.holderId, async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('webhook')
      .where(ofSandbox(place, { id: webhookId }))
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw new Fault('not_found')
    await dropSigningSecrets(ctx.secrets, tx, place, webhookId)
    await recordEvent(ctx, tx, { holderId: place.userId, sandboxId: place.sandboxId, subjectId: webhookId })
  })
  return { success: true, message: 'The webhook and its secret are deleted.' }
}

/** Sends one test message to a webhook and returns the result. Throws `not_found` and `sandbox_not_active`. */
async function testWebhook(
  ctx: Pick<AnswerCtx, 'network' | 'secrets' | 'signal' | 'sql' | 'slot'> & AuditContext,
  access: AccessScope,
  webhookId: string,
): Promise<WebhookDelivery> {
  assertWritable(access)
  const ref = { userId: access.holderId, sandboxId: access.sandboxId, webhookId }
  const read = () => ctx.sql.transact(ref.userId, (tx) => webhookOf(tx, ref).executeTakeFirst())
  const row = await read()
  if (!row) throw new Fault('not_found')
  const secrets = await openSigningSecrets(ctx, ref, row)
  const now = ctx.clock.now()
  const messageId = newId('message', ctx.clock)
  const message = { id: messageId, at: now, body: JSON.stringify(testMessage(ref, now)) }
  // From here on the request only waits for the endpoint.
  ctx.slot.rest()
  const posted = await postMessage(ctx.network, row.url, message, secrets, ctx.signal)
  return ctx.sql.transact(ref.userId, async (tx) => {
    // The webhook may have been deleted meanwhile.
    await webhookOf(tx, ref)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    const kept = await storeAttempt(ctx, tx, ref, { messageId, changes: 0, posted })
    await recordEvent(ctx, tx, { holderId: ref.userId, sandboxId: ref.sandboxId, subjectId: webhookId })
    return wireDelivery(kept)
  })
}

/**
 * Creates a new signing secret, which only this response contains. The previous secret also signs during its grace
 * period. An older secret that is still in its grace period expires at once. Throws `not_found` and
 * `sandbox_not_active`.
 */
async function rotateSigningSecret(
  ctx: Pick<AnswerCtx, 'secrets' | 'sql'> & AuditContext & IdempotencyContext,
  access: AccessScope,
  webhookId: string,
  graceSeconds: number,
): Promise<SecretWebhook> {
  assertWritable(access)
  const secret = newSigningSecret()
  const place = { userId: access.holderId, sandboxId: access.sandboxId }
  const ref = { ...place, webhookId }
  const [signing, previous] = [signingRef(webhookId, 'signing'), signingRef(webhookId, 'previous')]
  return ctx.sql.transact(access.holderId, async (tx) => {
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
    await storeReply(ctx, tx, webhook)
    return webhook
  })
}
