import type { DeletedCounts } from '@cairnstore/contract'
import { sql } from 'kysely'
import type { Tx } from '../../db/open.ts'
import type { Planes } from '../../store/planes.ts'
import { type ErasureRef, noteErased } from './erased-list.ts'

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
