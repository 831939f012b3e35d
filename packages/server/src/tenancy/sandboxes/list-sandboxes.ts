import type { SandboxPage, SandboxState } from '@cairnstore/contract'
import { openPage, type PageAsked } from '../../base/cursor.ts'
import type { Ctx } from '../context.ts'
import { isOwnedBy, liveGrants, widest } from '../reach/reach.ts'
import { wireSandbox } from './store.ts'

interface SandboxesQuery extends PageAsked {
  status?: SandboxState | undefined
  owner_id?: string | undefined
}

/** One page of the sandboxes that the caller owns or reaches through a grant, newest first. */
export async function listSandboxes(
  ctx: Pick<Ctx, 'caller' | 'cursors' | 'limits' | 'sql'>,
  { status, owner_id, ...asked }: SandboxesQuery,
): Promise<SandboxPage> {
  const { accountId, credential } = ctx.caller
  const isAccount = credential.kind !== 'connection_key'
  const scope = ['sandboxes', accountId, isAccount ? null : credential.id, status, owner_id]
  const page = openPage(ctx.cursors, scope, asked)
  const grants = await ctx.sql.look({ caller: accountId }, (tx) => liveGrants(tx, ctx.caller))
  const granted = [...new Set(grants.map((grant) => grant.sandbox_id))]
  const found = await ctx.sql.look({ caller: accountId }, (tx) => {
    let query = tx.selectFrom('sandbox').selectAll().orderBy('id', 'desc').limit(page.rowsMax)
    query = query.where((is) =>
      is.or([
        ...(isAccount ? [is('user_id', '=', accountId)] : []),
        ...(granted.length > 0 ? [is('id', 'in', granted)] : []),
      ]),
    )
    query = status === undefined ? query.where('status', '!=', 'archived') : query.where('status', '=', status)
    if (owner_id !== undefined) query = query.where('owner_id', '=', owner_id)
    if (page.after) query = query.where('id', '<', String(page.after[0]))
    return query
  })
  const { rows, end } = page.cut(found, (last) => [last.id])
  const sandboxes = rows.map((row) => {
    const grant = isOwnedBy(row, ctx.caller) ? undefined : widest(grants.filter((each) => each.sandbox_id === row.id))
    return wireSandbox(row, ctx.limits, grant?.role ?? 'owner')
  })
  return { sandboxes, ...end }
}
