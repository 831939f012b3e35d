import type { AccountPage } from '@cairn/contract'
import type { Ctx } from '../context.ts'

interface Listed {
  status?: 'active' | 'suspended' | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

const PAGE_ROWS = 1000

/** One page of all accounts, newest first. */
export async function listAccounts(
  ctx: Pick<Ctx, 'cursors' | 'sql'>,
  { status, limit = PAGE_ROWS, cursor }: Listed,
): Promise<AccountPage> {
  const scope = JSON.stringify(['accounts', status])
  const [at, id] = cursor === undefined ? [] : ctx.cursors.unpack(scope, cursor)
  const rows = await ctx.sql.transact({ operator: true }, (tx) => {
    let query = tx
      .selectFrom('account')
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('user_id', 'desc')
      .limit(limit + 1)
    if (status !== undefined) query = query.where('status', '=', status)
    if (at === undefined) return query.execute()
    const after = new Date(String(at))
    return query
      .where((is) =>
        is.or([is('created_at', '<', after), is.and([is('created_at', '=', after), is('user_id', '<', String(id))])]),
      )
      .execute()
  })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    accounts: page.map((row) => ({
      user_id: row.user_id,
      display_name: row.display_name,
      status: row.status,
      created_at: row.created_at.toISOString(),
    })),
    count: page.length,
    ...(rows.length > limit &&
      last && { next_cursor: ctx.cursors.pack(scope, [last.created_at.toISOString(), last.user_id]) }),
  }
}
