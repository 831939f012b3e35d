import { type DeletedCounts, type Static, Type as T } from '@cairnstore/contract'
import { MS_PER_DAY } from '@cairnstore/engine/text'
import { sql } from 'kysely'
import { checkFirst } from '../../base/check.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { Planes } from '../../store/planes.ts'

/** The counts of an erasure that has not begun. */
export const NOTHING: Readonly<Record<keyof DeletedCounts, number>> = {
  sql: 0,
  records: 0,
  entities: 0,
  links: 0,
  objects: 0,
}

/**
 * Notes that everything is erased but the bytes of deleted rows in the database's own files, once the storage has it on
 * the list of what no restore may bring back.
 */
export async function markErased(planes: Planes, { userId, id }: ErasureRef): Promise<void> {
  await noteErased(planes, { userId, id })
  await planes.sql.transact(userId, (tx) =>
    tx
      .updateTable('erasure')
      .set({ erased_at: sql<Date>`now()` })
      .where('user_id', '=', userId)
      .where('id', '=', id)
      .execute(),
  )
}

/** Adds to an erasure's counts, in the transaction of what is counted. */
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
  for (const plane of Object.keys(NOTHING) as (keyof DeletedCounts)[]) counts[plane] += more[plane] ?? 0
  await tx.updateTable('erasure').set({ counts }).where('user_id', '=', userId).where('id', '=', id).execute()
}

/**
 * Removes the account's kept replies that name the sandbox or source, in their path or in what they answered: a
 * repetition would show what is erased. Returns the number of rows removed.
 */
export async function forgetReplies({ sql: control }: Planes, userId: string, named: string): Promise<number> {
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

/** What was erased, as it is noted in the storage: ids alone. */
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

/** Notes dropped in one round. */
const ROWS_MAX = 500

/** Names an erasure. */
export interface ErasureRef {
  userId: string
  id: string
}

/** The entry that a text is, or undefined when it is none. */
export function parseErased(text: string): Erased | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return check(value).length === 0 ? (value as Erased) : undefined
  } catch {
    return undefined
  }
}

/** The row of the list as it is noted. */
export function toErased(row: Row<'erased'>): Erased {
  return { ...row, mark: row.mark, erased_at: row.erased_at.toISOString() }
}

/** Notes an erasure in the storage, where a database that is restored from before it finds it. */
async function noteErased({ sql: control, knowledge }: Planes, { userId, id }: ErasureRef): Promise<void> {
  const row = await control.transact(userId, (tx) =>
    tx.selectFrom('erased').selectAll().where('user_id', '=', userId).where('id', '=', id).executeTakeFirst(),
  )
  if (row) await knowledge.notes.keepNote(id, Buffer.from(JSON.stringify(toErased(row))))
}

/** Drops from the list, here and in the storage, what no backup is old enough to bring back. */
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
    await knowledge.notes.removeNote(id)
    await control.transact({ worker: true }, (tx) =>
      tx.deleteFrom('erased').where('user_id', '=', userId).where('id', '=', id).execute(),
    )
  }
}
