import { randomBytes } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type ChatAnswer, startModel } from '../../harness/model-server.ts'
import { type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../../harness/test-app.ts'

const model = await startModel()
afterAll(() => model.close())

const REST_MS = 60_000
const QUESTION = { query: 'What is known of the Harbour launch?', reference_date: '2026-06-30' }
const RECORDS = ['budget', 'date', 'team', 'venue', 'weather'].map((topic, at) => ({
  external_id: topic,
  type: 'message',
  occurred_at: `2026-06-0${at + 1}T09:00:00Z`,
  text: `Of the Harbour launch: the ${topic} is settled.${' Harbour launch.'.repeat(at)}`,
}))

/** Returns a rerank handler that puts the documents with this word first. */
function first(word: string) {
  return ({ documents = [] }: { documents?: string[] }): ChatAnswer => {
    const results = documents.map((text, index) => ({ index, relevance_score: text.includes(word) ? 1 : -index }))
    return { body: JSON.stringify({ results, usage: { total_tokens: 70 } }) }
  }
}

onEachApp(
  (app) => {
    let call: Call
    let sandbox: TestSandbox

    const discover = (body: object = {}) => call('POST', `${sandbox.query}/discover`, { ...QUESTION, ...body })
    const order = async (body: object = {}) =>
      (await discover(body)).body.items.map((item: { external_id: string }) => item.external_id)

    beforeEach(async () => {
      app().clock.advance(REST_MS)
      ;({ call } = await app().newAccount())
      sandbox = await newSandbox(call)
      await putRecords(call, sandbox, RECORDS)
      model.asked.length = 0
    })

    describe('a reranker', () => {
      it('moves its first results up, gets the question and the texts, and is billed', async () => {
        const graph: string[] = await order({ preset: 'fast' })
        expect(model.asked).toHaveLength(0)
        const last = graph.at(-1)!
        model.answer = first(last)
        const { status, headers, body } = await discover()
        const ids = body.items.map((item: { external_id: string }) => item.external_id)
        expect([status, headers.warning]).toEqual([200, undefined])
        expect(ids.indexOf(last)).toBeLessThan(graph.indexOf(last))
        expect([...ids].sort()).toEqual([...graph].sort())
        const scores = body.items.map(({ score }: { score: number }) => score)
        expect(scores).toEqual([...scores].sort((one, other) => other - one))
        expect(model.asked.at(-1)).toMatchObject({
          model: 'order',
          query: QUESTION.query,
          authorization: 'Bearer its-key',
        })
        expect((await call('GET', '/api/v1/usage')).body.model).toEqual({
          input_tokens: 70,
          output_tokens: 0,
          cost_usd: 0.0007,
        })
        // Reranking happens before the limit, so it can promote an item that would be cut off.
        expect(await order({ limit: 2 })).toContain(last)
      })

      it('is also used for the answer of search', async () => {
        model.answer = first('venue')
        const { body } = await call('POST', `${sandbox.query}/search`, QUESTION)
        expect([body.answered, body.warnings]).toEqual([true, []])
        expect(model.asked.at(-1)).toMatchObject({ query: QUESTION.query })
      })

      it.each<[string, ChatAnswer]>([
        ['does not answer', { body: '{}', before: new Promise(() => {}) }],
        ['answers 429', { status: 429, body: '{}' }],
        ['answers 500', { status: 500, body: 'oops' }],
        ['answers with bad JSON', { body: '{"results"' }],
        ['answers in another form', { body: '{"results":[{"index":"0"}]}' }],
        ['sends 10 MB', { body: '{}', flood: 10 * 1024 * 1024 }],
        ['breaks off', { body: '{}', breaksOff: true }],
      ])('that %s leaves the order of the graph, with a warning', async (_, answer) => {
        const graph = await order({ preset: 'fast' })
        model.answer = () => answer
        const { status, headers, body } = await discover()
        expect(status).toBe(200)
        expect(body.items.map((item: { external_id: string }) => item.external_id)).toEqual(graph)
        expect(headers.warning).toMatch(/^199 cairn "The reranking model/)
        const { body: found } = await call('POST', `${sandbox.query}/search`, QUESTION)
        expect(found.warnings).toEqual([expect.stringMatching(/The reranking model/)])
      })

      it('gets nothing of an encrypted sandbox', async () => {
        const key = { 'x-encryption-key': randomBytes(32).toString('base64') }
        const sealed = await newSandbox(call, 'Sealed')
        await call('POST', sealed.records, { records: RECORDS }, { ...key, prefer: 'wait=30' })
        const { status, body } = await call('POST', `${sealed.query}/discover`, QUESTION, key)
        expect([status, body.count]).toEqual([200, RECORDS.length])
        expect(model.asked).toHaveLength(0)
      })

      it('that returns unknown texts changes nothing', async () => {
        const graph = await order({ preset: 'fast' })
        const results = [99, -1].map((index) => ({ index, relevance_score: 1 }))
        model.answer = () => ({ body: JSON.stringify({ results }) })
        expect(await order()).toEqual(graph)
      })
    })
  },
  {
    CAIRN_RERANK_BASE_URL: model.baseUrl,
    CAIRN_RERANK_NAME: 'order',
    CAIRN_RERANK_API_KEY: 'its-key',
    CAIRN_RERANK_TIMEOUT_SECONDS: '0.5',
    CAIRN_RERANK_PRICE: '10',
  },
)
