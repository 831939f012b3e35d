import { createHash } from 'node:crypto'
import type { ChatAnswer, ChatRequest } from './model-server.ts'
import type { TestApp, TestSandbox } from './test-app.ts'

/** Groups of synonyms. They stand for the knowledge of an embedding model. */
const MEANINGS = [
  ['car', 'automobile', 'vehicle', 'sedan'],
  ['broken', 'defect', 'malfunction', 'faulty'],
  ['money', 'funds', 'cash', 'budget'],
  ['doctor', 'physician', 'medic'],
  ['holiday', 'vacation', 'leave'],
  ['bread', 'loaf', 'baguette'],
]

const NUMBERS_PER_DIGEST = 32
const BYTE_MIDDLE = 127.5
const NOISE = 0.05

/**
 * Returns an embedding by meaning. Words of one group share a direction; other words add only noise. Equal texts have
 * equal vectors.
 */
export function conceptVector(text: string, dimensions: number): number[] {
  const vector = direction(text, dimensions).map((value) => value * NOISE)
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  for (const word of words) {
    const at = MEANINGS.findIndex((group) => group.includes(word))
    if (at < 0) continue
    for (const [place, value] of direction(`meaning ${at}`, dimensions).entries()) vector[place]! += value
  }
  return vector
}

/** Returns a pseudo-random direction derived only from the name. */
function direction(name: string, dimensions: number): number[] {
  const blocks = Array.from({ length: Math.ceil(dimensions / NUMBERS_PER_DIGEST) }, (_, block) =>
    createHash('sha256').update(`${name}/${block}`).digest(),
  )
  return [...Buffer.concat(blocks).subarray(0, dimensions)].map((byte) => byte / BYTE_MIDDLE - 1)
}

/** Returns an embeddings reply with a vector for each text. */
export function vectorsFor(
  { input = [] }: ChatRequest,
  vectorOf: (text: string) => unknown[],
  totalTokens = 10 * input.length,
): ChatAnswer {
  const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }))
  return { body: JSON.stringify({ object: 'list', data, model: 'm', usage: { total_tokens: totalTokens } }) }
}

const WAIT_MS = 30_000
const LOOK_MS = 50

/** Waits until every record of the sandbox is embedded, or fails after WAIT_MS. */
export async function untilVectored(app: TestApp, userId: string, { id }: TestSandbox): Promise<void> {
  const until = performance.now() + WAIT_MS
  while (performance.now() < until) {
    const head = await app.cairn.app.sql.transact(userId, (tx) =>
      tx
        .selectFrom('sandbox_head')
        .select(['seq', 'vectored_seq'])
        .where('user_id', '=', userId)
        .where('sandbox_id', '=', id)
        .executeTakeFirstOrThrow(),
    )
    if (head.seq > 0 && head.vectored_seq >= head.seq) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  throw new Error('the vectors were not made in time')
}
