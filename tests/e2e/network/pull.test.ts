import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GithubServer, issueOf, openGithubServer } from '../../harness/github-server.ts'
import { newSandbox, onEachApp } from '../../harness/test-app.ts'

const WAIT = { interval: 100 }
const DAY_MS = 24 * 3_600_000

let host: GithubServer
beforeAll(async () => {
  host = await openGithubServer()
})
afterAll(() => host.close())

let repositories = 0

onEachApp(
  (app) => {
    const start = async (source: object = {}) => {
      const { call } = await app().newAccount()
      const sandbox = await newSandbox(call)
      repositories += 1
      const repository = `acme/ferries${repositories}`
      const issues = [issueOf(repository, 1, app().clock.now(), { title: 'The ferry is late' })]
      host.repositories.set(repository, { issues, comments: [], commits: [] })
      const config = { base_url: host.url, repositories: [repository] }
      const body = { provider: 'github', name: 'Code', adapter_config: config, ...source }
      const made = (await call('POST', `${sandbox.storage}/sources`, body)).body
      const path = `${sandbox.storage}/sources/${made.data_source_id}`
      const jobOf = async (id: string) => (await call('GET', `${sandbox.storage}/ingest/${id}`)).body
      const ended = async (id: string) => {
        await expect.poll(async () => (await jobOf(id)).status, WAIT).toMatch(/completed|failed/)
        return jobOf(id)
      }
      return { call, sandbox, path, repository, issues, ended }
    }

    it("a pull imports the provider's content as a job listed as a run, and the next one what is new", async () => {
      const it = await start()
      const asked = await it.call('POST', `${it.path}/pull`, {})
      expect(asked).toMatchObject({ status: 202, body: { job_type: 'data_source_pull', status: 'queued' } })
      const job = await it.ended(asked.body.job_id)
      expect(job).toMatchObject({
        status: 'completed',
        job_type: 'data_source_pull',
        result: { received: 1, written: 1 },
      })
      const found = await it.call('POST', `${it.sandbox.query}/discover`, { query: 'Which ferry is late?' })
      expect(found.body.items[0]).toMatchObject({ external_id: `issue/${it.repository}#1` })
      const runs = (await it.call('GET', `${it.path}/runs`)).body.runs
      expect(runs).toMatchObject([
        { job_id: job.job_id, job_type: 'data_source_pull', status: 'completed', error: null },
      ])
      expect((await it.call('GET', it.path)).body.last_sync_at).not.toBeNull()
      app().clock.advance(60_000)
      it.issues.push(issueOf(it.repository, 2, app().clock.now()))
      const next = await it.ended((await it.call('POST', `${it.path}/pull`)).body.job_id)
      expect(next.result).toMatchObject({ written: 1 })
      const again = await it.ended(
        (await it.call('POST', `${it.path}/pull`, { since: '2020-01-01T00:00:00Z' })).body.job_id,
      )
      expect(again.result).toMatchObject({ received: 2, unchanged: 2 })
    })

    it('a pull uses the stored credential in its current version', async () => {
      const it = await start({ provider_credential: 'ghp_first' })
      const pull = async () => it.ended((await it.call('POST', `${it.path}/pull`, {})).body.job_id)
      const used = () => host.asked.filter(({ path }) => path.includes(it.repository)).at(-1)?.authorization
      expect((await pull()).status).toBe('completed')
      expect(used()).toContain('ghp_first')
      await it.call('PATCH', it.path, { provider_credential: 'ghp_second' })
      await pull()
      expect(used()).toContain('ghp_second')
      expect(app().logged.join()).not.toMatch(/ghp_(first|second)/)
    })

    it('a polling source is pulled repeatedly by itself', async () => {
      const it = await start({ ingestion_mode: 'polling', poll_interval_seconds: 60 })
      const runs = async () => (await it.call('GET', `${it.path}/runs`)).body.runs
      await expect.poll(async () => (await runs())[0]?.status, WAIT).toBe('completed')
      app().clock.advance(61_000 + 6_000)
      await expect.poll(async () => (await runs()).length, WAIT).toBe(2)
    })

    it('two concurrent calls are one pull, and a source that cannot be pulled says so', async () => {
      const it = await start()
      expect((await it.call('POST', `${it.path}/pause`)).status).toBe(200)
      expect(await it.call('POST', `${it.path}/pull`, {})).toMatchObject({
        status: 409,
        body: { reason: 'source_not_active' },
      })
      await it.call('POST', `${it.path}/resume`)
      host.fault = () => 'hangs'
      const first = await it.call('POST', `${it.path}/pull`, {})
      const second = await it.call('POST', `${it.path}/pull`, {})
      host.fault = () => undefined
      expect(second.body.job_id).toBe(first.body.job_id)
      const json = await it.call('POST', `${it.sandbox.storage}/sources`, { provider: 'json', name: 'Any' })
      const refused = await it.call('POST', `${it.sandbox.storage}/sources/${json.body.data_source_id}/pull`, {})
      expect(refused).toMatchObject({ status: 409, body: { error: 'conflict', reason: 'not_pullable' } })
    })

    it('a failed pull gives the reason in its job and at its source', async () => {
      const it = await start()
      host.repositories.delete(it.repository)
      const job = await it.ended((await it.call('POST', `${it.path}/pull`, {})).body.job_id)
      expect(job).toMatchObject({
        status: 'failed',
        error_message: expect.stringContaining('nothing with the configured name'),
      })
      expect((await it.call('GET', it.path)).body).toMatchObject({ status: 'active', last_error: 'not_found' })
    })

    it('a pull revives an archived source', async () => {
      const it = await start({ kind: 'ephemeral' })
      const { sql, clock } = app().cairn.app
      app().clock.advance(DAY_MS)
      const { user_id: userId, data_source_id: id } = (await it.call('GET', it.path)).body
      await sql.transact(userId, (tx) =>
        tx.updateTable('source').set({ status: 'archived', last_seen_at: clock.now() }).where('id', '=', id).execute(),
      )
      const job = await it.ended((await it.call('POST', `${it.path}/pull`, {})).body.job_id)
      expect(job.status).toBe('completed')
      expect((await it.call('GET', it.path)).body.status).toBe('active')
    })
  },
  { CAIRN_ALLOW_LOOPBACK: 'on' },
)
