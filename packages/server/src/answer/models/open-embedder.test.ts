import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type ChatAnswer, type ModelServer, startModel } from '../../../../../tests/harness/model-server.ts'
import type { EmbedderConfig } from '../../config/models.ts'
import { ModelFailure } from './model.ts'
import { openEmbedder } from './open-embedder.ts'

let server: ModelServer
let config: EmbedderConfig

beforeAll(async () => {
  server = await startModel()
  config = {
    ...{ baseUrl: server.baseUrl, name: 'small', inputPriceUsd: 0, dimensions: 3, sendsDimensions: false },
    ...{ queryPrefix: '', textPrefix: '', textCharsMax: 100, similarityMin: 0, timeoutMs: 0, requestsPerMinute: 1 },
  }
})
afterAll(() => server.close())
beforeEach(() => {
  server.asked.length = 0
})

async function embed(texts: string[], settings: Partial<EmbedderConfig> = {}, timeoutMs = 60_000) {
  const vectors: number[][] = []
  const parts = openEmbedder(
    { ...config, ...settings },
    'a-key',
  )({
    texts,
    timeoutMs,
    signal: new AbortController().signal,
  })
  try {
    for (;;) {
      const part = await parts.next()
      if (part.done) return { vectors, use: part.value }
      vectors.push(part.value)
    }
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    return { failed: error.kind }
  }
}

const answer = (...data: unknown[]): ChatAnswer => ({
  body: JSON.stringify({ object: 'list', data, usage: { prompt_tokens: 5, total_tokens: 5 } }),
})
const one = (embedding: unknown, index: unknown = 0) => ({ object: 'embedding', index, embedding })

it('returns the vectors in text order, sends the key, and the dimensions only if configured', async () => {
  server.answer = () => answer(one([0, 0.5, -1e-7], 1), one([1, 0, 0], 0))
  expect(await embed(['a', 'b'])).toEqual({
    vectors: [
      [1, 0, 0],
      [0, 0.5, -1e-7],
    ],
    use: { inputTokens: 5, outputTokens: 0 },
  })
  expect(server.asked[0]).toMatchObject({ model: 'small', input: ['a', 'b'], authorization: 'Bearer a-key' })
  expect(server.asked[0]?.dimensions).toBeUndefined()
  await embed(['a', 'b'], { sendsDimensions: true })
  expect(server.asked[1]?.dimensions).toBe(3)
})

it.each<[string, ChatAnswer, string]>([
  ['a vector of another length', answer(one([1, 2])), 'unreadable'],
  ['no number', answer(one([1, 2, null])), 'unreadable'],
  ['a number that is too large', { body: '{"data":[{"index":0,"embedding":[1,2,1e999]}]}' }, 'unreadable'],
  ['NaN', { body: '{"data":[{"index":0,"embedding":[1,2,NaN]}]}' }, 'unreadable'],
  ['a vector of zeros', answer(one([0, 0, 0])), 'unreadable'],
  ['base64', answer(one('AACAPwAAAEA=')), 'unreadable'],
  ['too few vectors', answer(), 'unreadable'],
  ['too many vectors', answer(one([1, 2, 3]), one([1, 2, 3], 1)), 'unreadable'],
  ['the vector of another text', answer(one([1, 2, 3], 7)), 'unreadable'],
  ['an invalid index', answer(one([1, 2, 3], '0')), 'unreadable'],
  ['another form', { body: '[]' }, 'unreadable'],
  ['bad JSON', { body: '{"data"' }, 'unreadable'],
  ['10 MB', { body: '{}', flood: 10 * 1024 * 1024 }, 'too_large'],
  ['429', { status: 429, body: '{}' }, 'rate_limited'],
  ['500', { status: 500, body: '{}' }, 'failed'],
  ['401', { status: 401, body: '{}' }, 'refused'],
  ['400', { status: 400, body: '{"error":{"message":"too long"}}' }, 'unfit'],
  ['another address', { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' }, 'unreachable'],
  ['nothing at all', { body: '{}', breaksOff: true }, 'unreachable'],
])('%s is a failure with a name', async (_, given, kind) => {
  server.answer = () => given
  expect(await embed(['a'])).toEqual({ failed: kind })
})

it('times out as configured', async () => {
  server.answer = () => ({ body: '{}', before: new Promise(() => {}) })
  expect(await embed(['a'], {}, 50)).toEqual({ failed: 'timeout' })
})
