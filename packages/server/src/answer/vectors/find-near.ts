import { cosine, quantized } from '@cairnstore/engine/rank'
import type { QuestionTimes } from '@cairnstore/engine/understand'
import { HeadGone } from '../../store/port.ts'
import type { ReadSnapshot } from '../../store/read-snapshot.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { AnswerCtx } from '../context.ts'

/** A record with its semantic similarity to a question, up to 1. */
export interface NearRecord {
  id: string
  similarity: number
}

/**
 * Number of records whose vectors are read. They are the nearest by the Hamming distance of binary codes, and include
 * nearly all records that are nearest by vector (decisions/0023).
 */
const CANDIDATES = 128
/** Maximum number of nearest records that are used for an answer. */
const NEAR_MAX = 40

/** A question's vector with the search options. */
interface NearQuery {
  vector: Promise<ArrayLike<number>>
  /** Minimum cosine similarity. */
  similarityMin: number
  times: QuestionTimes | undefined
  /** Records from keyword ranking. Their similarity is returned even if it is less than the minimum. */
  ranked: readonly string[]
}

/**
 * Returns the records in scope that are nearest to the question's vector, nearest first, if they reach the minimum
 * similarity. Also returns the similarity of the records from keyword ranking. Records outside the requested time get a
 * lower weight.
 */
export async function findNear(
  ctx: Pick<AnswerCtx, 'signal'>,
  { snapshot, view }: { snapshot: ReadSnapshot; view: SandboxView },
  { vector, similarityMin, times, ranked }: NearQuery,
): Promise<{ near: NearRecord[]; similarity: Map<string, number> }> {
  const asked = quantized(await vector)
  const { head, graph } = view
  const candidates = await view.ranking.nearest(asked, snapshot.scope, CANDIDATES, { times, signal: ctx.signal })
  const rows = new Map([...graph.vectorRows(ranked), ...candidates.map(({ id, row }) => [id, row] as const)])
  const stored = await vectorsAt(view, head, rows)
  const similarityOf = (id: string) => maxSimilarity(asked, stored.get(id))
  const near = candidates
    .map(({ id, weight }) => {
      const similarity = similarityOf(id)
      return { id, similarity: similarity < similarityMin ? 0 : similarity * weight }
    })
    .filter(({ similarity }) => similarity > 0)
    .sort((one, other) => other.similarity - one.similarity)
    .slice(0, NEAR_MAX)
  const similarity = new Map(ranked.flatMap((id) => (rows.has(id) ? [[id, similarityOf(id)]] : [])))
  for (const each of near) similarity.set(each.id, each.similarity)
  return { near, similarity }
}

/** Returns the stored vectors of the rows. Returns none if an erasure removed the head meanwhile. */
async function vectorsAt(view: SandboxView, head: SandboxView['head'], rows: ReadonlyMap<string, number>) {
  try {
    return await view.store.vectorsAt(head, rows)
  } catch (error) {
    if (!(error instanceof HeadGone)) throw error
    return new Map<string, Uint8Array>()
  }
}

function maxSimilarity(asked: Int8Array, vectors: Uint8Array | undefined): number {
  let greatest = 0
  for (let from = 0; vectors && from + asked.length <= vectors.length; from += asked.length) {
    const own = new Int8Array(vectors.buffer, vectors.byteOffset + from, asked.length)
    greatest = Math.max(greatest, cosine(asked, own))
  }
  return greatest
}
