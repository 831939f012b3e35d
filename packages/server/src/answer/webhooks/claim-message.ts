import type { Change, WebhookEvent, WebhookMessage } from '@cairnstore/contract'
import { newId } from '../../base/id.ts'
import { type Head, headOf } from '../../db/head.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { readChanges, storedChangeRange } from '../../store/changes.ts'
import type { Planes } from '../../store/planes.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import {
  changesIn,
  describeChanges,
  isBefore,
  type Position,
  type RawChange,
  toChange,
} from '../changes/describe-changes.ts'
import { signingRef } from './post-message.ts'
import { eventList, isDue, LEASE_MS, updateWebhookOf, type WebhookRef, webhookOf } from './store.ts'

/** Services that a delivery needs. */
export type SendingPlanes = Pick<Planes, 'clock' | 'knowledge' | 'log' | 'observe' | 'ownerId' | 'secrets' | 'sql'>

/** A message to send, with its lease. Every write for it checks the epoch of the lease (fencing token). */
export interface ClaimedMessage {
  readonly row: Row<'webhook'>
  readonly epoch: number
  readonly messageId: string
  readonly pending: Pending
  readonly head: Head
}

/** Milliseconds until a webhook of an inactive sandbox or account is checked again. */
const INACTIVE_MS = 60_000

/**
 * Takes the next message of a webhook: an unfinished one or a new one. The id and end of a new message are stored
 * before it is sent. Returns `idle` if there is no message or another process has it. Returns `skipped` if the scanned
 * changes match no event of the webhook and there may be more changes.
 */
export async function claimMessage(
  planes: SendingPlanes,
  ref: WebhookRef,
): Promise<ClaimedMessage | 'idle' | 'skipped'> {
  const now = planes.clock.now()
  return planes.sql.transact(ref.userId, async (tx) => {
    const row = await webhookOf(tx, ref)
      .where((is) => isDue(is, planes))
      .forNoKeyUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (!row) return 'idle'
    const head = await activeHead(tx, ref)
    if (!head) {
      const later = new Date(now.getTime() + INACTIVE_MS)
      await updateWebhookOf(tx, ref).set({ next_attempt_at: later }).execute()
      return 'idle'
    }
    const begin = { seq: row.next_seq, at: row.next_at }
    const end = row.message_id === null ? null : { seq: row.message_seq!, at: row.message_at! }
    const pending = await readPending(tx, ref, begin, end, eventList.unpack(row.events))
    if (pending.changes.length === 0) {
      const none = { message_id: null, message_seq: null, message_at: null }
      await updateWebhookOf(tx, ref)
        .set({ next_seq: pending.end.seq, next_at: pending.end.at, ...none })
        .execute()
      return pending.isMore ? 'skipped' : 'idle'
    }
    const messageId = row.message_id ?? newId('message', planes.clock)
    const epoch = row.lease_epoch + 1
    await updateWebhookOf(tx, ref)
      .set({
        message_id: messageId,
        message_seq: pending.end.seq,
        message_at: pending.end.at,
        last_attempt_at: now,
        lease_owner: planes.ownerId,
        lease_epoch: epoch,
        lease_until: new Date(now.getTime() + LEASE_MS),
      })
      .execute()
    return { row, epoch, messageId, pending, head }
  })
}

/** Returns the secrets that sign messages: the current one, and the previous one during its grace period. */
export async function openSigningSecrets(
  planes: Pick<SendingPlanes, 'clock' | 'secrets' | 'sql'>,
  ref: WebhookRef,
  row: Row<'webhook'>,
): Promise<string[]> {
  const isInGrace = row.previous_secret_until !== null && row.previous_secret_until > planes.clock.now()
  return planes.sql.transact(ref.userId, async (tx) => {
    const found: string[] = []
    for (const purpose of isInGrace ? (['signing', 'previous'] as const) : (['signing'] as const)) {
      const secret = await planes.secrets.find(tx, ref, signingRef(ref.webhookId, purpose))
      if (secret !== undefined) found.push(secret)
    }
    if (found.length === 0) throw new Error('the signing secret of a webhook is missing')
    return found
  })
}

/** Returns the head of a sandbox; undefined unless the sandbox and its account are active. */
async function activeHead(tx: Tx, { userId, sandboxId }: WebhookRef): Promise<Head | undefined> {
  const row = await tx
    .selectFrom('sandbox_head as head')
    .innerJoin('sandbox', (join) =>
      join.onRef('sandbox.user_id', '=', 'head.user_id').onRef('sandbox.id', '=', 'head.sandbox_id'),
    )
    .innerJoin('account', 'account.user_id', 'sandbox.user_id')
    .selectAll('head')
    .where('head.user_id', '=', userId)
    .where('head.sandbox_id', '=', sandboxId)
    .where('sandbox.status', '=', 'active')
    .where('account.status', '=', 'active')
    .executeTakeFirst()
  return row && headOf(row)
}

