import { Type } from '@cairnstore/contract'
import { afterAll, expect, it } from 'vitest'
import { countModelUse } from '../../packages/server/src/answer/models/open-models.ts'
import { elements, startModel } from '../harness/model-server.ts'
import { newSandbox, onEachApp, putRecords } from '../harness/test-app.ts'

const QUESTION = { query: 'When does Harbour launch?' }
const WRITTEN = 'Ana Lima set the launch of Harbour for 17 August.'
const LAUNCH = {
  external_id: 'launch',
  type: 'note',
  text: 'Harbour launches on 17 August, Ana Lima decided. The launch is set.',
}
const DAY_MS = 86_400_000

const model = await startModel()
model.answer = () => ({
  ...elements({ text: WRITTEN, ids: ['r1'], paragraph: 1 }),
  usage: { prompt_tokens: 700, completion_tokens: 100, total_tokens: 800 },
})
afterAll(() => model.close())

onEachApp(
  (app) => {
    it("an account's tokens are counted over all processes; beyond the budget passages answer", async () => {
      const { userId, call } = await app().newAccount()
      const sandbox = await newSandbox(call, 'Harbour', 'enterprise')
      await putRecords(call, sandbox, [LAUNCH])
      const ask = async () => (await call('POST', `${sandbox.query}/search`, QUESTION)).body
      const budget = async () => (await call('GET', '/api/v1/usage')).body.model_budget
      const resets_at = '2026-08-01T00:00:00.000Z'
      expect(await budget()).toEqual({ tokens_per_day: 2_000, used_today: 0, left_today: 2_000, resets_at })
      expect(await ask()).toMatchObject({ answer: WRITTEN, warnings: [] })
      expect(await budget()).toMatchObject({ used_today: 800, left_today: 1_200 })
      // Simulates other processes that count their use in the same row.
      const endpoint = { baseUrl: model.baseUrl, name: 'm', inputPriceUsd: 0 }
      const charged = { endpoint, outputPriceUsd: 0, callType: 'write' } as const
      const used = { inputTokens: 1_100, outputTokens: 100 }
      await countModelUse({ sql: app().cairn.app.sql, clock: app().clock }, userId, used, charged)
      // Embeddings and rerankings do not count.
      await countModelUse({ sql: app().cairn.app.sql, clock: app().clock }, userId, used, {
        ...charged,
        callType: 'embed',
      })
      expect(await budget()).toEqual({ tokens_per_day: 2_000, used_today: 2_000, left_today: 0, resets_at })
      const asked = model.asked.length
      const spent = await ask()
      expect(spent).toMatchObject({ outcome: 'answered', answer: expect.stringContaining('17 August') })
      expect(spent.answer).not.toBe(WRITTEN)
      expect(spent.warnings).toEqual([
        'The writing model has used up the daily tokens of the account (UTC); the answer was composed without it.',
      ])
      expect(model.asked).toHaveLength(asked)
      const other = await app().newAccount()
      expect((await other.call('GET', '/api/v1/usage')).body.model_budget.left_today).toBe(2_000)
      app().clock.advance(DAY_MS)
      expect(await ask()).toMatchObject({ answer: WRITTEN, warnings: [] })
      expect(await budget()).toMatchObject({ used_today: 800 })
    })

    it('a caller who disconnects early is charged for the prompt', async () => {
      const { userId, call } = await app().newAccount()
      const sandbox = await newSandbox(call, 'Left', 'enterprise')
      await putRecords(call, sandbox, [LAUNCH])
      const { writer } = app().cairn.app.models
      const leaving = new AbortController()
      const Text = Type.Object({ text: Type.String() })
      model.answer = () => ({ ...elements({ text: 'a' }, { text: 'b' }), before: new Promise(() => undefined) })
      const asked = { system: 'x'.repeat(4_000), prompt: '', element: Text, tokensMax: 10, isStreamed: true }
      for await (const _ of writer!.ask(userId, { ...asked, signal: leaving.signal })) break
      expect((await call('GET', '/api/v1/usage')).body.model_budget.used_today).toBe(1_000)
    })
  },
  { CAIRN_MODEL_BASE_URL: model.baseUrl, CAIRN_MODEL_NAME: 'm', CAIRN_MODEL_DAILY_TOKENS: '2000' },
)
