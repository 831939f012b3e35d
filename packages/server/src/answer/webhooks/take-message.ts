import { newId } from '../../base/id.ts'
import { type Head, headOf } from '../../db/head.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { Planes } from '../../store/planes.ts'
import { isDue, LEASE_MS } from './due-webhooks.ts'
import { type Pending, readPending } from './pending-message.ts'
import { signingRef } from './signing.ts'
import { eventList, updateWebhookOf, type WebhookRef, webhookOf } from './store.ts'

/** What sending needs of the planes. */
export type SendingPlanes = Pick<Planes, 'clock' | 'knowledge' | 'log' | 'ownerId' | 'secrets' | 'sql'>

/** A message that is to be sent now, under a lease whose epoch whatever is written of it names. */
export interface Taken {
  readonly row: Row<'webhook'>
  readonly epoch: number
  readonly messageId: string
  readonly pending: Pending
  readonly head: Head
}

/** How long an endpoint is left alone whose sandbox or account is not active. */
const INACTIVE_MS = 60_000

/**
 * Takes the message that is next for an endpoint: the one that was begun before, or a new one, whose id and end are
 * kept before anything is sent. `idle` when there is none, or somebody else is at it; `skipped` when of what was looked
 * through it is told nothing, and there may be more.
 */
export async function takeMessage(planes: SendingPlanes, ref: WebhookRef): Promise<Taken | 'idle' | 'skipped'> {
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

/** What an endpoint's messages are signed with: the present secret, and in its grace the one before. */
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
    if (found.length === 0) throw new Error('the signing secret of an endpoint is not there')
    return found
  })
}

/** The head of a sandbox that is active, as its account is. */
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
