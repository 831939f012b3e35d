import type { Discover, Preset } from '@cairnstore/contract'
import { fuseNear, type RankedRecord } from '@cairnstore/engine/rank'
import { type Intent, questionText, type Sought, tellingText } from '@cairnstore/engine/understand'
import type { Ground } from '../store/ground.ts'
import { readRecords } from '../store/read-records.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { AnswerCtx } from './context.ts'
import type { ModelFailureKind } from './models/model.ts'
import { waitForModel } from './telling.ts'
import { findNear } from './vectors/find-near.ts'

/** The first of what the graph found, which is brought together with what models say. */
const FUSED = 40
/** Characters of a record that a reranker is shown: more than most read. */
const TEXT_CHARS_MAX = 2_000
/** Reciprocal rank fusion: small, so that what either order puts first stays near the top. */
const FUSION = 2

/** The ranked records, and why a model that was asked did not take part in ranking them. */
export interface RankedRecords {
  ranked: RankedRecord[]
  failures: { embedder?: ModelFailureKind; reranker?: ModelFailureKind }
}

/**
 * The records that a question is about, in the graph's order; where models are configured that compare or order, and
 * the preset is not `fast`, in an order fused from the graph's and theirs. Throws `not_found` when the reach was lost
 * meanwhile.
 */
export async function rankRecords(
  ctx: Pick<AnswerCtx, 'caller' | 'models' | 'signal' | 'sql' | 'turn'>,
  reach: Reach,
  opened: { ground: Ground; view: SandboxView },
  asked: Pick<Discover, 'preset' | 'explain'>,
  intent: Intent,
  limit: number,
): Promise<RankedRecords> {
  const { ground, view } = opened
  const { embedder, reranker } = asked.preset === 'fast' ? {} : ctx.models
  const question = questionText(intent.wording)
  const compares = embedder?.understands(question) === true && view.graph.vectorCount > 0
  const isFused = compares || reranker !== undefined
  const count = isFused ? Math.max(limit, FUSED) : limit
  const explain = asked.explain === true
  const how = { times: intent.times, explain, signal: ctx.signal }
  const text = [intent.talk.subject, question].filter(Boolean).join('\n')
  // Asked for first, so that the model and the graph work at the same time.
  const vector = compares ? embedder.question(reach.holderId, text, ctx.signal) : undefined
  vector?.catch(() => undefined)
  let ranked = await view.ranking.candidates(intent.query, ground.scope, count, how)
  const failures: RankedRecords['failures'] = {}
  if (compares) {
    const own = ranked.map(({ id }) => id)
    const { similarityMin } = embedder.config
    // Read while it is looked up whether the reach still stands; a failure of the model is told by the wait for it.
    const near = findNear(ctx, opened, { vector: vector!, similarityMin, times: intent.times, ranked: own })
    near.catch(() => undefined)
    const found = await waitForModel(ctx, reach, () => vector!)
    if ('failure' in found) failures.embedder = found.failure
    else ranked = withNear(view, ground, intent, ranked, await near)
  }
  if (reranker !== undefined && ranked.length > 1) {
    const first = ranked.slice(0, FUSED)
    const texts = await textsOf(view, first, intent.sought)
    const { signal } = ctx
    const order = () => reranker.order(reach.holderId, { query: question, texts, signal })
    const found = await waitForModel(ctx, reach, order)
    if ('failure' in found) failures.reranker = found.failure
    else ranked = [...fuse(first, found.result), ...ranked.slice(FUSED)]
  }
  return { ranked: ranked.slice(0, limit), failures }
}

/**
 * What a caller should know while records of the scope wait for the vectors that a question is compared by: that the
 * answer may be another when they have them.
 */
export function readingWarnings(
  { models }: Pick<AnswerCtx, 'models'>,
  { ground, view }: { ground: Ground; view: SandboxView },
  { preset }: { preset?: Preset | null | undefined },
  { wording }: Intent,
): string[] {
  if (preset === 'fast' || models.embedder?.understands(questionText(wording)) !== true) return []
  const waiting = view.graph.countWithoutVectors(ground.scope)
  if (waiting === 0) return []
  const told = waiting === 1 ? '1 record is' : `${waiting} records are`
  return [`${told} still being read for the meaning of the text; until that is done the answer may change.`]
}

/** The graph's order and the nearest records as one; the graph's scores are handed out in the new order. */
function withNear(
  view: SandboxView,
  { scope }: Ground,
  { query }: Intent,
  ranked: readonly RankedRecord[],
  { near, likeness }: Awaited<ReturnType<typeof findNear>>,
): RankedRecord[] {
  const known = new Set(ranked.map(({ id }) => id))
  const least = ranked.at(-1)?.score ?? 1
  const greatest = near[0]?.likeness ?? 1
  const others = near.filter(({ id }) => !known.has(id))
  const scored = others.map(({ id, likeness: own }) => ({ id, score: (least * own) / greatest }))
  const all = [...ranked, ...view.graph.toRanked(query, scope, scored)]
  const byId = new Map(all.map((record) => [record.id, record]))
  const order = fuseNear(ranked, likeness, view.graph.nameReach(query, scope))
  return order.flatMap((id, at) => {
    const record = byId.get(id)
    return record ? { ...record, score: all[at]?.score ?? least } : []
  })
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
