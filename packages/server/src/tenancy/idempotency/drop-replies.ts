import { sql } from 'kysely'
import type { Planes } from '../planes.ts'
import { KEPT_MS } from './keyed-request.ts'

/** Replies dropped in one round. */
const ROWS_MAX = 5_000
const TABLES = ['idempotency', 'admin_idempotency'] as const

/** Removes kept replies whose day is over, of all accounts and of the operator. */
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
