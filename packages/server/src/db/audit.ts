import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from './open.ts'
import type { Row } from './tables.ts'

/** An event, before it has its place in a chain. */
export type AuditEntry = Omit<Row<'audit'>, 'seq' | 'previous_hash' | 'hash'>

/** Adds an event to the end of its chain. Events of one chain wait for each other until their transactions end. */
export async function appendAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  await sql`select ${auditing(entry)}`.execute(tx)
}

/** The expression that adds an event to the end of its chain, once for each row for which it is evaluated. */
export function auditing(entry: AuditEntry): RawBuilder<void> {
  const { user_id, chain, at, actor_user_id, credential_id, event, subject_id, request_id } = entry
  return sql`append_audit(${user_id}, ${chain}, ${at}, ${actor_user_id}, ${credential_id}, ${event},
    ${subject_id}, ${request_id}, ${headOf(entry)}, ${tailOf(entry)})`
}

/** Makes the parts of the months to come, and drops those of months that ended longer ago than are kept; null: none. */
export async function keepAuditMonths(tx: Tx, now: Date, kept: number | null): Promise<void> {
  await sql`select keep_audit_months(${now}, ${kept})`.execute(tx)
}

/** The hash of an event: of all that it says, and so of all events before it. */
export function hashOf(row: Omit<Row<'audit'>, 'hash'>): Buffer {
  const said = [headOf(row), row.seq, tailOf(row), JSON.stringify(row.previous_hash.toString('hex'))]
  return createHash('sha256')
    .update(`[${said.join(',')}]`)
    .digest()
}

/** What an event says before its place in the chain, as entries of a JSON list. */
function headOf({ user_id, chain }: AuditEntry): string {
  return listed([user_id, chain])
}

/** What it says after its place. */
function tailOf({ at, actor_user_id, credential_id, event, subject_id, request_id }: AuditEntry): string {
  return listed([at.toISOString(), actor_user_id, credential_id, event, subject_id, request_id])
}

function listed(values: (string | null)[]): string {
  return values.map((value) => JSON.stringify(value)).join(',')
}
