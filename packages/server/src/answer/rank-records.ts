import type { Discover, Preset } from '@cairnstore/contract'
import { fuseNear, type RankedRecord } from '@cairnstore/engine/rank'
import { type Intent, type QueryStems, questionText, selectPassages } from '@cairnstore/engine/understand'
import { readRecords } from '../store/read-records.ts'
import type { ReadSnapshot } from '../store/read-snapshot.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import { waitForModel } from './answer-meta.ts'
import type { AnswerCtx } from './context.ts'
import type { ModelFailureKind } from './models/model.ts'
import { findNear } from './vectors/find-near.ts'

/** Number of the best records by keywords that are fused with the rankings of models. */
const FUSED_RECORDS = 40
/** Maximum number of characters of a record that are sent to a reranker. Most rerankers use fewer. */
const RERANKED_CHARS_MAX = 2_000
/** Constant k of reciprocal rank fusion (RRF). A small value keeps the top of either ranking near the top. */
const RRF_K = 2

/** Ranked records, and the failures of models that should have ranked them. */
export interface RankedRecords {
  ranked: RankedRecord[]
  failures: { embedder?: ModelFailureKind; reranker?: ModelFailureKind }
}

/**
 * Returns the records that match a question, best first. If an embedding model or a reranker is configured and the
 * preset is not `fast`, its ranking is fused with the keyword ranking. Throws `not_found` if the caller loses access
 * meanwhile.
 */
export async function rankRecords(
  ctx: Pick<AnswerCtx, 'caller' | 'models' | 'signal' | 'sql' | 'slot'>,
  access: AccessScope,
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
  const count = isFused ? Math.max(limit, FUSED_RECORDS) : limit
  const explain = asked.explain === true
  const how = { times: intent.times, explain, signal: ctx.signal }
  const text = [intent.conversation.subject, question].filter(Boolean).join('\n')
  // Started first, so that the model runs in parallel to the keyword ranking.
  const vector = compares ? embedder.question(access.holderId, text, ctx.signal) : undefined
  vector?.catch(() => undefined)
  let ranked = await view.ranking.candidates(intent.query, snapshot.scope, count, how)
  const failures: RankedRecords['failures'] = {}
  if (compares) {
    const own = ranked.map(({ id }) => id)
    const { similarityMin } = embedder.config
    // Runs while access is checked again. If the model fails, the `await` below throws.
    const near = findNear(ctx, opened, { vector: vector!, similarityMin, times: intent.times, ranked: own })
    near.catch(() => undefined)
    const found = await waitForModel(ctx, access, () => vector!)
    if ('failure' in found) failures.embedder = found.failure
    else ranked = fuseWithNearest(view, snapshot, intent, ranked, await near)
  }
  if (reranker !== undefined && ranked.length > 1) {
    const first = ranked.slice(0, FUSED_RECORDS)
    const texts = await textsOf(view, first, intent.stems)
    const { signal } = ctx
    const order = () => reranker.order(access.holderId, { query: question, texts, signal })
    const found = await waitForModel(ctx, access, order)
    if ('failure' in found) failures.reranker = found.failure
    else ranked = [...fuse(first, found.result), ...ranked.slice(FUSED_RECORDS)]
  }
  return { ranked: ranked.slice(0, limit), failures }
}

/** Returns a warning if records in scope still have no vectors, because later the answer may be different. */
export function embeddingWarnings(
  { models }: Pick<AnswerCtx, 'models'>,
  { snapshot, view }: { snapshot: ReadSnapshot; view: SandboxView },
  { preset }: { preset?: Preset | null | undefined },
  { wording }: Intent,
): string[] {
  if (preset === 'fast' || models.embedder?.understands(questionText(wording)) !== true) return []
  const waiting = view.graph.countWithoutVectors(snapshot.scope)
  if (waiting === 0) return []
  const subject = waiting === 1 ? '1 record is' : `${waiting} records are`
  return [`${subject} not embedded yet; the answer may change afterwards.`]
}

/** Fuses the keyword ranking with the nearest vectors. Its scores are assigned to the records in the new order. */
function fuseWithNearest(
  view: SandboxView,
  { scope }: ReadSnapshot,
  { query }: Intent,
  ranked: readonly RankedRecord[],
  { near, similarity }: Awaited<ReturnType<typeof findNear>>,
): RankedRecord[] {
  const known = new Set(ranked.map(({ id }) => id))
  const least = ranked.at(-1)?.score ?? 1
  const greatest = near[0]?.similarity ?? 1
  const others = near.filter(({ id }) => !known.has(id))
  const scored = others.map(({ id, similarity: own }) => ({ id, score: (least * own) / greatest }))
  const all = [...ranked, ...view.graph.toRanked(query, scope, scored)]
  const byId = new Map(all.map((record) => [record.id, record]))
  const order = fuseNear(ranked, similarity, view.graph.nameWeight(query, scope))
  return order.flatMap((id, at) => {
    const record = byId.get(id)
    return record ? { ...record, score: all[at]?.score ?? least } : []
  })
}

/** Returns the text of each record for the reranker: the title and, for a long text, the relevant passages. */
async function textsOf(view: SandboxView, ranked: readonly RankedRecord[], stems: QueryStems): Promise<string[]> {
  const records = await readRecords(
    view,
    ranked.map(({ id }) => id),
  )
  return ranked.map(({ id }) => {
    const { title = '', text = '', type = '' } = records.get(id)?.content ?? {}
    return (
      [title, selectPassages(text, stems, RERANKED_CHARS_MAX)]
        .filter(Boolean)
        .join('\n')
        .slice(0, RERANKED_CHARS_MAX) || type
    )
  })
}

/**
 * Fuses two rankings of the same records by reciprocal rank fusion (RRF). The scores of the first ranking are assigned
 * to the records in the new order, so that they stay comparable. The function is pure.
 */
export function fuse(ranked: readonly RankedRecord[], order: readonly number[]): RankedRecord[] {
  const scores = ranked.map((_, at) => 1 / (RRF_K + at))
  for (const [at, index] of order.entries()) scores[index] = (scores[index] ?? 0) + 1 / (RRF_K + at)
  const ranking = ranked.map((_, at) => at).sort((one, other) => scores[other]! - scores[one]! || one - other)
  return ranking.map((position, at) => ({ ...ranked[position]!, score: ranked[at]!.score }))
}
