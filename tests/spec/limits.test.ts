import { describe, expect, it } from 'vitest'
import { newSandbox, onEachApp, putRecords, type TestApp } from '../harness/test-app.ts'

const LIMITS = {
  free: {
    queries_per_minute: 5,
    reads_per_minute: 5,
    ingest_records_per_minute: 9,
    max_records: 6,
    max_storage_bytes: 2_000,
  },
  pro: { max_data_sources: 3, max_projects: 2, queries_per_minute: null, reads_per_minute: null },
}

const note = (id: string, text = 'A note') => ({ external_id: id, type: 'note', text })

describe('limits', () => {
  onEachApp(
    (app: () => TestApp) => {
      const sandboxOf = async (tier: string) => {
        const account = await app().newAccount()
        return { ...account, sandbox: await newSandbox(account.call, 'Limited', tier) }
      }
      const usageOf = async ({ call, sandbox }: Awaited<ReturnType<typeof sandboxOf>>) =>
        (await call('GET', `${sandbox.storage}/usage`)).body

      it("the tier's source limit is exact; of two concurrent requests at the limit one is rejected", async () => {
        const at = await sandboxOf('pro')
        const register = () => at.call('POST', `${at.sandbox.storage}/sources`, { provider: 'slack', name: 'More' })
        expect((await register()).status).toBe(201)
        const both = await Promise.all([register(), register()])
        expect(both.map(({ status }) => status).sort()).toEqual([201, 403])
        expect(both.find(({ status }) => status === 403)!.body.error).toBe('quota_exceeded')
        expect(await register()).toMatchObject({ status: 403, body: { error: 'quota_exceeded' } })
        expect(await usageOf(at)).toMatchObject({ max_data_sources: 3, max_projects: 0 })
      })

      it('queries are counted exactly under concurrency, and the headers give the remaining number', async () => {
        const at = await sandboxOf('free')
        const ask = () => at.call('POST', `${at.sandbox.query}/discover`, { query: 'What?' })
        const first = await ask()
        expect(first.headers).toMatchObject({ 'ratelimit-limit': '5', 'ratelimit-remaining': '4' })
        const answers = await Promise.all(Array.from({ length: 12 }, ask))
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
        const refused = answers.filter(({ status }) => status === 429)
        expect(refused).toHaveLength(8)
        for (const { headers, body } of refused) {
          expect(body.error).toBe('rate_limited')
          expect(Number(headers['retry-after'])).toBeGreaterThan(0)
          expect(Number(headers['retry-after'])).toBeLessThanOrEqual(61)
          expect(headers['ratelimit-remaining']).toBe('0')
        }
        expect(await usageOf(at)).toMatchObject({ queries_per_minute: 5 })
      })

      it('reads of entities, records and exports have a separate rate, and none without a limit', async () => {
        const at = await sandboxOf('free')
        const read = (path: string) => at.call('GET', `${at.sandbox.storage}/${path}`)
        const paths = ['entities', 'entities/search?q=x', 'export', 'entities?limit=1', 'export']
        const answers = await Promise.all(paths.map(read))
        expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200))
        for (const path of paths) {
          const { status, body, headers } = await read(path)
          expect([status, body.error, headers['ratelimit-limit']], path).toEqual([429, 'rate_limited', '5'])
          expect(Number(headers['retry-after'])).toBeGreaterThan(0)
        }
        expect(await usageOf(at)).toMatchObject({ reads_per_minute: 5, queries_per_minute: 0 })
        const free = await sandboxOf('pro')
        const { headers } = await free.call('GET', `${free.sandbox.storage}/entities`)
        expect([headers['ratelimit-limit'], (await usageOf(free)).reads_per_minute]).toEqual([undefined, 0])
      })

      it('access is checked before the rate, and the rate before the body', async () => {
        const at = await sandboxOf('free')
        for (let count = 0; count < 5; count += 1) await at.call('POST', `${at.sandbox.query}/discover`, { query: 'x' })
        expect((await at.call('POST', `${at.sandbox.query}/discover`, '{')).status).toBe(429)
        const stranger = await app().newAccount()
        expect((await stranger.call('POST', `${at.sandbox.query}/discover`, '{')).status).toBe(404)
      })

      it('an account sees its usage for the days it asks for', async () => {
        const at = await sandboxOf('pro')
        await at.call('POST', `${at.sandbox.query}/discover`, { query: 'What?' })
        await putRecords(at.call, at.sandbox, [note('a'), note('b')])
        const used = { user_id: at.userId, queries: 1, ingested_records: 2 }
        const { body } = await at.call('GET', '/api/v1/usage')
        expect(body).toMatchObject({ ...used, from: '2026-07-01', to: '2026-07-31', model: { cost_usd: 0 } })
        const june = await at.call('GET', '/api/v1/usage?from=2026-06-01&to=2026-06-30')
        expect(june.body).toMatchObject({ queries: 0, ingested_records: 0 })
        const backwards = await at.call('GET', '/api/v1/usage?from=2026-06-02&to=2026-06-01')
        expect([backwards.status, backwards.body.errors[0].loc]).toEqual([422, ['query', 'to']])
      })

      it('unlimited operations have no rate headers', async () => {
        const at = await sandboxOf('pro')
        const { headers, status } = await at.call('POST', `${at.sandbox.query}/discover`, { query: 'What?' })
        expect([status, headers['ratelimit-limit']]).toEqual([200, undefined])
        expect(await usageOf(at)).toMatchObject({ queries_per_minute: 1 })
      })

      it('records over the rate are rejected as a whole, before they are read once the minute is used up', async () => {
        const at = await sandboxOf('free')
        const put = (count: number) =>
          at.call('POST', at.sandbox.records, { records: Array.from({ length: count }, () => note('same')) })
        expect((await put(6)).status).toBe(202)
        expect((await put(4)).status).toBe(429)
        expect((await put(3)).status).toBe(202)
        const { status, headers } = await at.call('POST', at.sandbox.records, '{')
        expect([status, headers['ratelimit-remaining']]).toEqual([429, '0'])
        const hopeless = await at.call('POST', at.sandbox.records, {
          records: Array.from({ length: 10 }, () => note('x')),
        })
        expect(hopeless.status).toBe(429)
        expect(await usageOf(at)).toMatchObject({ ingest_records_per_minute: 9 })
      })

      it('a record over max_records fails individually, a replacement does not; usage equals a recount', async () => {
        const at = await sandboxOf('free')
        const first = await putRecords(
          at.call,
          at.sandbox,
          ['a', 'b', 'c', 'd', 'e'].map((id) => note(id)),
        )
        expect(first.result).toMatchObject({ received: 5, written: 5, failed: 0 })
        const second = await putRecords(at.call, at.sandbox, [note('f'), note('g'), note('a', 'Another text')])
        expect(second.result).toMatchObject({ received: 3, written: 2, failed: 1 })
        expect(second.result.errors).toEqual([
          { line: 2, external_id: 'g', reason: 'quota_exceeded', detail: expect.stringContaining('tier') },
        ])
        const lines = String((await at.call('GET', `${at.sandbox.storage}/export`)).body)
          .trim()
          .split('\n')
        const records = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'record')
        expect(await usageOf(at)).toMatchObject({ max_records: 6 })
        expect(records).toHaveLength(6)
        const text = await at.call('POST', `${at.sandbox.storage}/ingest`, { text: 'One more' })
        expect([text.status, text.body.error]).toEqual([403, 'quota_exceeded'])
      })

      it('content over max_storage_bytes fails individually and is not counted', async () => {
        const at = await sandboxOf('free')
        const job = await putRecords(at.call, at.sandbox, [note('a', 'x'.repeat(1_500)), note('b', 'y'.repeat(1_500))])
        expect(job.result).toMatchObject({ written: 1, failed: 1 })
        const { max_storage_bytes: used } = await usageOf(at)
        expect(used).toBeGreaterThan(1_500)
        expect(used).toBeLessThan(2_000)
        await putRecords(at.call, at.sandbox, [{ external_id: 'a', type: 'note', deleted: true }])
        expect(await usageOf(at)).toMatchObject({ max_storage_bytes: 0, max_records: 0 })
      })

      it('an unchanged record is reported as such, and nothing is written', async () => {
        const at = await sandboxOf('pro')
        await putRecords(at.call, at.sandbox, [note('a'), note('b')])
        const again = await putRecords(at.call, at.sandbox, [note('a'), note('b', 'Changed')])
        expect(again.result).toMatchObject({ received: 2, written: 1, unchanged: 1, failed: 0 })
      })
    },
    { CAIRN_LIMITS: JSON.stringify(LIMITS) },
  )
})

