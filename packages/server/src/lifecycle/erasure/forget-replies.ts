import { sql } from 'kysely'
import type { Planes } from '../../store/planes.ts'

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
