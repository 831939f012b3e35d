import type { SourcePage, SourceState } from '@cairnstore/contract'
import { openPage, type PageAsked } from '../../base/cursor.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { sourcesIn } from '../../tenancy/sources/source-rows.ts'
import type { Ctx } from '../context.ts'
import { wireSource } from './store.ts'

interface Listed extends PageAsked {
  provider?: string | undefined
  status?: SourceState | undefined
}

/** One page of the sources within the reach, newest first. */
export async function listSources(
  ctx: Pick<Ctx, 'caller' | 'cursors' | 'publicUrl' | 'sql'>,
  reach: Reach,
  listed: Listed,
): Promise<SourcePage> {
  const { provider, status } = listed
  const scope = ['sources', ctx.caller.accountId, reach.sandboxId, reach.projectId, provider, status]
  const page = openPage(ctx.cursors, scope, listed)
  const found = await ctx.sql.transact(reach.holderId, (tx) => {
    let query = sourcesIn(tx, reach).selectAll('source').orderBy('source.id', 'desc').limit(page.rowsMax)
    if (provider !== undefined) query = query.where('source.provider', '=', provider)
    if (status !== undefined) query = query.where('source.status', '=', status)
    if (page.after) query = query.where('source.id', '<', String(page.after[0]))
    return query.execute()
  })
  const { rows, end } = page.cut(found, (last) => [last.id])
  return { sources: rows.map((row) => wireSource(row, ctx.publicUrl)), ...end }
}
