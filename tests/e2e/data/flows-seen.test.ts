import { afterAll, beforeAll, expect, it } from 'vitest'
import { openRates, sandboxRate } from '../../../packages/server/src/tenancy/limits/rates.ts'
import { type GithubServer, issueOf, openGithubServer } from '../../harness/github-server.ts'
import { issue, newHook, records } from '../../harness/hook.ts'
import { newSandbox, onEachApp } from '../../harness/test-app.ts'

const WAIT = { interval: 50 }
const EVENT = { 'x-github-event': 'issues' }
const SAID = 'canary-said-4d1f'
const SECRET = 'canary-secret-93ab'

let host: GithubServer
beforeAll(async () => {
  host = await openGithubServer()
})
afterAll(() => host.close())

onEachApp(
  (app) => {
    const metric = async (name: string) => {
      const { body } = await app().anonymous('GET', '/metrics')
      const line = String(body)
        .split('\n')
        .find((one) => one.startsWith(`${name} `))
      return Number(line?.split(' ').at(-1) ?? 0)
    }
    const startPull = async (repository: string, issues: number, more: object = {}) => {
      const account = await app().newAccount()
      const sandbox = await newSandbox(account.call)
      const changed = (n: number) => new Date(app().clock.now().getTime() + n * 60_000)
      const all = Array.from({ length: issues }, (_, n) => issueOf(repository, n + 1, changed(n), { body: SAID }))
      host.repositories.set(repository, { issues: all, comments: [], commits: [] })
      const config = { base_url: host.url, repositories: [repository] }
      const body = { provider: 'github', name: SAID, adapter_config: config, provider_credential: SECRET, ...more }
      const { data_source_id: id } = (await account.call('POST', `${sandbox.storage}/sources`, body)).body
      const path = `${sandbox.storage}/sources/${id}`
      const runs = async () => (await account.call('GET', `${path}/runs`)).body.runs
      return { ...account, sandbox, path, runs }
    }

    it('deliveries are counted by outcome', async () => {
      const hook = await newHook(app(), 'github')
      const outcomes = ['stored', 'ignored', 'duplicate', 'conflict', 'limited', 'inactive', 'invalid'] as const
      const count = async (outcome: string, provider = 'github') =>
        metric(`cairn_deliveries_total{provider="${provider}",outcome="${outcome}"}`)
      const before = new Map(await Promise.all(outcomes.map(async (one) => [one, await count(one)] as const)))
      const refused = await count('refused', 'unknown')
      const written = await metric('cairn_records_total{outcome="written"}')
      const once = { ...EVENT, 'x-github-delivery': 'one' }
      await hook.send(issue(1, 'One'), once)
      await hook.send(issue(1, 'One'), once)
      await hook.send(issue(1, 'Another'), once)
      await hook.send({ zen: 'Hush.' }, { 'x-github-event': 'ping' })
      await hook.send('{"half":', EVENT)
      await app().anonymous('POST', hook.path, issue(1, 'x'))
      await records(app(), hook, 1)
      const change = (config: object) =>
        hook.account.call('PATCH', `${hook.storage}/sources/${hook.sourceId}`, { adapter_config: config })
      await change({ webhook_rate_cap_per_minute: 1 })
      expect((await hook.send(issue(2, 'Two'), EVENT)).status).toBe(429)
      await change({ webhook_rate_cap_per_minute: 100 })
      await hook.account.call('POST', `${hook.storage}/sources/${hook.sourceId}/pause`)
      expect((await hook.send(issue(2, 'Two'), EVENT)).status).toBe(409)
      // Counts are refreshed once a second.
      await expect.poll(() => count('stored'), WAIT).toBe((before.get('stored') ?? 0) + 1)
      for (const one of outcomes) expect(await count(one), one).toBe((before.get(one) ?? 0) + 1)
      expect(await count('refused', 'unknown')).toBe(refused + 1)
      expect(await metric('cairn_records_total{outcome="written"}')).toBe(written + 1)
      for (const name of ['records', 'records_seconds', 'sources', 'sources_seconds'])
        expect(await metric(`cairn_backlog_${name}`)).toBeGreaterThanOrEqual(0)
    })

    it('a running job shows its progress and rate', async () => {
      const it = await startPull('acme/progress', 120)
      let held = 0
      host.fault = () => {
        held += 1
        // The third page gets no reply, so the run stays in progress.
        return held === 3 ? 'hangs' : undefined
      }
      await it.call('POST', `${it.path}/pull`, {})
      await expect.poll(async () => (await it.runs())[0]?.progress.done ?? 0, WAIT).toBeGreaterThan(0)
      const [run] = await it.runs()
      expect(run).toMatchObject({ status: 'processing', progress: { total: null } })
      app().clock.advance(10_000)
      const [later] = await it.runs()
      expect(later.progress.records_per_second).toBeCloseTo(later.progress.done / 10, 0)
      host.fault = () => undefined
      await it.call('POST', `${it.path}/pause`)
    })

    it('pulled records count against the sandbox’s rate, and a run waits for it', async () => {
      const it = await startPull('acme/minute', 120, { ingestion_mode: 'manual' })
      const { sql, limits } = app().cairn.app
      const [{ sandbox_id: sandboxId }] = (await it.call('GET', '/api/v1/storage/sandboxes')).body.sandboxes
      const subject = sandboxRate('records', { holderId: it.userId, sandboxId, tier: 'pro' }, limits)
      const rates = openRates({ sql, clock: app().clock })
      await rates.takeUpTo(subject, 60_000 - 60)
      await it.call('POST', `${it.path}/pull`, {})
      await expect.poll(async () => (await it.runs())[0]?.counts.received ?? 0, WAIT).toBe(100)
      expect((await it.runs())[0]).toMatchObject({ status: 'processing' })
      expect(await rates.used(subject)).toBe(60_000)
      await sql.transact(it.userId, (tx) =>
        tx
          .updateTable('rate')
          .set((is) => ({ latest_second: is('latest_second', '-', 61) }))
          .execute(),
      )
      app().clock.advance(62_000)
      await expect.poll(async () => (await it.runs())[0]?.status, WAIT).toBe('completed')
      expect((await it.runs())[0]).toMatchObject({ counts: { received: 122 }, progress: { done: 122, total: 122 } })
    })

    it('no log line contains delivered or pulled content, or credentials', async () => {
      const hook = await newHook(app(), 'github', { note: SAID })
      await hook.send(issue(1, SAID, { body: SAID }), EVENT)
      await hook.send(`{"half": "${SAID}`, EVENT)
      await hook.send(issue(1, SAID), { ...EVENT, authorization: `Bearer ${SECRET}` })
      await hook.send({ [SAID]: SAID }, { 'x-github-event': SAID, 'x-github-delivery': SAID })
      await records(app(), hook, 1)
      const it = await startPull('acme/quiet', 1)
      for (const fault of [undefined, 'breaks', 'tears', 'breaks off', 'asks to wait'] as const) {
        host.fault = () => fault
        const { job_id: id } = (await it.call('POST', `${it.path}/pull`, {})).body
        const status = async () => (await it.call('GET', `${it.sandbox.storage}/ingest/${id}`)).body.status
        await expect.poll(status, WAIT).toMatch(/completed|failed/)
      }
      host.fault = () => undefined
      const lines = app().logged.join('\n')
      expect(lines).toContain('"event":"pull"')
      for (const canary of [SAID, SECRET, hook.secret, hook.path.split('/').at(-1) as string]) {
        expect(lines.includes(canary), canary).toBe(false)
      }
    })
  },
  { CAIRN_ALLOW_LOOPBACK: 'on' },
)
