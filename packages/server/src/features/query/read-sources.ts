import type { Ctx } from '../handler.ts'
import type { ReadRecord } from '../knowledge/read-records.ts'
import type { Reach } from '../sharing/reach.ts'

/** Names and providers of the sources that the records came through. */
export async function readSources(
  ctx: Ctx,
  reach: Reach,
  records: readonly ReadRecord[],
): Promise<Map<string, { name: string; provider: string }>> {
  const ids = [...new Set(records.flatMap(({ sourceId }) => sourceId ?? []))]
  if (ids.length === 0) return new Map()
  const rows = await ctx.sql.transact(reach.holderId, (tx) =>
    tx
      .selectFrom('source')
      .select(['id', 'name', 'provider'])
      .where('user_id', '=', reach.holderId)
      .where('sandbox_id', '=', reach.sandboxId)
      .where('id', 'in', ids)
      .execute(),
  )
  return new Map(rows.map(({ id, name, provider }) => [id, { name, provider }]))
}
