import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Sql } from '../../packages/server/src/db/open.ts'

/** Columns that change without a request: uses of a key are written seconds later, a lease after its work has ended. */
const MOVING = [
  ...['use_count', 'last_used_at', 'lease_owner', 'lease_epoch', 'lease_until', 'commits_since_upkeep'],
  // Compaction of an idle sandbox writes the same content as a new version.
  ...['records_version', 'entities_version', 'links_version', 'floor_seq'],
  // Vectors are computed asynchronously.
  ...['vectors_version', 'vectored_seq'],
  // Record linkage runs once nothing has arrived for a second.
  'compared_seq',
  // Rate limit counters decay.
  ...['counts', 'latest_second'],
]

/** Returns a digest of a tenant's rows for each table. */
export async function rowsOf(database: Sql, userId: string): Promise<Record<string, string>> {
  return database.transact(userId, async (tx) => {
    const { rows: tables } = await sql<{ name: string }>`
      select distinct table_name as name from information_schema.columns
      where table_schema = 'public' and column_name = 'user_id' order by 1`.execute(tx)
    const digests: Record<string, string> = {}
    for (const { name } of tables) {
      const { rows } = await sql<{ row: string }>`
        select (to_jsonb(t) - ${MOVING}::text[])::text as row from ${sql.id(name)} t order by 1`.execute(tx)
      digests[name] = createHash('sha256')
        .update(rows.map(({ row }) => row).join('\n'))
        .digest('hex')
    }
    return digests
  })
}
