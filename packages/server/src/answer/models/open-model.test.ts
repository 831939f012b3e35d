import { Type } from '@cairnstore/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { whileCollecting } from '../../../../../tests/harness/collect-garbage.ts'
import { elements, type ModelServer, startModel } from '../../../../../tests/harness/model-server.ts'
import type { WriterConfig } from '../../config/models.ts'
import { ModelFailure, type ModelUse } from './model.ts'
import { openModel } from './open-model.ts'

const Element = Type.Object({ text: Type.String() }, { additionalProperties: false })

let server: ModelServer
let config: WriterConfig

beforeAll(async () => {
  server = await startModel()
  const prices = { inputPriceUsd: 0, outputPriceUsd: 0 }
  config = { baseUrl: server.baseUrl, name: 'small', timeoutMs: 60_000, json: 'schema', ...prices }
})
afterAll(() => server.close())
beforeEach(() => {
  server.asked.length = 0
})

interface Answered {
  texts: string[]
  use?: ModelUse
  failed?: string
  failedUse?: ModelUse | undefined
}

const NOBODY = () => undefined

async function ask(
  isStreamed: boolean,
  settings: Partial<WriterConfig> = {},
  signal = new AbortController().signal,
  hear: () => void = NOBODY,
) {
  const model = openModel({ ...config, ...settings }, 'a-key')
  const parts = model.ask({ system: 'Do.', prompt: 'This.', element: Element, tokensMax: 100, isStreamed, signal })
  const answered: Answered = { texts: [] }
  try {
    for (;;) {
      const part = await parts.next()
      if (part.done) return { ...answered, use: part.value }
      answered.texts.push(part.value.text)
      hear()
    }
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    return { ...answered, failed: error.kind, failedUse: error.use }
  }
}

describe.each([
  ['in one piece', false],
  ['in a stream', true],
])('a model %s', (_, isStreamed) => {
  it('yields elements with their usage, and is sent the schema, the limit, the key and no tools', async () => {
    server.answer = () => elements({ text: 'One.' }, { text: 'Two.' })
    expect(await ask(isStreamed)).toEqual({ texts: ['One.', 'Two.'], use: { inputTokens: 1_000, outputTokens: 100 } })
    const [asked] = server.asked
    expect(asked).toMatchObject({ model: 'small', max_tokens: 100, authorization: 'Bearer a-key' })
    expect(asked?.response_format).toMatchObject({ type: 'json_schema' })
    expect(asked?.tools).toBeUndefined()
    expect(asked?.messages.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'Do.'],
      ['user', 'This.'],
    ])
    await ask(isStreamed, { json: 'object' })
    expect(server.asked.at(-1)?.response_format).toEqual({ type: 'json_object' })
  })

  it('is parsed despite reasoning text or a code fence around the JSON', async () => {
    server.answer = () => ({ pieces: ['```json\n', '{"elements":[{"text":"One."}', ']}\n```'] })
    expect((await ask(isStreamed)).texts).toEqual(['One.'])
    server.answer = () => ({ pieces: ['<think>', 'Hm {"elements"', '</think>', '{"elements":[{"text":"Two."}]}'] })
    expect((await ask(isStreamed)).texts).toEqual(['Two.'])
  })

  it('has its usage estimated if it reports none', async () => {
    server.answer = () => ({ ...elements({ text: 'One.' }), usage: null })
    const { use } = await ask(isStreamed)
    expect(use?.inputTokens).toBeGreaterThan(0)
    expect(use?.outputTokens).toBeGreaterThan(0)
  })

  it.each([1e18, -1, 0.5, Number.MAX_SAFE_INTEGER])('is not trusted with a usage of %d tokens', async (count) => {
    const usage = { prompt_tokens: count, completion_tokens: count, total_tokens: count }
    server.answer = () => ({ ...elements({ text: 'One.' }), usage })
    const { use, failed } = await ask(isStreamed)
    expect(failed).toBeUndefined()
    expect(use?.inputTokens).toBeLessThan(100)
    expect(use?.outputTokens).toBeLessThan(100)
  })

  it.each([
    ['rate_limited', { status: 429, body: '{"error":{"message":"slow down"}}' }],
    ['failed', { status: 500, body: 'oops' }],
    ['failed', { status: 503, body: '' }],
    ['refused', { status: 401, body: '{"error":{"message":"no"}}' }],
    ['refused', { status: 404, body: '<html>' }],
    ['unreadable', { pieces: ['{"elements":[{"text":"One'] }],
    ['unreadable', { pieces: ['I would rather talk.'] }],
    ['unreadable', { pieces: [] }],
    ['unreadable', { pieces: ['{"brief":"One."}'] }],
    ['unreadable', { body: 'no JSON' }],
    ['unreadable', { body: '{}' }],
    ['too_large', { flood: 10 * 1024 * 1024 }],
    ['unreachable', { pieces: ['{"elements":[', ']}'], breaksOff: true }],
  ])('is a failure of kind %s for %j', async (kind, answer) => {
    server.answer = () => answer
    expect((await ask(isStreamed)).failed).toBe(kind)
  })

  it('times out, is unreachable, or is canceled', async () => {
    server.answer = () => ({ ...elements({ text: 'One.' }), before: new Promise(() => {}) })
    expect((await ask(isStreamed, { timeoutMs: 200 })).failed).toBe('timeout')
    expect((await ask(isStreamed, { baseUrl: 'http://127.0.0.1:1/v1' })).failed).toBe('unreachable')
    const gone = new AbortController()
    setTimeout(() => gone.abort(new Error('gone')), 50)
    await expect(ask(isStreamed, {}, gone.signal)).rejects.toThrow('gone')
  })

  it('times out even after garbage collection', async () => {
    server.answer = () => ({ ...elements({ text: 'One.' }), before: new Promise(() => {}) })
    expect((await whileCollecting(() => ask(isStreamed, { timeoutMs: 200 }))).failed).toBe('timeout')
  })

  it('sends its key to no other host', async () => {
    const elsewhere = await startModel()
    server.answer = () => ({ status: 307, headers: { location: `${elsewhere.baseUrl}/chat/completions` }, body: '' })
    expect((await ask(isStreamed)).failed).toBe('unreachable')
    await elsewhere.close()
    expect(elsewhere.asked).toHaveLength(0)
  })
})

it('yields elements before the last one has arrived, and fails after them', async () => {
  let hear = NOBODY as () => void
  const before = new Promise<void>((resolve) => {
    hear = resolve
  })
  server.answer = () => ({
    pieces: ['{"elements":[{"text":"One."},', '{"text":"Two.', '"}]}'],
    before,
    breaksOff: true,
  })
  expect(await ask(true, {}, undefined, hear)).toMatchObject({
    texts: ['One.'],
    failed: expect.stringMatching(/^(unreachable|unreadable)$/),
  })
})
