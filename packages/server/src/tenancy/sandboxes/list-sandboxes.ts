import type { SandboxPage, SandboxState } from '@cairn/contract'
import type { Ctx } from '../context.ts'
import { isOwnedBy, liveGrants, widest } from '../reach/reach.ts'
import { wireSandbox } from './store.ts'

interface Listed {
  status?: SandboxState | undefined
  owner_id?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

const PAGE_ROWS = 1000

/** One page of the sandboxes that the caller owns or reaches through a grant, newest first. */
export async function listSandboxes(
  ctx: Pick<Ctx, 'caller' | 'cursors' | 'limits' | 'sql'>,
  { status, owner_id, limit = PAGE_ROWS, cursor }: Listed,
): Promise<SandboxPage> {
  const { accountId, credential } = ctx.caller
  const isAccount = credential.kind !== 'connection_key'
  const scope = JSON.stringify(['sandboxes', accountId, isAccount ? null : credential.id, status, owner_id])
  const after = cursor === undefined ? undefined : String(ctx.cursors.unpack(scope, cursor)[0])
  const grants = await ctx.sql.look({ caller: accountId }, (tx) => liveGrants(tx, ctx.caller))
  const granted = [...new Set(grants.map((grant) => grant.sandbox_id))]
  const rows = await ctx.sql.look({ caller: accountId }, (tx) => {
    let query = tx
      .selectFrom('sandbox')
      .selectAll()
      .orderBy('id', 'desc')
      .limit(limit + 1)
    query = query.where((is) =>
      is.or([
        ...(isAccount ? [is('user_id', '=', accountId)] : []),
        ...(granted.length > 0 ? [is('id', 'in', granted)] : []),
      ]),
    )
    query = status === undefined ? query.where('status', '!=', 'archived') : query.where('status', '=', status)
    if (owner_id !== undefined) query = query.where('owner_id', '=', owner_id)
    if (after !== undefined) query = query.where('id', '<', after)
    return query
  })
  const page = rows.slice(0, limit)
  const sandboxes = page.map((row) => {
    const grant = isOwnedBy(row, ctx.caller) ? undefined : widest(grants.filter((each) => each.sandbox_id === row.id))
    return wireSandbox(row, ctx.limits, grant?.role ?? 'owner')
  })
  const last = page.at(-1)
  return {
    sandboxes,
    count: sandboxes.length,
    ...(rows.length > limit && last && { next_cursor: ctx.cursors.pack(scope, [last.id]) }),
  }
}
