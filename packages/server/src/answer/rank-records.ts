import type { Discover, Preset } from '@cairnstore/contract'
import { fuseNear, type RankedRecord } from '@cairnstore/engine/rank'
import { type Intent, questionText, type Sought, tellingText } from '@cairnstore/engine/understand'
import type { ReadSnapshot } from '../store/ground.ts'
import { readRecords } from '../store/read-records.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { AnswerCtx } from './context.ts'
import type { ModelFailureKind } from './models/model.ts'
import { waitForModel } from './telling.ts'
import { findNear } from './vectors/find-near.ts'

/** Number of top records from keyword ranking that are fused with the models' rankings. */
const FUSED = 40
/** Maximum characters of a record sent to a reranker. Most rerankers read less. */
const TEXT_CHARS_MAX = 2_000
/** Constant k of reciprocal rank fusion (RRF). A small value keeps the top of either ranking near the top. */
const FUSION = 2

/** Ranked records, and the failures of models that should have ranked them. */
export interface RankedRecords {
  ranked: RankedRecord[]
  failures: { embedder?: ModelFailureKind; reranker?: ModelFailureKind }
}

/**
 * Returns the records that match a question, best first. Keyword ranking is fused with an embedding model and a
 * reranker if they are configured and the preset is not `fast`. Throws `not_found` if the caller loses access in the
 * meantime.
 */
export async function rankRecords(
  ctx: Pick<AnswerCtx, 'caller' | 'models' | 'signal' | 'sql' | 'turn'>,
  reach: Reach,
  opened: { snapshot: ReadSnapshot; view: SandboxView },
  asked: Pick<Discover, 'preset' | 'explain'>,
  intent: Intent,
  limit: number,
): Promise<RankedRecords> {
  const { snapshot, view } = opened
  const { embedder, reranker } = asked.preset === 'fast' ? {} : ctx.models
  const question = questionText(intent.wording)
  const compares = embedder?.understands(question) === true && view.graph.vectorCount > 0
  const isFused = compares || reranker !== undefined
  const count = isFused ? Math.max(limit, FUSED) : limit
  const explain = asked.explain === true
  const how = { times: intent.times, explain, signal: ctx.signal }
  const text = [intent.talk.subject, question].filter(Boolean).join('\n')
  // Started first, so that the model and the keyword ranking run in parallel.
  const vector = compares ? embedder.question(reach.holderId, text, ctx.signal) : undefined
  vector?.catch(() => undefined)
  let ranked = await view.ranking.candidates(intent.query, snapshot.scope, count, how)
  const failures: RankedRecords['failures'] = {}
  if (compares) {
    const own = ranked.map(({ id }) => id)
    const { similarityMin } = embedder.config
    // Runs while access is checked again. A failure of the model is reported by the await below.
    const near = findNear(ctx, opened, { vector: vector!, similarityMin, times: intent.times, ranked: own })
    near.catch(() => undefined)
    const found = await waitForModel(ctx, reach, () => vector!)
    if ('failure' in found) failures.embedder = found.failure
    else ranked = withNear(view, snapshot, intent, ranked, await near)
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

/** Returns a warning if records in scope still wait for their vectors, because the answer may change afterwards. */
export function readingWarnings(
  { models }: Pick<AnswerCtx, 'models'>,
  { snapshot, view }: { snapshot: ReadSnapshot; view: SandboxView },
  { preset }: { preset?: Preset | null | undefined },
  { wording }: Intent,
): string[] {
  if (preset === 'fast' || models.embedder?.understands(questionText(wording)) !== true) return []
  const waiting = view.graph.countWithoutVectors(snapshot.scope)
  if (waiting === 0) return []
  const told = waiting === 1 ? '1 record is' : `${waiting} records are`
  return [`${told} not embedded yet; the answer may change afterwards.`]
}

/** Fuses keyword ranking with the nearest vectors. The scores of keyword ranking are reassigned in the new order. */
function withNear(
  view: SandboxView,
  { scope }: ReadSnapshot,
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

/** Returns the text of each record for the reranker: the title and, for a long text, the relevant passages. */
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
 * Fuses two rankings of the same records by reciprocal rank fusion (RRF). The scores of the first ranking are
 * reassigned in the new order, so that they stay comparable. Pure.
 */
export function fuse(ranked: readonly RankedRecord[], order: readonly number[]): RankedRecord[] {
  const worth = ranked.map((_, at) => 1 / (FUSION + at))
  for (const [at, index] of order.entries()) worth[index] = (worth[index] ?? 0) + 1 / (FUSION + at)
  const places = ranked.map((_, at) => at).sort((one, other) => worth[other]! - worth[one]! || one - other)
  return places.map((place, at) => ({ ...ranked[place]!, score: ranked[at]!.score }))
}