/** Maximum changes in one message. */
const CHANGES_PER_MESSAGE = 100
const COMMITS_PER_READ = 16
/** Maximum number of commits that are scanned at a time. If none matches, the next run continues from there. */
const COMMITS_MAX = 256

/** The changes of a message, and the position after them. */
interface Pending {
  readonly changes: readonly RawChange[]
  /** Position of the first change after the message. */
  readonly end: Position
  /** True if some earlier changes are no longer stored. */
  readonly missed: boolean
  /** True if there may be more changes. */
  readonly isMore: boolean
}

/**
 * Returns the next changes that match a webhook's events, up to the message limit. For an unfinished message, `end` is
 * its stored end. A retry therefore contains the same changes.
 */
async function readPending(
  tx: Tx,
  sandbox: SandboxRef,
  begin: Position,
  end: Position | null,
  events: readonly WebhookEvent[],
): Promise<Pending> {
  const { from, head } = await storedChangeRange(tx, sandbox)
  const missed = begin.seq <= from
  const subscribed = new Set<string>(events)
  const changes: RawChange[] = []
  let seen = missed ? { seq: from + 1, at: 0 } : begin
  for (let looked = 0; looked < COMMITS_MAX; looked += COMMITS_PER_READ) {
    const commits = await readChanges(tx, sandbox, seen.seq, COMMITS_PER_READ)
    for (const each of commits.flatMap((commit) => changesIn(commit, null))) {
      if (isBefore(each, seen) || !subscribed.has(`${each.kind}.${each.change}`)) continue
      if (end && !isBefore(each, end)) return { changes, end, missed, isMore: true }
      if (changes.length === CHANGES_PER_MESSAGE) return { changes, end: after(changes), missed, isMore: true }
      changes.push(each)
    }
    const last = commits.at(-1)
    if (commits.length < COMMITS_PER_READ || !last) {
      const after = Math.max(head, last?.seq ?? 0, seen.seq - 1) + 1
      return { changes, end: end ?? { seq: after, at: 0 }, missed, isMore: end !== null }
    }
    seen = { seq: last.seq + 1, at: 0 }
  }
  return { changes, end: end ?? seen, missed, isMore: true }
}

function after(changes: readonly RawChange[]): Position {
  const { seq, at } = changes.at(-1)!
  return { seq, at: at + 1 }
}

/** Maximum number of characters of a title or name in a message. A URL that exceeds its own limit is omitted. */
const TITLE_CHARS_MAX = 256
const URL_CHARS_MAX = 2048

/** Returns a message about changes, with current data. Under a customer-managed key it contains only ids. */
export async function changeMessage(
  planes: Pick<Planes, 'knowledge'>,
  ref: WebhookRef,
  head: Head,
  { changes, missed }: { changes: readonly RawChange[]; missed: boolean },
): Promise<WebhookMessage> {
  const payload =
    head.keyEpoch === null ? await describePending(planes, ref, head, changes) : changes.map((raw) => toChange(raw))
  const timestamp = changes.at(-1)!.changedAt.toISOString()
  return messageOf('sandbox.changed', ref, timestamp, { changes: payload, missed })
}

export function testMessage(ref: WebhookRef, now: Date): WebhookMessage {
  return messageOf('webhook.test', ref, now.toISOString(), { changes: [], missed: false })
}

function messageOf(
  type: WebhookMessage['type'],
  { sandboxId, webhookId }: WebhookRef,
  timestamp: string,
  content: Pick<WebhookMessage['data'], 'changes' | 'missed'>,
): WebhookMessage {
  return { type, timestamp, data: { sandbox_id: sandboxId, webhook_id: webhookId, ...content } }
}

async function describePending(
  { knowledge }: Pick<Planes, 'knowledge'>,
  { userId, sandboxId }: WebhookRef,
  head: Head,
  changes: readonly RawChange[],
): Promise<Change[]> {
  const view = await knowledge.view({ userId, sandboxId }, head)
  const changeReader = { view, scope: null, shownSource: (id: string | null) => id }
  const found = await describeChanges(changeReader, changes, changes.length)
  return found.changes.map(({ change: { title, url, ...change } }) => ({
    ...change,
    ...(title && { title: truncate(title) }),
    ...(url && url.length <= URL_CHARS_MAX && { url }),
  }))
}

/** Truncates a title without splitting a surrogate pair. */
function truncate(title: string): string {
  return title.length <= TITLE_CHARS_MAX ? title : `${title.slice(0, TITLE_CHARS_MAX).replace(/\p{Surrogate}$/u, '')}…`
}
