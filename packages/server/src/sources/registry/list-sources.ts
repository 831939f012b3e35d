import type { SourcePage, SourceState } from '@cairn/contract'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { sourcesIn } from '../../tenancy/sources/source-rows.ts'
import type { Ctx } from '../context.ts'
import { wireSource } from './store.ts'

interface Listed {
  provider?: string | undefined
  status?: SourceState | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

const PAGE_ROWS = 1000

/** One page of the sources within the reach, newest first. */
export async function listSources(
  ctx: Pick<Ctx, 'caller' | 'cursors' | 'publicUrl' | 'sql'>,
  reach: Reach,
  listed: Listed,
): Promise<SourcePage> {
  const { provider, status, limit = PAGE_ROWS, cursor } = listed
  const scope = JSON.stringify(['sources', ctx.caller.accountId, reach.sandboxId, reach.projectId, provider, status])
  const after = cursor === undefined ? undefined : String(ctx.cursors.unpack(scope, cursor)[0])
  const rows = await ctx.sql.transact(reach.holderId, (tx) => {
    let query = sourcesIn(tx, reach)
      .selectAll('source')
      .orderBy('source.id', 'desc')
      .limit(limit + 1)
    if (provider !== undefined) query = query.where('source.provider', '=', provider)
    if (status !== undefined) query = query.where('source.status', '=', status)
    if (after !== undefined) query = query.where('source.id', '<', after)
    return query.execute()
  })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    sources: page.map((row) => wireSource(row, ctx.publicUrl)),
    count: page.length,
    ...(rows.length > limit && last && { next_cursor: ctx.cursors.pack(scope, [last.id]) }),
  }
}
