import { type DeletedCounts, type Static, Type as T } from '@cairnstore/contract'
import { MS_PER_DAY } from '@cairnstore/engine/text'
import { sql } from 'kysely'
import { checkFirst } from '../../base/check.ts'
import { parseJson } from '../../base/parse-json.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { Planes } from '../../store/planes.ts'

export const NO_COUNTS: Readonly<Record<keyof DeletedCounts, number>> = {
  sql: 0,
  records: 0,
  entities: 0,
  links: 0,
  objects: 0,
}

/**
 * Marks an erasure as done; the database's files may still be scrubbed later. First adds it to the erasure list in the
 * storage, so that it is repeated after a backup was restored.
 */
export async function markErased(planes: Planes, { userId, id }: ErasureRef): Promise<void> {
  await writeErasureNote(planes, { userId, id })
  await planes.sql.transact(userId, (tx) =>
    tx
      .updateTable('erasure')
      .set({ erased_at: sql<Date>`now()` })
      .where('user_id', '=', userId)
      .where('id', '=', id)
      .execute(),
  )
}

/** Adds to the counts of an erasure, in the transaction that deletes what is counted. */
export async function addToCounts(tx: Tx, { userId, id }: ErasureRef, more: Partial<DeletedCounts>): Promise<void> {
  const row = await tx
    .selectFrom('erasure')
    .select('counts')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!row) return
  const counts = { ...(row.counts as DeletedCounts) }
  for (const kind of Object.keys(NO_COUNTS) as (keyof DeletedCounts)[]) counts[kind] += more[kind] ?? 0
  await tx.updateTable('erasure').set({ counts }).where('user_id', '=', userId).where('id', '=', id).execute()
}

/**
 * Deletes the account's idempotent responses whose path or body contains the id of the sandbox or source. Otherwise a
 * repeated request would return erased data. Returns the number of deleted rows.
 */
export async function deleteStoredReplies({ sql: control }: Planes, userId: string, named: string): Promise<number> {
  return control.transact(userId, async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('idempotency')
      .where('user_id', '=', userId)
      .where('status', 'is not', null)
      .where(
        sql<boolean>`strpos(path, ${named}) > 0 or position(convert_to(${named}, 'UTF8') in coalesce(body, '')) > 0`,
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  })
}

const ID_CHARS_MAX = 255
const Id = T.String({ minLength: 1, maxLength: ID_CHARS_MAX })
const OptionalId = T.Union([Id, T.Null()])

/** An erasure in the list of the storage. It contains only ids. */
const Erased = T.Object({
  user_id: Id,
  id: Id,
  sandbox_id: Id,
  source_id: OptionalId,
  is_source_gone: T.Boolean(),
  record_id: OptionalId,
  mark: T.Union([T.Record(T.String(), T.Unknown()), T.Null()]),
  up_to_seq: T.Union([T.Integer({ minimum: 0 }), T.Null()]),
  erased_at: T.String(),
})
export type Erased = Static<typeof Erased>

const check = checkFirst(Erased, [])

/** Maximum number of entries that are deleted at a time. */
const ROWS_MAX = 500

export interface ErasureRef {
  userId: string
  id: string
}

/** Parses an entry. Returns undefined if it is invalid. */
export function parseErased(text: string): Erased | undefined {
  const value = parseJson(text)
  return check(value).length === 0 ? (value as Erased) : undefined
}

/** Converts a row to a list entry. */
export function toErased(row: Row<'erased'>): Erased {
  return { ...row, mark: row.mark, erased_at: row.erased_at.toISOString() }
}

/** Writes an erasure to the list in the storage, where `repair` finds it after an older database was restored. */
async function writeErasureNote({ sql: control, knowledge }: Planes, { userId, id }: ErasureRef): Promise<void> {
  const row = await control.transact(userId, (tx) =>
    tx.selectFrom('erased').selectAll().where('user_id', '=', userId).where('id', '=', id).executeTakeFirst(),
  )
  if (row) await knowledge.stores.writeNote(id, Buffer.from(JSON.stringify(toErased(row))))
}

/** Deletes entries of the erasure lists in database and storage that are older than every restorable backup. */
export async function dropErased({ sql: control, knowledge, clock, restorableDays }: Planes): Promise<void> {
  const cutoff = new Date(clock.now().getTime() - restorableDays * MS_PER_DAY)
  const over = await control.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('erased')
      .select(['user_id', 'id'])
      .where('erased_at', '<', cutoff)
      .where(sql<boolean>`not exists (
        select from erasure e where e.user_id = erased.user_id and e.id = erased.id
      )`)
      .orderBy('erased_at')
      .limit(ROWS_MAX)
      .execute(),
  )
  for (const { user_id: userId, id } of over) {
    await knowledge.stores.removeNote(id)
    await control.transact({ worker: true }, (tx) =>
      tx.deleteFrom('erased').where('user_id', '=', userId).where('id', '=', id).execute(),
    )
  }
}
