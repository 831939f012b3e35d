import type { Id, Webhook, WebhookDelivery, WebhookEvent } from '@cairnstore/contract'
import { type ExpressionBuilder, sql } from 'kysely'
import { Fault } from '../../base/fault.ts'
import { PullFailure } from '../../base/pull-failure.ts'
import type { SafeFetch } from '../../base/safe-fetch.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row, Tables } from '../../db/tables.ts'
import { BACKOFF_MS_MAX } from '../../sources/polling/due.ts'
import type { Planes } from '../../store/planes.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { POST_FAILURES, type PostFailure } from './post-message.ts'

export interface WebhookRef extends SandboxRef {
  readonly webhookId: string
}

/** Converts the events of a webhook to and from its row. */
export const eventList = {
  pack: (events: readonly WebhookEvent[]): string => [...new Set(events)].sort().join(','),
  // The text always comes from `pack`.
  unpack: (text: string) => text.split(',') as WebhookEvent[],
}

/** Returns an update of the webhook's row. */
export function updateWebhookOf(tx: Tx, { userId, sandboxId, webhookId }: WebhookRef) {
  return tx.updateTable('webhook').where(ofSandbox({ userId, sandboxId }, { id: webhookId }))
}

/** Selects the webhook's row. */
export function webhookOf(tx: Tx, { userId, sandboxId, webhookId }: WebhookRef) {
  return tx
    .selectFrom('webhook')
    .selectAll()
    .where(ofSandbox({ userId, sandboxId }, { id: webhookId }))
}

/** Throws `not_deliverable` for a URL that must not be called. Users' tool servers follow the same rules. */
export async function assertDeliverable(network: SafeFetch, given: string): Promise<void> {
  if (BLANK_OR_CONTROL.test(given) || !URL.canParse(given)) throw notDeliverable('misconfigured')
  try {
    await network.assertCallable(new URL(given))
  } catch (error) {
    throw error instanceof PullFailure ? notDeliverable(error.reason) : error
  }
}

/** Matches characters that a URL parser drops. The URL that is called would differ from the one that is displayed. */
const BLANK_OR_CONTROL = /[\s\p{Cc}]/u

function notDeliverable(type: string): Fault {
  const msg =
    type === 'blocked_address'
      ? 'This address is in a private network.'
      : 'This must be an https URL on port 443 without spaces and control characters.'
  return new Fault('not_deliverable', { problems: [{ loc: ['body', 'url'], msg, type }] })
}

/** Returns the wire form of a webhook's row. */
export function wireWebhook(row: Row<'webhook'>): Webhook {
  return {
    webhook_id: row.id as Id<'webhook'>,
    sandbox_id: row.sandbox_id as Id<'sandbox'>,
    url: row.url,
    description: row.description,
    events: eventList.unpack(row.events),
    status: row.status,
    disabled_reason: row.disabled_reason,
    failures: row.failures,
    failing_since: row.failing_since?.toISOString() ?? null,
    last_error: row.last_error,
    last_attempt_at: row.last_attempt_at?.toISOString() ?? null,
    last_delivered_at: row.last_delivered_at?.toISOString() ?? null,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** Returns the wire form of an attempt's row. */
export function wireDelivery(row: Row<'webhook_delivery'>): WebhookDelivery {
  return {
    delivery_id: row.id as Id<'delivery'>,
    message_id: row.message_id,
    attempted_at: row.attempted_at.toISOString(),
    outcome: row.reason === null ? 'delivered' : 'failed',
    status_code: row.status_code,
    reason: row.reason,
    detail: row.reason === null ? null : (POST_FAILURES[row.reason as PostFailure] ?? null),
    changes: row.change_count,
    duration_ms: row.duration_ms,
  }
}

/** Lease duration in milliseconds. It exceeds the longest attempt. */
export const LEASE_MS = 30_000
/** A stored time that is further ahead than this multiple of the maximum delay was written by a wrong clock. */
const DISTANT_FUTURE = 2

/** Position of a webhook among those of its account, least recently attempted first. */
const TURN = sql<number>`row_number() over (
  partition by webhook.user_id order by webhook.last_attempt_at nulls first)`

type Scheduling = Pick<Planes, 'clock' | 'ownerId' | 'sql'>

/** Returns a condition for webhooks to which a message may be sent now and that have no active lease. */
export function isDue(is: ExpressionBuilder<Tables, 'webhook'>, { clock, ownerId, sql: { kind } }: Scheduling) {
  const now = clock.now()
  const later = (ms: number) => new Date(now.getTime() + ms)
  const isLeft = is.or([
    is('webhook.lease_until', 'is', null),
    is('webhook.lease_until', '<', now),
    is('webhook.lease_until', '>', later(DISTANT_FUTURE * LEASE_MS)),
    // Only one process uses an embedded database, so a lease of another owner is left from a crash.
    ...(kind === 'pglite' ? [is('webhook.lease_owner', '!=', ownerId)] : []),
  ])
  const isTime = is.or([
    is('webhook.next_attempt_at', 'is', null),
    is('webhook.next_attempt_at', '<=', now),
    is('webhook.next_attempt_at', '>', later(DISTANT_FUTURE * BACKOFF_MS_MAX)),
  ])
  return is.and([is('webhook.status', '=', 'active'), isTime, isLeft])
}

/** Selects the due webhooks with pending messages. */
export function dueWebhooks(tx: Pick<Tx, 'selectFrom'>, planes: Scheduling) {
  return tx
    .selectFrom('webhook')
    .innerJoin('sandbox_head as head', (join) =>
      join.onRef('head.user_id', '=', 'webhook.user_id').onRef('head.sandbox_id', '=', 'webhook.sandbox_id'),
    )
    .select('webhook.id')
    .where((is) => isDue(is as unknown as ExpressionBuilder<Tables, 'webhook'>, planes))
    .where((is) => is.or([is('webhook.message_id', 'is not', null), is('head.seq', '>=', is.ref('webhook.next_seq'))]))
}

/** Returns the due webhooks, least recently attempted first, at most `perAccount` per account. */
export async function listDueWebhooks(planes: Scheduling, rowsMax: number, perAccount: number): Promise<WebhookRef[]> {
  const rows = await planes.sql.transact({ worker: true }, (tx) =>
    tx
      .selectFrom((from) =>
        dueWebhooks(from, planes)
          .select(['webhook.user_id', 'webhook.sandbox_id', 'webhook.last_attempt_at'])
          .select(TURN.as('turn'))
          .as('due'),
      )
      .select(['due.user_id', 'due.sandbox_id', 'due.id'])
      .where('due.turn', '<=', perAccount)
      .orderBy(sql`due.last_attempt_at nulls first`)
      .limit(rowsMax)
      .execute(),
  )
  return rows.map((row) => ({ userId: row.user_id, sandboxId: row.sandbox_id, webhookId: row.id }))
}
