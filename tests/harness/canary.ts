import { existsSync, readdirSync } from 'node:fs'
import { sql } from 'kysely'
import type { Sql } from '../../packages/server/src/db/open.ts'

/** The word that every string of the bystander holds: an account whose things nobody else may ever see. */
export const CANARY = 'canary7vq2x'

const AROUND = 80

/** Throws when a text that was made for someone else holds the canary, in any case of letters. */
export function assertNoCanary(text: string, made: string): void {
  const at = text.toLowerCase().indexOf(CANARY)
  if (at < 0) return
  throw new Error(`${made} holds the bystander’s canary: …${text.slice(Math.max(0, at - AROUND), at + AROUND)}…`)
}

/** Throws when a log line, the name of a stored object, or a row of one of these accounts holds the canary. */
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

/** Every row of the account in every table, as JSON, one a line. */
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
