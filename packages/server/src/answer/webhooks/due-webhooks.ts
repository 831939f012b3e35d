import { type ExpressionBuilder, sql } from 'kysely'
import type { Tx } from '../../db/open.ts'
import type { Tables } from '../../db/tables.ts'
import { BACKOFF_MS_MAX } from '../../sources/polling/due.ts'
import type { Planes } from '../../store/planes.ts'
import type { WebhookRef } from './store.ts'

/** How long nobody else sends to an endpoint whose sender has not come back: longer than an attempt may take. */
export const LEASE_MS = 30_000
/** Whatever lies so many times further ahead than is ever waited was written by a clock that was wrong. */
const FAR = 2

/** Its place among those of its account, the longest left alone first. */
const TURN = sql<number>`row_number() over (
  partition by webhook.user_id order by webhook.last_attempt_at nulls first)`

type Scheduling = Pick<Planes, 'clock' | 'ownerId' | 'sql'>

/** Whether something may be sent to an endpoint now, and nobody is at it. */
export function isDue(is: ExpressionBuilder<Tables, 'webhook'>, { clock, ownerId, sql: { kind } }: Scheduling) {
  const now = clock.now()
  const later = (ms: number) => new Date(now.getTime() + ms)
  const isLeft = is.or([
    is('webhook.lease_until', 'is', null),
    is('webhook.lease_until', '<', now),
    is('webhook.lease_until', '>', later(FAR * LEASE_MS)),
    // Nobody else uses an embedded database, so that another sender is a dead one.
    ...(kind === 'pglite' ? [is('webhook.lease_owner', '!=', ownerId)] : []),
  ])
  const isTime = is.or([
    is('webhook.next_attempt_at', 'is', null),
    is('webhook.next_attempt_at', '<=', now),
    is('webhook.next_attempt_at', '>', later(FAR * BACKOFF_MS_MAX)),
  ])
  return is.and([is('webhook.status', '=', 'active'), isTime, isLeft])
}

/** The endpoints that something waits for. */
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

/** The endpoints that something waits for, the longest left alone first, of one account no more than `perAccount`. */
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
