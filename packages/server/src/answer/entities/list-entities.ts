import type { EntityPage, EntitySummary } from '@cairn/contract'
import { normaliseType } from '@cairn/engine/resolve'
import type { Ground } from '../../store/ground.ts'
import { readNames } from '../../store/read-records.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import type { Ctx } from '../context.ts'
import { searchEntities } from './search-entities.ts'

interface Listed {
  type?: string | undefined
  q?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

const PAGE_ROWS = 1000
/** Entities that a list filtered by words can hold. */
const MATCHES_MAX = 1000

/** One page of the entities in scope, newest first. */
export async function listEntities(
  ctx: Pick<Ctx, 'caller' | 'cursors' | 'sql'>,
  reach: Reach,
  { ground, view }: { ground: Ground; view: SandboxView },
  listed: Listed,
): Promise<EntityPage> {
  const { type, q, cursor, limit = PAGE_ROWS } = listed
  const cursorScope = JSON.stringify(['entities', ctx.caller.accountId, reach.sandboxId, type, q, ground.projectId])
  const after = cursor === undefined ? undefined : String(ctx.cursors.unpack(cursorScope, cursor)[0])
  const matching = q ? await idsMatching(view, ground, q) : undefined
  const page: string[] = []
  for (const id of view.entityIds(type && normaliseType(type))) {
    if (page.length > limit) break
    const isShown = (!after || id < after) && (!matching || matching.has(id))
    if (isShown && view.graph.knows(id, ground.scope)) page.push(id)
  }
  const entities = await summaries(view, ground, page.slice(0, limit))
  const isMore = page.length > limit
  return {
    entities,
    count: entities.length,
    resolution: await resolutionOf(ctx, reach, ground),
    ...(isMore && { next_cursor: ctx.cursors.pack(cursorScope, [page[limit - 1] ?? null]) }),
  }
}

/** Whether everything that can be compared has been, and the page shows what came of it. */
async function resolutionOf(ctx: Pick<Ctx, 'sql'>, reach: Reach, { head }: Ground): Promise<EntityPage['resolution']> {
  const row = await ctx.sql.transact(reach.holderId, (tx) =>
    tx
      .selectFrom('sandbox_head')
      .select(['seq', 'comparable_seq', 'compared_seq'])
      .where('user_id', '=', reach.holderId)
      .where('sandbox_id', '=', reach.sandboxId)
      .executeTakeFirst(),
  )
  const isSettled = !row || (row.seq === head.seq && row.comparable_seq <= row.compared_seq)
  return isSettled ? 'settled' : 'pending'
}

async function idsMatching(view: SandboxView, { scope }: Ground, q: string): Promise<Set<string>> {
  const hits = await searchEntities(view, scope, q, { limit: MATCHES_MAX, minSimilarity: 0 })
  return new Set(hits.map((hit) => hit.canonical_id))
}

async function summaries(view: SandboxView, { scope }: Ground, ids: string[]): Promise<EntitySummary[]> {
  const names = await readNames(view, scope, ids)
  return [...names.values()].map(({ canonicalId, name, type }) => ({
    canonical_id: canonicalId,
    name,
    type,
    record_count: view.graph.countRecordsOf(canonicalId, scope),
  }))
}
