import type { Discover } from '@cairn/contract'
import type { Ctx } from '../handler.ts'
import type { RankedRecord } from '../knowledge/graph/record-graph.ts'
import type { Ground } from '../knowledge/ground.ts'
import { readRecords } from '../knowledge/read-records.ts'
import type { SandboxView } from '../knowledge/sandbox-view.ts'
import { ModelFailure, type ModelFailureKind } from '../model/model.ts'
import type { Reach } from '../sharing/reach.ts'
import { assertStillReached } from '../sharing/still-reached.ts'
import type { AskedQuestion } from './asked-question.ts'
import { type Sought, soughtIn, tellingText } from './telling-text.ts'

/** The first of what the graph found, which a reranker looks at again. */
const RERANKED = 40
/** Characters of a record that a reranker is shown: more than most read. */
const TEXT_CHARS_MAX = 2_000
/** Reciprocal rank fusion: small, so that what either order puts first stays near the top. */
const FUSION = 2

/** Records in order, and why a reranker that was asked had no part in it. */
export interface RankedRecords {
  ranked: RankedRecord[]
  failure?: ModelFailureKind
}

/**
 * The records that a question is about, in the graph's order; where a reranker is configured, and the preset is not
 * `fast`, in an order fused from the graph's and its own. Throws `not_found` when the reach was lost meanwhile.
 */
export async function rankRecords(
  ctx: Ctx,
  reach: Reach,
  { ground, view }: { ground: Ground; view: SandboxView },
  asked: Pick<Discover, 'query' | 'preset'>,
  { question, times }: AskedQuestion,
  limit: number,
): Promise<RankedRecords> {
  const { reranker } = ctx.models
  const isReranked = reranker !== undefined && asked.preset !== 'fast'
  const ranked = view.graph.rank(question, ground.scope, isReranked ? Math.max(limit, RERANKED) : limit, times)
  if (!isReranked || ranked.length < 2) return { ranked: ranked.slice(0, limit) }
  const first = ranked.slice(0, RERANKED)
  const texts = await textsOf(view, first, soughtIn(asked.query))
  // Waiting for the model is no work: others take their turns meanwhile.
  ctx.turn.end()
  try {
    const order = await reranker.order(reach.holderId, { query: asked.query, texts, signal: ctx.signal })
    await assertStillReached(ctx, reach)
    return { ranked: [...fuse(first, order), ...ranked.slice(RERANKED)].slice(0, limit) }
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    await assertStillReached(ctx, reach)
    return { ranked: ranked.slice(0, limit), failure: error.kind }
  }
}

/** What a reranker reads of each record: the title, and of a long text what has to do with the question. */
async function textsOf(view: SandboxView, ranked: readonly RankedRecord[], sought: Sought): Promise<string[]> {
  const records = await readRecords(
    view,
    ranked.map(({ id }) => id),
  )
  return ranked.map(({ id }) => {
    const { title = '', text = '', type = '' } = records.get(id)?.content ?? {}
    return (
      [title, tellingText(text, sought, TEXT_CHARS_MAX)].filter(Boolean).join('\n').slice(0, TEXT_CHARS_MAX) || type
    )
  })
}

/**
 * Two orders of the same records as one, by the sum of the reciprocal ranks. The scores are those of the graph, handed
 * out in the new order, so that what follows is comparable with them. Pure.
 */
export function fuse(ranked: readonly RankedRecord[], order: readonly number[]): RankedRecord[] {
  const worth = ranked.map((_, at) => 1 / (FUSION + at))
  for (const [at, index] of order.entries()) worth[index] = (worth[index] ?? 0) + 1 / (FUSION + at)
  const places = ranked.map((_, at) => at).sort((one, other) => worth[other]! - worth[one]! || one - other)
  return places.map((place, at) => ({ ...ranked[place]!, score: ranked[at]!.score }))
}