describe('limits of an account', () => {
  const limits = {
    free: {
      max_sandboxes: 3,
      queries_per_minute: 4,
      account_queries_per_minute: 6,
      reads_per_minute: null,
      account_reads_per_minute: 2,
      ingest_records_per_minute: 4,
      account_ingest_records_per_minute: 6,
    },
    pro: { max_sandboxes: 1 },
  }
  onEachApp(
    (app: () => TestApp) => {
      const twoOf = async () => {
        const { call } = await app().newAccount()
        return { call, own: [await newSandbox(call, 'One', 'free'), await newSandbox(call, 'Two', 'free')] as const }
      }

      it('its sandboxes share the rates of questions, reads and records, and say so', async () => {
        const { call, own } = await twoOf()
        const ask = (at: 0 | 1) => call('POST', `${own[at].query}/discover`, { query: 'What?' })
        const statuses = []
        for (const at of [0, 0, 0, 0, 0, 1, 1] as const) statuses.push((await ask(at)).status)
        expect(statuses).toEqual([200, 200, 200, 200, 429, 200, 200])
        const refused = await ask(1)
        expect([refused.status, refused.body.error, refused.body.reason]).toEqual([
          429,
          'rate_limited',
          'account_limits',
        ])
        expect(refused.headers).toMatchObject({ 'ratelimit-limit': '6', 'ratelimit-remaining': '0' })
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
        const read = (at: 0 | 1) => call('GET', `${own[at].storage}/entities`)
        expect([(await read(0)).status, (await read(1)).status]).toEqual([200, 200])
        expect((await read(0)).body.reason).toBe('account_limits')
        const put = (at: 0 | 1, ids: string[]) => call('POST', own[at].records, { records: ids.map((id) => note(id)) })
        expect((await put(0, ['a', 'b', 'c'])).status).toBe(202)
        const tooMany = await put(1, ['a', 'b', 'c', 'd'])
        expect([tooMany.status, tooMany.body.reason]).toEqual([429, 'account_limits'])
        expect((await put(1, ['a', 'b', 'c'])).status).toBe(202)
        const stranger = await twoOf()
        const { status } = await stranger.call('POST', `${stranger.own[0].query}/discover`, { query: 'What?' })
        expect(status).toBe(200)
      })

      it('sandboxes per tier are limited, also under concurrency, and a deleted one frees its slot', async () => {
        const { call, own } = await twoOf()
        const make = (name: string, tier = 'free') =>
          call('POST', '/api/v1/storage/sandboxes', { name, owner_id: 'o', tier })
        const both = await Promise.all([make('Three'), make('Four')])
        expect(both.map(({ status }) => status).sort()).toEqual([201, 403])
        const refused = both.find(({ status }) => status === 403)!
        expect(refused.body).toMatchObject({ error: 'quota_exceeded', reason: 'sandboxes_max' })
        expect((await make('Other tier', 'pro')).status).toBe(201)
        await call('POST', `${own[0].storage}/archive`)
        expect((await make('Five')).status).toBe(403)
        await call('DELETE', own[1].storage)
        expect((await make('Five')).status).toBe(201)
      })

      it('its limits are shown with its usage, but not with a sandbox’s', async () => {
        const { call, own } = await twoOf()
        const { body } = await call('GET', '/api/v1/usage')
        expect(body.limits.free).toEqual({
          max_sandboxes: 3,
          account_queries_per_minute: 6,
          account_reads_per_minute: 2,
          account_ingest_records_per_minute: 6,
        })
        expect(Object.keys((await call('GET', own[0].storage)).body.limits)).toHaveLength(7)
      })
    },
    { CAIRN_LIMITS: JSON.stringify(limits) },
  )
})

