import { shownOnce } from '@cairnstore/contract'
import { sql } from 'kysely'
import type { Tx } from '../../db/open.ts'
import type { Ctx } from '../context.ts'
import type { Planes } from '../planes.ts'
import { KEPT_MS, keep } from './keyed-request.ts'

/** What a kept reply takes of its request. */
export type Keeping = Pick<Ctx, 'operation' | 'keyed'>

/**
 * Keeps a reply for repeats of a request that brought a key, in the transaction of its effect, so that neither is
 * without the other. What is shown once is kept as null. Without a key it does nothing.
 */
export async function keepReply(
  ctx: Keeping,
  tx: Tx,
  body: object,
  status: number = ctx.operation.status,
): Promise<void> {
  if (!ctx.keyed) return
  const secrets = shownOnce(ctx.operation.reply?.json).filter((name) => name in body)
  const hidden = Object.fromEntries(secrets.map((name) => [name, null]))
  await keep(tx, ctx.keyed.request, { status, body: { ...body, ...hidden } })
  ctx.keyed.isKept = true
}

/** Replies dropped in one round. */
const ROWS_MAX = 5_000
const TABLES = ['idempotency', 'admin_idempotency'] as const

/** Removes the stored replies that are older than a day, of all accounts and of the operator. */
export async function dropReplies({ sql: control, clock }: Planes): Promise<void> {
  const cutoff = new Date(clock.now().getTime() - KEPT_MS)
  for (const table of TABLES) {
    await control.transact({ worker: true }, (tx) =>
      sql`delete from ${sql.table(table)} where ctid = any (array(
        select ctid from ${sql.table(table)} where created_at < ${cutoff} order by created_at limit ${ROWS_MAX}
      ))`.execute(tx),
    )
  }
}
