import { sql } from 'kysely'
import { MS_PER_DAY } from '../../base/clock.ts'
import { newId } from '../../base/id.ts'
import { appendAudit } from '../../db/audit.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { backoffMs, type RandomSource } from '../../sources/polling/due.ts'
import type { ClaimedMessage, SendingPlanes } from './claim-message.ts'
import type { Posted } from './post-message.ts'
import { updateWebhookOf, type WebhookRef, webhookOf } from './store.ts'

/** A webhook is disabled after it has failed for this many milliseconds and this many times. */
const FAILING_MS_MAX = 5 * MS_PER_DAY
const FAILURES_MIN = 20
/** Maximum number of stored attempts. The next constant is the number of milliseconds for which they are stored. */
const ATTEMPTS_KEPT = 1_000
export const ATTEMPTS_KEPT_MS = 7 * MS_PER_DAY

/**
 * Records the result of an attempt and the time of the next one. If the lease was lost, does nothing, and the message
 * is sent again.
 */
export async function recordAttempt(
  planes: SendingPlanes,
  ref: WebhookRef,
  { epoch, messageId, pending }: ClaimedMessage,
  posted: Posted,
  chance: RandomSource,
): Promise<void> {
  await planes.sql.transact(ref.userId, async (tx) => {
    const row = await webhookOf(tx, ref).where('lease_epoch', '=', epoch).forNoKeyUpdate().executeTakeFirst()
    if (!row) return
    const change = posted.reason === null ? afterSuccess(planes, pending) : afterFailure(planes, row, posted, chance)
    const free = { lease_owner: null, lease_until: null }
    await updateWebhookOf(tx, ref)
      .set({ ...free, ...change })
      .execute()
    if (change.status === 'disabled') await recordDisabled(planes, tx, ref)
    await storeAttempt(planes, tx, ref, { messageId, changes: pending.changes.length, posted })
  })
}

/** Releases a webhook after an attempt without a result. It is retried after `waitMs`. */
export async function releaseWebhook(
  planes: SendingPlanes,
  ref: WebhookRef,
  { epoch }: ClaimedMessage,
  waitMs: number,
) {
  const next = new Date(planes.clock.now().getTime() + waitMs)
  await planes.sql.transact(ref.userId, (tx) =>
    updateWebhookOf(tx, ref)
      .set({ lease_owner: null, lease_until: null, ...(waitMs > 0 && { next_attempt_at: next }) })
      .where('lease_epoch', '=', epoch)
      .execute(),
  )
}

type AttemptOutcome = Partial<Row<'webhook'>>

function afterSuccess({ clock }: SendingPlanes, { end }: ClaimedMessage['pending']): AttemptOutcome {
  return {
    next_seq: end.seq,
    next_at: end.at,
    message_id: null,
    message_seq: null,
    message_at: null,
    failures: 0,
    failing_since: null,
    last_error: null,
    last_delivered_at: clock.now(),
    next_attempt_at: null,
  }
}

function afterFailure(
  { clock }: SendingPlanes,
  row: Row<'webhook'>,
  posted: Posted,
  chance: RandomSource,
): AttemptOutcome {
  const now = clock.now()
  const failures = row.failures + 1
  const since = row.failing_since ?? now
  const isFailing = failures >= FAILURES_MIN && now.getTime() - since.getTime() >= FAILING_MS_MAX
  const next = new Date(now.getTime() + backoffMs(failures, posted.retryAfterMs, chance))
  const isDisabled = row.status === 'active' && (posted.reason === 'gone' || isFailing)
  const how = posted.reason === 'gone' ? ('gone' as const) : ('failing' as const)
  return {
    failures,
    failing_since: since,
    last_error: posted.reason,
    next_attempt_at: isDisabled ? null : next,
    ...(isDisabled && { status: 'disabled', disabled_reason: how }),
  }
}

/** Records in the sandbox's audit log that the service disabled the webhook. */
async function recordDisabled({ clock }: SendingPlanes, tx: Tx, { userId, sandboxId, webhookId }: WebhookRef) {
  await appendAudit(tx, {
    user_id: userId,
    chain: sandboxId,
    at: clock.now(),
    actor_user_id: userId,
    credential_id: null,
    event: 'webhook.disabled',
    subject_id: webhookId,
    request_id: null,
  })
}

/** Stored data of an attempt. */
interface Attempt {
  readonly messageId: string
  readonly changes: number
  readonly posted: Posted
}

/** Stores an attempt, and deletes attempts that exceed the limits. */
export async function storeAttempt(
  { clock }: Pick<SendingPlanes, 'clock'>,
  tx: Tx,
  { userId, sandboxId, webhookId }: WebhookRef,
  { messageId, changes, posted }: Attempt,
): Promise<Row<'webhook_delivery'>> {
  const now = clock.now()
  const kept = await tx
    .insertInto('webhook_delivery')
    .values({
      user_id: userId,
      sandbox_id: sandboxId,
      webhook_id: webhookId,
      id: newId('delivery', clock),
      message_id: messageId,
      attempted_at: now,
      status_code: posted.statusCode,
      reason: posted.reason,
      change_count: changes,
      duration_ms: posted.durationMs,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const cutoff = new Date(now.getTime() - ATTEMPTS_KEPT_MS)
  await sql`
    delete from webhook_delivery
    where user_id = ${userId} and sandbox_id = ${sandboxId} and webhook_id = ${webhookId}
      and (attempted_at < ${cutoff} or id <= (
        select id from webhook_delivery
        where user_id = ${userId} and sandbox_id = ${sandboxId} and webhook_id = ${webhookId}
        order by id desc offset ${sql.lit(ATTEMPTS_KEPT)} limit 1))`.execute(tx)
  return kept
}
