import { existsSync, readdirSync } from 'node:fs'
import { sql } from 'kysely'
import type { Sql } from '../../packages/server/src/db/open.ts'

/** Word in every string of the bystander account. No other account may ever see it. */
export const CANARY = 'canary7vq2x'

const AROUND = 80

/** Throws if a text made for someone else contains the canary, in any case of letters. */
export function assertNoCanary(text: string, made: string): void {
  const at = text.toLowerCase().indexOf(CANARY)
  if (at < 0) return
  throw new Error(`${made} holds the bystander’s canary: …${text.slice(Math.max(0, at - AROUND), at + AROUND)}…`)
}

/** Throws if a log line, a stored object's name or a row of these accounts contains the canary. */
export async function assertUnseen(
  database: Sql,
  userIds: string[],
  logged: string[],
  knowledge: string,
): Promise<void> {
  for (const line of logged) assertNoCanary(line, 'A log line')
  const names = existsSync(knowledge) ? readdirSync(knowledge, { recursive: true }) : []
  assertNoCanary(names.join('\n'), 'The name of a stored object')
  for (const userId of userIds) assertNoCanary(await everyRowOf(database, userId), `A row of ${userId}`)
}

/** Returns every row of the account in every table as JSON lines. */
export async function everyRowOf(database: Sql, userId: string): Promise<string> {
  return database.transact(userId, async (tx) => {
    const { rows: tables } = await sql<{ name: string }>`
      select distinct table_name as name from information_schema.columns
      where table_schema = 'public' and column_name = 'user_id' order by 1`.execute(tx)
    const each = tables.map(({ name }) => sql`select to_jsonb(t)::text as row from ${sql.id(name)} t`)
    const { rows } = await sql<{ row: string }>`${sql.join(each, sql` union all `)}`.execute(tx)
    return rows.map(({ row }) => row).join('\n')
  })
}
