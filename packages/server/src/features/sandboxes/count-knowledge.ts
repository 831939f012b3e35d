import type { Ctx } from '../handler.ts'
import { headOf } from '../knowledge/head.ts'

/** How much a sandbox knows. */
export interface KnowledgeCounts {
  records: number
  entities: number
  links: number
}

const ROWS_PER_BATCH = 4_000

/** Counts what a sandbox's committed head holds. */
export async function countKnowledge(ctx: Ctx, place: { userId: string; sandboxId: string }): Promise<KnowledgeCounts> {
  const row = await ctx.sql.transact(place.userId, (tx) =>
    tx
      .selectFrom('sandbox_head')
      .selectAll()
      .where('user_id', '=', place.userId)
      .where('sandbox_id', '=', place.sandboxId)
      .executeTakeFirst(),
  )
  if (!row || row.seq === 0) return { records: 0, entities: 0, links: 0 }
  const { graph, store, head } = await ctx.knowledge.view(place, headOf(row))
  let links = 0
  for await (const batch of store.scanLinks(head, { batchRows: ROWS_PER_BATCH })) links += batch.length
  return { records: graph.recordCount, entities: graph.entityCount, links }
}