describe('without configured limits', () => {
  onEachApp(
    (app: () => TestApp) => {
      it('an embedded service has no rates and quotas, says so, and still counts', async () => {
        const { call } = await app().newAccount()
        const sandbox = await newSandbox(call, 'Own', 'free')
        const { body } = await call('GET', sandbox.storage)
        expect(body.tier).toBe('free')
        expect(Object.values(body.limits)).toEqual(Array(7).fill(null))
        const more = Array.from({ length: 12 }, (_, at) =>
          call('POST', `${sandbox.storage}/sources`, { provider: 'slack', name: `Source ${at}` }),
        )
        expect(new Set((await Promise.all(more)).map(({ status }) => status))).toEqual(new Set([201]))
        const notes = Array.from({ length: 130 }, (_, at) => note(`n${at}`))
        await putRecords(call, sandbox, notes)
        const ask = () => call('POST', `${sandbox.query}/discover`, { query: 'What?' })
        for (let at = 0; at < 121; at += 1) {
          const { status, headers } = await ask()
          const named = Object.keys(headers).filter((name) => name.startsWith('ratelimit'))
          expect([status, named]).toEqual([200, []])
        }
        const { body: usage } = await call('GET', `${sandbox.storage}/usage`)
        expect(usage).toMatchObject({ queries_per_minute: 121, max_records: 130, max_data_sources: 13 })
      })
    },
    { CAIRN_LIMITS: undefined },
  )
})
