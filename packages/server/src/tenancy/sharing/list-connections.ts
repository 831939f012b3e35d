import type { Connection } from '@cairnstore/contract'
import type { Ctx } from '../context.ts'
import type { Reach } from '../reach/reach.ts'
import { connectionsOf, wireConnection } from './store.ts'

/** The connections of the sandbox, newest first; revoked ones only when asked for. */
export async function listConnections(
  ctx: Pick<Ctx, 'sql'>,
  reach: Reach,
  includeRevoked: boolean,
): Promise<Connection[]> {
  const rows = await ctx.sql.transact(reach.holderId, (tx) => {
    const all = connectionsOf(tx, reach).orderBy('id', 'desc')
    return (includeRevoked ? all : all.where('revoked_at', 'is', null)).execute()
  })
  return rows.map(wireConnection)
}
