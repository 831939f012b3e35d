import { createHash } from 'node:crypto'
import type { ChatAnswer, ChatRequest } from './model-server.ts'
import type { TestApp, TestSandbox } from './test-app.ts'

/** Words that mean the same, group by group: what a model that makes vectors has learnt of a language. */
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
 * A vector by what a text means: words of one group have one direction, every other word has hardly any. Equal texts
 * have equal vectors.
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

/** A direction that the name alone decides. */
function direction(name: string, dimensions: number): number[] {
  const blocks = Array.from({ length: Math.ceil(dimensions / NUMBERS_PER_DIGEST) }, (_, block) =>
    createHash('sha256').update(`${name}/${block}`).digest(),
  )
  return [...Buffer.concat(blocks).subarray(0, dimensions)].map((byte) => byte / BYTE_MIDDLE - 1)
}

/** Answers with a vector for each text, made as said. */
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

/** Waits until every record of the sandbox has its vectors, or none can have any. */
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
