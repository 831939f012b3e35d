import { sql as sqlText } from 'kysely'
import type { Tx } from '../../db/open.ts'

/**
 * The primary sandbox of an account: the one that it set, else the only active one that it owns; null where there is
 * neither, and for an account that is not there.
 */
export async function findPrimarySandbox(tx: Tx, accountId: string): Promise<string | null> {
  const onlyActive = tx
    .selectFrom('sandbox')
    .select(sqlText<string>`min(id)`.as('id'))
    .where('user_id', '=', accountId)
    .where('status', '=', 'active')
    .having(sqlText<number>`count(*)`, '=', 1)
  const account = await tx
    .selectFrom('account')
    .select((is) => is.fn.coalesce('primary_sandbox_id', onlyActive).as('id'))
    .where('user_id', '=', accountId)
    .executeTakeFirst()
  return account?.id ?? null
}
