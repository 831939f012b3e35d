import { expect, it } from 'vitest'
import { type CallType, countModelUse } from '../../packages/server/src/answer/models/open-models.ts'
import { newSandbox, onEachApp, putRecords } from '../harness/test-app.ts'

const NOTHING = {
  total_prompt_tokens: 0,
  total_completion_tokens: 0,
  total_tokens: 0,
  total_cost_usd: 0,
  total_calls: 0,
}

onEachApp((app) => {
  it('is reported by model and call type, and as a balance, only for the own account', async () => {
    const [used, other] = [await app().newAccount(), await app().newAccount()]
    const count = (name: string, callType: CallType, inputTokens: number, outputTokens: number) => {
      const endpoint = { baseUrl: 'https://models.example/v1', name, inputPriceUsd: 2 }
      const charged = { endpoint, outputPriceUsd: 10, callType }
      const planes = { sql: app().cairn.app.sql, clock: app().clock }
      return countModelUse(planes, used.userId, { inputTokens, outputTokens }, charged)
    }
    await count('small', 'rerank', 50, 0)
    await count('large', 'write', 1_000, 100)
    await count('large', 'write', 500, 0)
    await count('small', 'embed', 10, 0)
    const { status, body } = await used.call('GET', '/api/v1/usage')
    expect([status, body.model]).toEqual([200, { input_tokens: 1_560, output_tokens: 100, cost_usd: 0.00412 }])
    expect(body.summary).toEqual({
      total_prompt_tokens: 1_560,
      total_completion_tokens: 100,
      total_tokens: 1_660,
      total_cost_usd: 0.00412,
      total_calls: 4,
    })
    const provider = 'models.example'
    const large = { prompt_tokens: 1_500, completion_tokens: 100, total_tokens: 1_600, cost_usd: 0.004, calls: 2 }
    const alone = (tokens: number, cost_usd: number, calls: number) => {
      return { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens, cost_usd, calls }
    }
    expect(body.by_model).toEqual([
      { model: 'large', provider, ...large },
      { model: 'small', provider, ...alone(60, 0.00012, 2) },
    ])
    expect(body.by_call_type).toEqual([
      { call_type: 'write', ...large },
      { call_type: 'rerank', ...alone(50, 0.0001, 1) },
      { call_type: 'embed', ...alone(10, 0.00002, 1) },
    ])
    const balance = { credits_purchased: 0, credits_remaining: 0, currency: 'usd' }
    expect((await used.call('GET', '/api/v1/usage/balance')).body).toEqual({ ...balance, credits_used: 4_120 })
    expect((await used.call('GET', '/api/v1/usage?from=2020-01-01&to=2020-01-31')).body).toMatchObject({
      summary: NOTHING,
      by_model: [],
      by_call_type: [],
    })
    expect((await other.call('GET', '/api/v1/usage')).body).toMatchObject({ summary: NOTHING, by_model: [] })
    expect((await other.call('GET', '/api/v1/usage/balance')).body).toEqual({ ...balance, credits_used: 0 })
  })

  it('of a sandbox says that nothing is embedded without an encoder, and keyword search works', async () => {
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call, 'Notes')
    await putRecords(call, sandbox, [{ external_id: 'printer', type: 'note', text: 'The printer hums in the corner.' }])
    const { body } = await call('GET', `${sandbox.storage}/usage`)
    expect(body.reading).toEqual({ model: null, records: 0, waiting: 0 })
    const found = await call('POST', `${sandbox.query}/discover`, { query: 'printer' })
    expect(found.body.items).toMatchObject([{ external_id: 'printer' }])
  })
})
