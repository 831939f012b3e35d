import type { AccountPage } from '@cairnstore/contract'
import { openPage, type PageAsked } from '../../base/cursor.ts'
import type { Ctx } from '../context.ts'

interface Listed extends PageAsked {
  status?: 'active' | 'suspended' | undefined
}

/** One page of all accounts, newest first. */
export async function listAccounts(
  ctx: Pick<Ctx, 'cursors' | 'sql'>,
  { status, ...asked }: Listed,
): Promise<AccountPage> {
  const page = openPage(ctx.cursors, ['accounts', status], asked)
  const found = await ctx.sql.transact({ operator: true }, (tx) => {
    let query = tx
      .selectFrom('account')
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('user_id', 'desc')
      .limit(page.rowsMax)
    if (status !== undefined) query = query.where('status', '=', status)
    if (!page.after) return query.execute()
    const [at, id] = page.after
    const after = new Date(String(at))
    return query
      .where((is) =>
        is.or([is('created_at', '<', after), is.and([is('created_at', '=', after), is('user_id', '<', String(id))])]),
      )
      .execute()
  })
  const { rows, end } = page.cut(found, (last) => [last.created_at.toISOString(), last.user_id])
  return {
    accounts: rows.map((row) => ({
      user_id: row.user_id,
      display_name: row.display_name,
      status: row.status,
      created_at: row.created_at.toISOString(),
    })),
    ...end,
  }
}
