import type { ReadRecord } from '@cairn/engine/resolve'
import type { Reach } from '../tenancy/reach/reach.ts'
import { sourcesIn } from '../tenancy/sources/source-rows.ts'
import type { Ctx } from './context.ts'

/** Names and providers of the sources that the records came through, as far as the reach shows these sources. */
export async function readSources(
  ctx: Pick<Ctx, 'sql'>,
  reach: Reach,
  records: readonly ReadRecord[],
): Promise<Map<string, { name: string; provider: string }>> {
  const ids = [...new Set(records.flatMap(({ sourceId }) => sourceId ?? []))]
  if (ids.length === 0) return new Map()
  const rows = await ctx.sql.transact(reach.holderId, (tx) =>
    sourcesIn(tx, reach).select(['id', 'name', 'provider']).where('id', 'in', ids).execute(),
  )
  return new Map(rows.map(({ id, name, provider }) => [id, { name, provider }]))
}
