import { type Static, Type as T } from '@cairnstore/contract'
import { MS_PER_DAY } from '@cairnstore/engine/text'
import { sql } from 'kysely'
import { checkFirst } from '../../base/check.ts'
import type { Row } from '../../db/tables.ts'
import type { Planes } from '../../store/planes.ts'

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
export async function noteErased({ sql: control, knowledge }: Planes, { userId, id }: ErasureRef): Promise<void> {
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
