import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from './open.ts'
import type { Row } from './tables.ts'

/** An event, before it has its place in a chain. */
export type AuditEntry = Omit<Row<'audit'>, 'seq' | 'previous_hash' | 'hash'>

/** What the first event of a chain has for the hash of the event before it. */
const START = Buffer.alloc(32)

/** Adds an event to the end of its chain. Events of one chain wait for each other until their transactions end. */
export async function appendAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${entry.chain}, 0))`.execute(tx)
  const last = await tx
    .selectFrom('audit')
    .select(['seq', 'hash'])
    .where('user_id', '=', entry.user_id)
    .where('chain', '=', entry.chain)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  const linked = { ...entry, seq: (last?.seq ?? 0) + 1, previous_hash: last?.hash ?? START }
  await tx
    .insertInto('audit')
    .values({ ...linked, hash: hashOf(linked) })
    .execute()
}

/** The hash of an event: of all that it says, and so of all events before it. */
export function hashOf(row: Omit<Row<'audit'>, 'hash'>): Buffer {
  const said = [
    row.user_id,
    row.chain,
    row.seq,
    row.at.toISOString(),
    row.actor_user_id,
    row.credential_id,
    row.event,
    row.subject_id,
    row.request_id,
    row.previous_hash.toString('hex'),
  ]
  return createHash('sha256').update(JSON.stringify(said)).digest()
}
