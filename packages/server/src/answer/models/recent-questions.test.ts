import { quantized } from '@cairnstore/engine/rank'
import { expect, test } from 'vitest'
import type { Embedder } from './open-embedder.ts'
import { cacheQuestions } from './recent-questions.ts'

const { signal } = new AbortController()

/** Opens an embedding model that counts its calls. */
function openCounted() {
  const calls: string[] = []
  const embedder: Embedder = {
    config: {
      name: 'counted',
      dimensions: 8,
      textPrefix: '',
      queryPrefix: '',
      textCharsMax: 100,
      similarityMin: 0,
      requestsPerMinute: 1,
    },
    understands: () => true,
    question: async (accountId, text) => {
      calls.push(`${accountId}: ${text}`)
      if (text === 'fails') throw new Error('the model failed')
      return [0.25, -0.5, 0.1, 0, 0, 0, 0, text.length / 1_000]
    },
    texts: async () => [],
  }
  return { calls, embedder }
}

test('a repeated question of an account needs one call of the model, that of another account its own', async () => {
  const { calls, embedder } = openCounted()
  const cached = cacheQuestions(embedder)
  const first = await cached.question('ada', 'Who?', signal)
  expect(await cached.question('ada', 'Who?', signal)).toEqual(first)
  await cached.question('bob', 'Who?', signal)
  await cached.question('ada', 'Why?', signal)
  expect(calls).toEqual(['ada: Who?', 'bob: Who?', 'ada: Why?'])
})

test('the vector search reads the same vector with the cache as without', async () => {
  const { embedder } = openCounted()
  const direct = quantized(await embedder.question('ada', 'Who?', signal))
  const cached = cacheQuestions(embedder)
  for (let round = 0; round < 2; round += 1) {
    expect(quantized(await cached.question('ada', 'Who?', signal))).toEqual(direct)
  }
})

test('the cache is bounded and drops the question that was not asked for the longest time', async () => {
  const { calls, embedder } = openCounted()
  const cached = cacheQuestions(embedder, 2)
  for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await cached.question('ada', text, signal)
  expect(calls).toEqual(['ada: a', 'ada: b', 'ada: c', 'ada: b'])
})

test('a failure is not cached', async () => {
  const { calls, embedder } = openCounted()
  const cached = cacheQuestions(embedder)
  for (let round = 0; round < 2; round += 1) {
    await expect(cached.question('ada', 'fails', signal)).rejects.toThrow('failed')
  }
  expect(calls).toHaveLength(2)
})
