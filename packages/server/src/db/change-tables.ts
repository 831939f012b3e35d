import type { Generated } from 'kysely'
import type { JsonObject } from './json-object.ts'

/** What a commit changed of what a sandbox knows, by ids alone (`store/changes.ts`). */
export interface ChangeTable {
  user_id: string
  sandbox_id: string
  seq: number
  committed_at: Date
  changes: JsonObject
}

/** An address to which the changes of a sandbox are sent, and its own schedule. */
export interface WebhookTable {
  user_id: string
  sandbox_id: string
  id: string
  url: string
  description: string | null
  /** What it is told of, with commas between them. */
  events: string
  status: Generated<'active' | 'paused' | 'disabled'>
  disabled_reason: 'failing' | 'gone' | null
  /** Until when messages are signed with the secret before the present one as well. */
  previous_secret_until: Date | null
  /** The first change that has not arrived: its commit, and its place in it. */
  next_seq: number
  next_at: Generated<number>
  /** The message that is being sent, and the change after its last one; null when none is. */
  message_id: string | null
  message_seq: number | null
  message_at: number | null
  /** Attempts that failed one after another, and when the first of them was made. */
  failures: Generated<number>
  failing_since: Date | null
  last_error: string | null
  last_attempt_at: Date | null
  last_delivered_at: Date | null
  /** When something is sent next; null means as soon as there is something. */
  next_attempt_at: Date | null
  /** Who sends to it now, and until when unless they come back; each sender has an epoch. */
  lease_owner: string | null
  lease_epoch: Generated<number>
  lease_until: Date | null
  created_at: Date
  updated_at: Date
}

/** One attempt to send a message, without what it said. */
export interface WebhookDeliveryTable {
  user_id: string
  sandbox_id: string
  webhook_id: string
  id: string
  message_id: string
  attempted_at: Date
  /** What the endpoint answered; null when it did not. */
  status_code: number | null
  /** Why it failed; null when it arrived. */
  reason: string | null
  change_count: number
  duration_ms: number
}
