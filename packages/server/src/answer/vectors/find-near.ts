import { cosine, quantised } from '@cairnstore/engine/rank'
import type { AskedTimes } from '@cairnstore/engine/understand'
import type { Ground } from '../../store/ground.ts'
import { HeadGone } from '../../store/port.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { AnswerCtx } from '../context.ts'

/** A record that says something like a question, and how alike they are, up to 1. */
export interface Near {
  id: string
  likeness: number
}

/** Records whose vectors are read: the nearest by their signs hold nearly all of the nearest (decisions/0023). */
const CANDIDATES = 128
/** The nearest records that are of any use to an answer. */
const NEAR_MAX = 40

/** A question's vector and what is looked for by it. */
interface AskedNear {
  vector: Promise<ArrayLike<number>>
  /** The cosine from which on a record is near. */
  similarityMin: number
  times: AskedTimes | undefined
  /** Records that the graph ranked: it is told how alike they are too, however little. */
  ranked: readonly string[]
}

/**
 * The records in scope whose vectors are nearest to the question's, the nearest first, from the least similarity on,
 * and how alike those are that the graph ranked; what occurred at another time than the one asked for counts less.
 */
export async function findNear(
  ctx: Pick<AnswerCtx, 'signal'>,
  { ground, view }: { ground: Ground; view: SandboxView },
  { vector, similarityMin, times, ranked }: AskedNear,
): Promise<{ near: Near[]; likeness: Map<string, number> }> {
  const asked = quantised(await vector)
  const { head, graph } = view
  const candidates = await view.ranking.nearest(asked, ground.scope, CANDIDATES, { times, signal: ctx.signal })
  const rows = new Map([...graph.vectorRows(ranked), ...candidates.map(({ id, row }) => [id, row] as const)])
  const stored = await vectorsAt(view, head, rows)
  const likenessOf = (id: string) => nearestPassage(asked, stored.get(id))
  const near = candidates
    .map(({ id, weight }) => {
      const similarity = likenessOf(id)
      return { id, likeness: similarity < similarityMin ? 0 : similarity * weight }
    })
    .filter(({ likeness }) => likeness > 0)
    .sort((one, other) => other.likeness - one.likeness)
    .slice(0, NEAR_MAX)
  const likeness = new Map(ranked.flatMap((id) => (rows.has(id) ? [[id, likenessOf(id)]] : [])))
  for (const each of near) likeness.set(each.id, each.likeness)
  return { near, likeness }
}

/** The vectors of these rows; of none when an erasure took the head away meanwhile. */
async function vectorsAt(view: SandboxView, head: SandboxView['head'], rows: ReadonlyMap<string, number>) {
  try {
    return await view.store.vectorsAt(head, rows)
  } catch (error) {
    if (!(error instanceof HeadGone)) throw error
    return new Map<string, Uint8Array>()
  }
}

function nearestPassage(asked: Int8Array, vectors: Uint8Array | undefined): number {
  let greatest = 0
  for (let from = 0; vectors && from + asked.length <= vectors.length; from += asked.length) {
    const own = new Int8Array(vectors.buffer, vectors.byteOffset + from, asked.length)
    greatest = Math.max(greatest, cosine(asked, own))
  }
  return greatest
}
