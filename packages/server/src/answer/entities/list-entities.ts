import type { EntityOrder, EntityPage, EntitySummary } from '@cairnstore/contract'
import { normaliseType } from '@cairnstore/engine/resolve'
import { openPage, type PageAsked, type Position } from '../../base/cursor.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Ground } from '../../store/ground.ts'
import { readNames } from '../../store/read-records.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import type { Ctx } from '../context.ts'
import { entityOrder } from './entity-order.ts'
import { searchEntities } from './search-entities.ts'

interface Listed extends PageAsked {
  type?: string | undefined
  q?: string | undefined
  sort?: EntityOrder | undefined
}

/** Entities that a list filtered by words can hold. */
const MATCHES_MAX = 1000

/** One page of the entities in scope, newest first unless another order is asked for. */
export async function listEntities(
  ctx: Pick<Ctx, 'caller' | 'cursors' | 'sql'>,
  reach: Reach,
  { ground, view }: { ground: Ground; view: SandboxView },
  listed: Listed,
): Promise<EntityPage> {
  const { type, q, sort = 'newest' } = listed
  const scope = ['entities', ctx.caller.accountId, reach.sandboxId, type, q, ground.projectId, sort]
  const page = openPage(ctx.cursors, scope, listed)
  const matching = q ? await idsMatching(view, ground, q) : undefined
  const kind = type && normaliseType(type)
  const all = sort === 'newest' ? view.entityIds(kind) : await entityOrder(view, ground, kind, sort)
  const found: string[] = []
  let at = page.after ? placeAfter(all, page.after, sort) : 0
  for (; at < all.length && found.length < page.rowsMax; at += 1) {
    const id = all[at]!
    if (matching && !matching.has(id)) continue
    if (view.graph.knows(id, ground.scope) && view.graph.standsFor(id, ground.scope) === id) found.push(id)
  }
  const { rows, end } = page.cut(found, (last) => [last, all.indexOf(last)])
  const entities = await summaries(view, ground, rows)
  return { entities, ...end, count: entities.length, resolution: await resolutionOf(ctx, reach, ground) }
}

/** Where a list goes on after an entity: behind it, or where it stood when it has gone since. */
function placeAfter(ids: readonly string[], [id, place]: Position, sort: EntityOrder): number {
  if (sort === 'newest') {
    const next = ids.findIndex((each) => each < String(id))
    return next < 0 ? ids.length : next
  }
  const found = ids.indexOf(String(id))
  return found < 0 ? Number(place) : found + 1
}

/** Whether everything that can be compared has been, and the page shows what came of it. */
async function resolutionOf(ctx: Pick<Ctx, 'sql'>, reach: Reach, { head }: Ground): Promise<EntityPage['resolution']> {
  const row = await ctx.sql.transact(reach.holderId, (tx) =>
    tx
      .selectFrom('sandbox_head')
      .select(['seq', 'comparable_seq', 'compared_seq', 'comparison_failed'])
      .where(ofSandbox(reach))
      .executeTakeFirst(),
  )
  const isSettled = !row || (row.seq === head.seq && row.comparable_seq <= row.compared_seq)
  if (row?.comparison_failed === 'whole' || (isSettled && row?.comparison_failed)) return 'failed'
  return isSettled ? 'settled' : 'pending'
}

async function idsMatching(view: SandboxView, { scope }: Ground, q: string): Promise<Set<string>> {
  const hits = await searchEntities(view, scope, q, { limit: MATCHES_MAX, minSimilarity: 0 })
  return new Set(hits.map((hit) => hit.canonical_id))
}

/** Entities as they are listed, as far as the scope knows them. */
export async function summaries(view: SandboxView, { scope }: Ground, ids: string[]): Promise<EntitySummary[]> {
  const names = await readNames(view, scope, ids)
  return [...names.values()].map(({ canonicalId, name, type }) => ({
    canonical_id: canonicalId,
    name,
    type,
    record_count: view.graph.countRecordsOf(canonicalId, scope),
  }))
}
