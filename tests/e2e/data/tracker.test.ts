import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LinearToolServer, openLinearToolServer } from '../../harness/linear-tool-server.ts'
import { type Answer, type Call, newSandbox, onEachApp, type TestSandbox } from '../../harness/test-app.ts'

const KEY = 'lin_api_test'
const SECRET = 'lin_api_canary-51f0'
const NOTHING = { data_source_id: null, status: null, name: null, ingestion_mode: null, health_error: null }
const ALL = ['teams', 'users', 'projects', 'issues', 'cycles']

/** Starts before the app, because the app's settings contain the tracker's address. */
const tracker = await openLinearToolServer()
afterAll(() => tracker.close())

onEachApp(
  (app) => {
    let call: Call
    let userId: string
    let sandbox: TestSandbox
    beforeAll(() => fill(tracker))
    beforeEach(async () => {
      tracker.takeOver = () => false
      const account = await app().newAccount()
      call = account.call
      userId = account.userId
      sandbox = await newSandbox(call)
    })

    const register = (body: object = {}, headers?: Record<string, string>): Promise<Answer> =>
      call('POST', `${sandbox.storage}/sources/linear`, { api_key: KEY, ...body }, headers)
    const source = async (id: string) => (await call('GET', `${sandbox.storage}/sources/${id}`)).body
    const sources = async () => (await call('GET', `${sandbox.storage}/sources?provider=linear`)).body.sources
    const keptSecrets = async () => {
      const { sql } = app().cairn.app
      const rows = await sql.transact(userId, (tx) => tx.selectFrom('sealed_secret').select('ref').execute())
      return rows.map(({ ref }) => ref)
    }
    const pull = async (id: string) => {
      const { body } = await call('POST', `${sandbox.storage}/sources/${id}/pull`)
      const job = async () => (await call('GET', `${sandbox.storage}/ingest/${body.job_id}`)).body
      await expect.poll(async () => (await job()).status).toMatch(/completed|failed/)
      return job()
    }
    const exported = async (): Promise<Answer['body'][]> => {
      const { body } = await call('GET', `${sandbox.storage}/export`)
      const lines = String(body).split('\n').filter(Boolean)
      return lines.map((line) => JSON.parse(line)).filter((one) => one.external_id !== undefined)
    }

    describe('the tracker', () => {
      it('is not registered without a plausible key, and nothing is echoed or stored', async () => {
        const keys = [undefined, '', 'k'.repeat(5_000), `${SECRET}\r\nX: y`, 12, null]
        for (const api_key of keys) {
          const { status, body } = await register({ api_key })
          expect([status, body]).toMatchObject([400, { ...NOTHING, error: 'invalid_api_key' }])
          expect(typeof body.detail).toBe('string')
          expect(JSON.stringify(body)).not.toMatch(/canary|kkkk/)
        }
        expect([await sources(), await keptSecrets()]).toEqual([[], []])
        expect(app().logged.join('\n')).not.toContain(SECRET)
      })

      it('imports what is included, each once, within its limits', async () => {
        const bad = {
          include: [[], ['x'], ['issues', 'x'], 'issues'],
          rate_cap_per_minute: [0, 601, 1.5, '60'],
          poll_interval_seconds: [59, 60.5, 1e12],
        }
        for (const [field, values] of Object.entries(bad)) {
          for (const value of values) {
            const { status, body } = await register({ [field]: value })
            expect([status, body.error]).toEqual([400, `invalid_${field}`])
          }
        }
        expect(await sources()).toEqual([])
        const some = await register({ include: ['issues', 'teams', 'issues'], rate_cap_per_minute: 600 })
        expect([some.status, some.body.entities]).toEqual([201, ['teams', 'issues']])
        const whole = await register({ name: 'All', poll_interval_seconds: 60, rate_cap_per_minute: 1 })
        expect(whole.body).toMatchObject({ status: 'active', name: 'All', ingestion_mode: 'polling', entities: ALL })
      })

      it('stores its key under linear/<id>/auth, and shows only the reference', async () => {
        const { status, body, headers } = await register()
        const id = body.data_source_id
        expect([status, body]).toMatchObject([
          201,
          { status: 'active', name: 'Linear', health_error: null, error: null },
        ])
        expect(headers.location).toBe(`${sandbox.storage}/sources/${id}`)
        const shown = await source(id)
        expect(shown).toMatchObject({ provider: 'linear', poll_interval_seconds: 900, status: 'active' })
        expect(shown.adapter_config).toEqual({ include: ALL, rate_cap_per_minute: 60, auth_ref: `linear/${id}/auth` })
        expect(JSON.stringify(shown)).not.toContain(KEY)
      })

      it('is registered in state error if its check fails, with a reason from the list', async () => {
        const failing: [LinearToolServer['takeOver'], string][] = [
          [(_, response) => Boolean(response.writeHead(401).end('{"error":"invalid_token"}')), 'auth_rejected'],
          [(_, response) => Boolean(response.writeHead(500).end('inner banner')), 'protocol_error'],
          [
            (_, response) => Boolean(response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')),
            'protocol_error',
          ],
          [(_, response) => Boolean(response.destroy()), 'connect_failed'],
          [() => true, 'timeout'],
        ]
        for (const [at, [takeOver, reason]] of failing.entries()) {
          tracker.takeOver = takeOver
          const { status, body } = await register({ name: `Linear ${at}` })
          expect([status, body]).toMatchObject([201, { status: 'error', health_error: reason, entities: ALL }])
          const shown = await source(body.data_source_id)
          const ref = `linear/${shown.data_source_id}/auth`
          expect(shown).toMatchObject({ status: 'error', adapter_config: { auth_ref: ref } })
          expect(await keptSecrets()).toContain(ref)
        }
        const { tools } = tracker
        tracker.takeOver = () => false
        tracker.tools = []
        expect((await register({ name: 'None' })).body).toMatchObject({
          status: 'error',
          health_error: 'allowed_tool_missing',
        })
        tracker.tools = tools
      })

      it('repairs the source of its name when a new key arrives, instead of creating a second', async () => {
        const wrong = await register({ api_key: SECRET })
        expect(wrong.body).toMatchObject({ status: 'error', health_error: 'auth_rejected' })
        const id = wrong.body.data_source_id
        const stillWrong = await register({ api_key: `${SECRET}-2` })
        expect(stillWrong.body).toMatchObject({ status: 'error', data_source_id: id })
        const right = await register({ include: ['issues'] })
        expect(right.body).toMatchObject({
          status: 'active',
          data_source_id: id,
          health_error: null,
          entities: ['issues'],
        })
        expect(await sources()).toHaveLength(1)
        expect(await keptSecrets()).toEqual([`linear/${id}/auth`])
        expect((await source(id)).last_error).toBeUndefined()
        expect((await pull(id)).status).toBe('completed')
        const other = await register({})
        expect(other.body.data_source_id).not.toBe(id)
        expect(app().logged.join('\n')).not.toContain(SECRET)
      })

      it('is created once for a repeat with the same idempotency key, with the same reply', async () => {
        const key = { 'idempotency-key': 'tracker-1' }
        const first = await register({}, key)
        const again = await register({}, key)
        expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([201, first.body, 'true'])
        expect(await sources()).toHaveLength(1)
      })

      it('is read through its tools with the stored key: everything first, then changes', async () => {
        const { body } = await register({ rate_cap_per_minute: 600 })
        const id = body.data_source_id
        expect((await pull(id)).status).toBe('completed')
        const records = new Map((await exported()).map((one) => [one.external_id, one]))
        expect([...records.keys()].sort()).toEqual(
          [
            'cycle/cy-1',
            'issue/u-1',
            'issue/u-2',
            'issue/u-3',
            'project/p-1',
            'team/t-1',
            'user/p-ana',
            'user/p-ben',
          ].sort(),
        )
        expect(records.get('issue/u-1')).toMatchObject({
          title: 'Quotes are lost',
          text: `${'A long story. '.repeat(40)}The end.`.trim(),
          properties: {
            key: 'HAR-1',
            state: 'In Progress',
            assignee: 'Ana Sol',
            cycle: 'Harbour cycle 7',
            priority: 'High',
          },
        })
        tracker.calls.splice(0)
        const second = await pull(id)
        expect(second.result).toMatchObject({ received: 0 })
        expect(tracker.calls.filter(({ tool }) => tool === 'list_issues')[0]?.parameters.updatedAt).toBe(
          '2026-05-03T09:59:59.000Z',
        )
        tracker.issues[1] = {
          ...tracker.issues[1]!,
          status: 'Done',
          statusType: 'completed',
          updatedAt: '2026-05-04T10:00:00.000Z',
        }
        expect((await pull(id)).result).toMatchObject({ received: 1, written: 1 })
        const done = (await exported()).find((one) => one.external_id === 'issue/u-2')
        expect(done.properties.state).toBe('Done')
        expect(tracker.calls.every(({ tool }) => tool.startsWith('list_') || tool === 'get_issue')).toBe(true)
      })

      it('gives an issue the same record whether it is polled or delivered', async () => {
        const { body } = await register({ include: ['issues'] })
        await pull(body.data_source_id)
        const hooked = await call('POST', `${sandbox.storage}/sources`, {
          provider: 'linear',
          name: 'Hook',
          ingestion_mode: 'realtime',
        })
        const data = { id: 'u-3', identifier: 'HAR-3', title: 'Sail', updatedAt: '2026-05-05T10:00:00.000Z' }
        const sent = await app().anonymous(
          'POST',
          new URL(hooked.body.webhook_url).pathname,
          { type: 'Issue', action: 'update', data },
          { authorization: `Bearer ${hooked.body.webhook_signing_secret}` },
        )
        expect(sent.status).toBe(204)
        const both = async () => (await exported()).filter((one) => one.external_id === 'issue/u-3')
        await expect.poll(both).toHaveLength(2)
      })
    })
  },
  { CAIRN_LINEAR_MCP_URL: tracker.url },
)

function fill(server: LinearToolServer): void {
  const team = { team: 'Harbour', teamId: 't-1' }
  const issue = (id: string, uuid: string, title: string, updatedAt: string, more: object = {}) => ({
    id,
    uuid,
    title,
    url: `https://linear.app/harbour/issue/${id}`,
    createdAt: '2026-05-01T08:00:00.000Z',
    updatedAt,
    archivedAt: null,
    status: 'Todo',
    statusType: 'unstarted',
    labels: ['Bug'],
    priority: { value: 2, name: 'High' },
    createdBy: 'Ben Ash',
    createdById: 'p-ben',
    ...team,
    ...more,
  })
  const inWork = {
    status: 'In Progress',
    statusType: 'started',
    assignee: 'Ana Sol',
    assigneeId: 'p-ana',
    cycleId: 'cy-1',
  }
  const description = `${'A long story. '.repeat(40)}The end.`
  server.teams = [
    { id: 't-1', name: 'Harbour', createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
  ]
  server.users = [
    { id: 'p-ana', name: 'Ana Sol', email: 'ana@harbour.example', displayName: 'ana', isActive: true, isAdmin: true },
    { id: 'p-ben', name: 'Ben Ash', email: 'ben@harbour.example', displayName: 'ben', isActive: true, isAdmin: false },
  ]
  server.projects = [
    {
      id: 'p-1',
      name: 'Quay',
      summary: 'A new quay',
      url: 'https://linear.app/harbour/project/quay',
      updatedAt: '2026-05-02T10:00:00.000Z',
      status: { id: 's', name: 'Started', type: 'started' },
      lead: { id: 'p-ana', name: 'Ana Sol' },
      teams: [{ id: 't-1', name: 'Harbour', key: 'HAR' }],
    },
  ]
  server.cycles = { 't-1': [{ id: 'cy-1', number: 7, startsAt: '2026-05-01', endsAt: '2026-05-14', isCurrent: true }] }
  server.issues = [
    issue('HAR-1', 'u-1', 'Quotes are lost', '2026-05-03T10:00:00.000Z', { description, ...inWork }),
    issue('HAR-2', 'u-2', 'Paint the boat', '2026-05-02T10:00:00.000Z', {
      parentId: 'HAR-1',
      project: 'Quay',
      projectId: 'p-1',
    }),
    issue('HAR-3', 'u-3', 'Sail', '2026-05-01T10:00:00.000Z'),
  ]
}
