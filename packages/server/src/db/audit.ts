import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from './open.ts'
import type { Row } from './tables.ts'

/** An event before it is added to a hash chain. */
export type AuditEntry = Omit<Row<'audit'>, 'seq' | 'previous_hash' | 'hash'>

/** Appends an event to its hash chain. Other appends to the chain wait until this transaction ends. */
export async function appendAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  await sql`select ${appendAuditCall(entry)}`.execute(tx)
}

/** Returns an SQL expression that appends the event once for each row for which it is evaluated. */
export function appendAuditCall(entry: AuditEntry): RawBuilder<void> {
  const { user_id, chain, at, actor_user_id, credential_id, event, subject_id, request_id } = entry
  return sql`append_audit(${user_id}, ${chain}, ${at}, ${actor_user_id}, ${credential_id}, ${event},
    ${subject_id}, ${request_id}, ${chainFieldsOf(entry)}, ${eventFieldsOf(entry)})`
}

/** Creates the partitions of the coming months. Drops those older than `keptMonths` months. Null keeps all. */
export async function applyAuditRetention(tx: Tx, now: Date, keptMonths: number | null): Promise<void> {
  await sql`select keep_audit_months(${now}, ${keptMonths})`.execute(tx)
}

/** Returns the SHA-256 of an event's fields and the previous hash. It thus covers all earlier events of the chain. */
export function hashOf(row: Omit<Row<'audit'>, 'hash'>): Buffer {
  const fields = [chainFieldsOf(row), row.seq, eventFieldsOf(row), JSON.stringify(row.previous_hash.toString('hex'))]
  return createHash('sha256')
    .update(`[${fields.join(',')}]`)
    .digest()
}

/** Returns the fields before `seq`, as entries of a JSON list. */
function chainFieldsOf({ user_id, chain }: AuditEntry): string {
  return listed([user_id, chain])
}

/** Returns the fields after `seq`. */
function eventFieldsOf({ at, actor_user_id, credential_id, event, subject_id, request_id }: AuditEntry): string {
  return listed([at.toISOString(), actor_user_id, credential_id, event, subject_id, request_id])
}

function listed(values: (string | null)[]): string {
  return values.map((value) => JSON.stringify(value)).join(',')
}
