import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Sql } from '../../packages/server/src/db/open.ts'

/** Columns that move by themselves: the uses of a key are written seconds later, a lease when its work has ended. */
const MOVING = [
  ...['use_count', 'last_used_at', 'lease_owner', 'lease_epoch', 'lease_until', 'commits_since_upkeep'],
  // An idle sandbox is tidied: the same content in another version.
  ...['records_version', 'entities_version', 'links_version', 'floor_seq'],
  // Vectors are made behind the records.
  ...['vectors_version', 'vectored_seq'],
  // Things are compared with each other when nothing has come for a second.
  'compared_seq',
  // What is used by the minute fades.
  ...['counts', 'latest_second'],
]

/** Every row of a tenant, table by table, as a digest. */
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
