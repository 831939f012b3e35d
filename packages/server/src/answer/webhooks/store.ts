import type { Id, Webhook, WebhookDelivery, WebhookEvent } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { PullFailure } from '../../base/pull-failure.ts'
import type { SafeFetch } from '../../base/safe-fetch.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { POST_FAILURES, type PostFailure } from './post-message.ts'

/** Which endpoint. */
export interface WebhookRef extends SandboxRef {
  readonly webhookId: string
}

/** What an endpoint is told of, as a row has it and as it is read. */
export const eventList = {
  pack: (events: readonly WebhookEvent[]): string => [...new Set(events)].sort().join(','),
  // Only pack writes it.
  unpack: (text: string) => text.split(',') as WebhookEvent[],
}

/** The endpoint's row, to change. */
export function updateWebhookOf(tx: Tx, { userId, sandboxId, webhookId }: WebhookRef) {
  return tx.updateTable('webhook').where(ofSandbox({ userId, sandboxId }, { id: webhookId }))
}

/** The endpoint's row, to read. */
export function webhookOf(tx: Tx, { userId, sandboxId, webhookId }: WebhookRef) {
  return tx
    .selectFrom('webhook')
    .selectAll()
    .where(ofSandbox({ userId, sandboxId }, { id: webhookId }))
}

/** Throws `not_deliverable` for an address that nothing is sent to, looked at as those of users' tool servers are. */
export async function assertDeliverable(network: SafeFetch, given: string): Promise<void> {
  if (BLANK_OR_CONTROL.test(given) || !URL.canParse(given)) throw notDeliverable('misconfigured')
  try {
    await network.assertCallable(new URL(given))
  } catch (error) {
    throw error instanceof PullFailure ? notDeliverable(error.reason) : error
  }
}

/** Reading an address drops some of these, so that another one would be called than is shown. */
const BLANK_OR_CONTROL = /[\s\p{Cc}]/u

function notDeliverable(type: string): Fault {
  const msg =
    type === 'blocked_address'
      ? 'This is inside a network.'
      : 'This is no https address on port 443, without spaces and control characters.'
  return new Fault('not_deliverable', { problems: [{ loc: ['body', 'url'], msg, type }] })
}

/** An endpoint's row as the contract shows it. */
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

/** An attempt's row as the contract shows it. */
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
