import { randomBytes } from 'node:crypto'
import { afterAll, beforeEach, expect, it } from 'vitest'
import type { HttpCtx } from '../../../packages/server/src/http/context.ts'
import { callLiveTool, listLiveTools } from '../../../packages/server/src/sources/tool-servers/live-tools.ts'
import { AccessScope } from '../../../packages/server/src/tenancy/access/access-scope.ts'
import { assertNowhere } from '../../harness/at-rest.ts'
import { issueOf, openGithubServer } from '../../harness/github-server.ts'
import { keyForgotten, withKey } from '../../harness/keyed.ts'
import { openLinearToolServer } from '../../harness/linear-tool-server.ts'
import { type Call, newSandbox, onEachApp, type TestAccount } from '../../harness/test-app.ts'
import { openToolServer } from '../../harness/tool-server.ts'

const SOON = { interval: 100 }
const REQUIRED = { status: 403, body: { error: 'encryption_key_required', reason: 'missing' } }
const NOTHING = { data_source_id: null, status: null, name: null, ingestion_mode: null, health_error: null }
const REFUSED = {
  status: 400,
  body: { ...NOTHING, error: 'polling_under_key', detail: expect.stringContaining('manual') },
}
/** Key that the fake tracker accepts. */
const TRACKER_KEY = 'lin_api_test'
const CANARY = { uri: 'zqkurizq', tools: 'zqktoolszq', host: 'zqkhostzq', signing: 'zqksigningzq' }

/** The servers start before the app because its settings contain the tracker's address. */
const [tracker, tools, host] = await Promise.all([openLinearToolServer(), openToolServer(), openGithubServer()])
afterAll(() => Promise.all([tracker.close(), tools.close(), host.close()]))

onEachApp(
  (app) => {
    beforeEach(() => {
      tools.asked.splice(0)
      host.asked.splice(0)
      tools.resources = [{ uri: `notes://${CANARY.uri}`, name: 'Note', text: 'A note as it is.' }]
      tools.needs = { header: 'authorization', value: `Bearer ${CANARY.tools}` }
      const issues = [issueOf('acme/keyed', 1, app().clock.now(), { title: 'Late launch' })]
      host.repositories.set('acme/keyed', { issues, comments: [], commits: [] })
    })

    const start = async () => {
      const account = await app().newAccount()
      const sandbox = await newSandbox(account.call)
      const dataKey = randomBytes(32)
      const keyed = withKey(account.call, dataKey)
      const sources = `${sandbox.storage}/sources`
      return { account, sandbox, dataKey, keyed, sources, call: account.call }
    }
    const userMcp = (more: object = {}) => ({
      name: 'Tools',
      base_url: tools.url,
      auth_kind: 'bearer',
      token: CANARY.tools,
      app_namespace: 'ops',
      ...more,
    })
    const github = (more: object = {}) => ({
      provider: 'github',
      name: 'Code',
      adapter_config: { base_url: host.url, repositories: ['acme/keyed'] },
      provider_credential: CANARY.host,
      ...more,
    })
    /** Other sources poll the host without a credential. */
    const isHostOpened = () => host.asked.some(({ authorization }) => authorization?.includes(CANARY.host))
    const CALLS = { ingest_tool_calls: [{ tool: 'echo' }] }
    const pull = async (as: Call, sources: string, id: string) => {
      const { status, body } = await as('POST', `${sources}/${id}/pull`, {})
      expect(status, JSON.stringify(body)).toBe(202)
      return jobOf(as, sources, body.job_id)
    }
    const jobOf = async (as: Call, sources: string, jobId: string) => {
      const job = async () => (await as('GET', `${sources.replace(/sources$/, 'ingest')}/${jobId}`)).body
      await expect.poll(async () => (await job()).status, SOON).toMatch(/completed|failed/)
      return job()
    }
    const rest = ({ userId }: TestAccount) => ({ app: app(), folder: app().folder, userId })
    /** Returns the account's secrets that the service can decrypt with its master key only. */
    const openedByService = ({ userId }: TestAccount, sandboxId: string) =>
      app().cairn.app.sql.transact(userId, async (tx) => {
        const rows = await tx.selectFrom('sealed_secret').select('ref').where('sandbox_id', '=', sandboxId).execute()
        const { secrets } = app().cairn.app
        return Promise.all(rows.map(({ ref }) => secrets.find(tx, { userId, sandboxId }, ref)))
      })

    it('a credential sent with a key is stored encrypted, and only that key decrypts it', async () => {
      const { account, call, keyed, sandbox, sources } = await start()
      const mcp = await keyed('POST', `${sources}/user-mcp`, userMcp())
      expect([mcp.status, mcp.body]).toMatchObject([201, { status: 'active', ingestion_mode: 'manual' }])
      const code = await keyed('POST', sources, github())
      expect([code.status, code.body]).toMatchObject([201, { credential_under_key: true }])
      const linear = { api_key: TRACKER_KEY, ingestion_mode: 'manual' }
      const registered = await keyed('POST', `${sources}/linear`, linear)
      expect([registered.status, registered.body]).toMatchObject([201, { status: 'active', ingestion_mode: 'manual' }])
      expect((await call('GET', sandbox.storage)).body).toMatchObject({ encrypted: true })

      const opened = await openedByService(account, sandbox.id)
      expect(opened).toHaveLength(3)
      for (const value of [CANARY.tools, CANARY.host, TRACKER_KEY]) expect(opened.join('\n')).not.toContain(value)
      await keyForgotten(app(), sandbox.id)
      await assertNowhere(rest(account), [CANARY.tools, CANARY.host, TRACKER_KEY])

      const id = mcp.body.data_source_id
      for (const [method, path, body] of [
        ['POST', `${sources}/${id}/user-mcp/test`],
        ['PATCH', `${sources}/${id}/user-mcp`, { name: 'Others' }],
        ['PATCH', `${sources}/${id}/user-mcp`, { token: 'another' }],
        ['POST', `${sources}/${id}/pull`, {}],
        ['POST', `${sources}/${code.body.data_source_id}/pull`, {}],
        ['PATCH', `${sources}/${code.body.data_source_id}`, { provider_credential: 'another' }],
        ['POST', `${sources}/user-mcp`, userMcp({ app_namespace: 'more' })],
        ['POST', `${sources}/linear`, linear],
        ['POST', sources, github()],
      ] as const) {
        expect(await call(method, path, body), `${method} ${path}`).toMatchObject(REQUIRED)
        const wrong = await withKey(call, randomBytes(32))(method, path, body)
        expect(wrong, `${method} ${path}`).toMatchObject({ status: 403, body: { reason: 'mismatch' } })
      }
      expect(await keyed('POST', `${sources}/${id}/user-mcp/test`)).toMatchObject({ body: { status: 'active' } })
      const named = await keyed('PATCH', `${sources}/${id}/user-mcp`, { name: 'Others' })
      expect(named.body).toMatchObject({ status: 'active', name: 'Others', ingestion_mode: 'manual' })
      expect(await pull(keyed, sources, code.body.data_source_id)).toMatchObject({ status: 'completed' })
      expect(isHostOpened()).toBe(true)
      expect(await pull(keyed, sources, registered.body.data_source_id)).toMatchObject({ status: 'completed' })
      await assertNowhere(rest(account), [CANARY.tools, CANARY.host, TRACKER_KEY])
    })

    it('a credential that cannot be used unattended is rejected on registration and change', async () => {
      const { call, keyed, sources, sandbox, account } = await start()
      const refusedHere = { status: 422, body: { error: 'validation_error', reason: 'polling_under_key' } }
      expect(await keyed('POST', `${sources}/user-mcp`, userMcp(CALLS))).toMatchObject(REFUSED)
      expect(await keyed('POST', `${sources}/user-mcp`, userMcp({ ingestion_mode: 'polling' }))).toMatchObject(REFUSED)
      expect(await keyed('POST', `${sources}/linear`, { api_key: TRACKER_KEY })).toMatchObject(REFUSED)
      expect(await keyed('POST', sources, github({ ingestion_mode: 'polling' }))).toMatchObject(refusedHere)
      expect(tools.asked).toEqual([])
      expect(await openedByService(account, sandbox.id)).toEqual([])
      expect((await call('GET', sandbox.storage)).body).toMatchObject({ encrypted: false })

      const { body: mcp } = await keyed('POST', `${sources}/user-mcp`, userMcp({ ...CALLS, ingestion_mode: 'manual' }))
      expect(mcp).toMatchObject({ status: 'active', ingestion_mode: 'manual' })
      const one = `${sources}/${mcp.data_source_id}/user-mcp`
      expect(await keyed('PATCH', one, { ingestion_mode: 'polling' })).toMatchObject(REFUSED)
      expect((await keyed('PATCH', one, { name: 'Calls' })).body).toMatchObject({ ingestion_mode: 'manual' })
      expect(await pull(keyed, sources, mcp.data_source_id)).toMatchObject({
        status: 'completed',
        result: { written: 2 },
      })
      const { body: code } = await keyed('POST', sources, github())
      const change = { ingestion_mode: 'polling' }
      expect(await call('PATCH', `${sources}/${code.data_source_id}`, change)).toMatchObject(refusedHere)
      // A source without a credential is polled, but its jobs wait for the key.
      const open = github({ provider_credential: undefined, ingestion_mode: 'polling' })
      expect(await call('POST', sources, open)).toMatchObject({ status: 201, body: { ingestion_mode: 'polling' } })
    })

    it('live tools are offered and called only with the key', async () => {
      const { account, dataKey, keyed, sandbox, sources } = await start()
      await keyed('POST', `${sources}/user-mcp`, userMcp())
      await keyForgotten(app(), sandbox.id)
      const credential = { kind: 'jwt', id: 'jwt_test' } as const
      const caller = { accountId: account.userId, credential }
      const plain = { ...app().cairn.app, caller, requestId: 'r', key: undefined } as unknown as HttpCtx
      const access = await AccessScope.of(plain.sql, caller, sandbox.id)
      const { signal } = new AbortController()
      const call = { name: 'ops__echo', parameters: { a: 1 } }
      tools.asked.splice(0)
      expect(await listLiveTools(plain, access, signal)).toEqual([])
      await expect(callLiveTool(plain, access, call, signal)).rejects.toMatchObject({ reason: 'missing' })
      expect(tools.asked).toEqual([])
      const { createContentCipher: createContentSeal } = await import(
        '../../../packages/server/src/tenancy/caller-keys/content-cipher.ts'
      )
      const seal = createContentSeal(dataKey, sandbox.id, 1)
      const using = { ...plain, key: { seal, hold: () => undefined, release: () => undefined } } as HttpCtx
      expect(await listLiveTools(using, access, signal)).toMatchObject([{ name: 'ops__echo' }])
      expect((await callLiveTool(using, access, call, signal)).content).toEqual([{ type: 'text', text: '{"a":1}' }])
    })

    it('a key change re-encrypts credentials: the new key decrypts them, the old one does not', async () => {
      const { account, call, keyed, sandbox, sources } = await start()
      const { body: mcp } = await keyed('POST', `${sources}/user-mcp`, userMcp())
      const { body: code } = await keyed('POST', sources, github({ provider_signing_secret: CANARY.signing }))
      expect((await pull(keyed, sources, mcp.data_source_id)).result).toMatchObject({ received: 1, written: 1 })
      const before = await openedByService(account, sandbox.id)
      const newKey = randomBytes(32)
      const headers = { 'x-new-encryption-key': newKey.toString('base64') }
      expect((await keyed('POST', `${sandbox.storage}/rotate-key`, undefined, headers)).status).toBe(200)
      const after = await openedByService(account, sandbox.id)
      // Signing secrets of deliveries stay readable, because deliveries carry no key.
      expect(before.filter((value) => after.includes(value))).toEqual([CANARY.signing])
      expect(await keyed('POST', `${sources}/${mcp.data_source_id}/user-mcp/test`)).toMatchObject({ status: 403 })
      const renewed = withKey(call, newKey)
      const tested = await renewed('POST', `${sources}/${mcp.data_source_id}/user-mcp/test`)
      expect(tested.body).toMatchObject({ status: 'active', health_error: null })
      // The sync state is re-encrypted too. It contains identifiers of what was read.
      expect((await pull(renewed, sources, mcp.data_source_id)).result).toMatchObject({ received: 0 })
      await assertNowhere(rest(account), [CANARY.uri])
      expect(await pull(renewed, sources, code.data_source_id)).toMatchObject({ status: 'completed' })
      expect(isHostOpened()).toBe(true)
    })

    it('a pull whose process lost the key waits, says so, and continues when a request has it', async () => {
      const { account, call, keyed, sandbox, sources } = await start()
      const { body: code } = await keyed('POST', sources, github())
      await keyForgotten(app(), sandbox.id)
      // Simulates a process that died after it had accepted the request.
      const { poller, sql, clock } = app().cairn.app
      const first = await keyed('POST', `${sources}/${code.data_source_id}/pull`, {})
      await jobOf(keyed, sources, first.body.job_id)
      await keyForgotten(app(), sandbox.id)
      const place = { user_id: account.userId, sandbox_id: sandbox.id }
      await sql.transact(account.userId, async (tx) => {
        const job = tx.updateTable('job').set({ status: 'queued', completed_at: null })
        await job.where((is) => is.and({ ...place, id: first.body.job_id })).execute()
        const source = tx.updateTable('source').set({ poll_job_id: first.body.job_id, next_poll_at: clock.now() })
        await source.where((is) => is.and({ ...place, id: code.data_source_id })).execute()
      })
      host.asked.splice(0)
      poller.wake()
      const job = async () => (await call('GET', `${sandbox.storage}/ingest/${first.body.job_id}`)).body
      await expect.poll(job, SOON).toMatchObject({ status: 'queued', error_message: expect.stringContaining('key') })
      expect(isHostOpened()).toBe(false)
      await keyed('POST', `${sandbox.query}/discover`, { query: 'launch' })
      await expect.poll(job, SOON).toMatchObject({ status: 'completed', error_message: null })
      expect(isHostOpened()).toBe(true)
      await keyForgotten(app(), sandbox.id)
    })

    it('a credential is deleted with its source and sandbox; a plaintext sandbox accepts none with a key', async () => {
      const { account, call, keyed, sandbox, sources } = await start()
      const { body: mcp } = await keyed('POST', `${sources}/user-mcp`, userMcp())
      const { body: code } = await keyed('POST', sources, github())
      await call('POST', `${sources}/${mcp.data_source_id}/user-mcp/revoke`)
      expect(await openedByService(account, sandbox.id)).toHaveLength(1)
      await call('PATCH', `${sources}/${code.data_source_id}`, { provider_credential: null })
      expect(await openedByService(account, sandbox.id)).toEqual([])
      await keyed('POST', sources, github())
      expect((await call('DELETE', sandbox.storage)).status).toBe(200)
      expect(await openedByService(account, sandbox.id)).toEqual([])

      const plain = await newSandbox(call, 'Plain')
      const WAIT = { prefer: 'wait=30' }
      await call('POST', plain.records, { records: [{ external_id: 'a', type: 't', text: 'Open.' }] }, WAIT)
      const refused = await keyed('POST', `${plain.storage}/sources/user-mcp`, userMcp())
      expect(refused).toMatchObject({ status: 409, body: { reason: 'holds_plain_content' } })
      expect(await openedByService(account, plain.id)).toEqual([])
      const open = { name: 'Open', base_url: tools.url, auth_kind: 'none' }
      expect((await keyed('POST', `${plain.storage}/sources/user-mcp`, open)).status).toBe(201)
      expect((await call('POST', `${plain.storage}/sources/user-mcp`, userMcp(CALLS))).body.ingestion_mode).toBe(
        'polling',
      )
    })

    it('of two concurrent credentials with different keys, one is accepted and the other rejected', async () => {
      const { call, sandbox, sources, account } = await start()
      const keys = [randomBytes(32), randomBytes(32)] as const
      const answers = await Promise.all(
        keys.map((key, n) => withKey(call, key)('POST', sources, github({ name: `Code ${n}` }))),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 403])
      expect(answers.find(({ status }) => status === 403)?.body.reason).toBe('mismatch')
      expect(await openedByService(account, sandbox.id)).toHaveLength(1)
      const winner = withKey(call, keys[answers.findIndex(({ status }) => status === 201)] as Buffer)
      const id = answers.find(({ status }) => status === 201)?.body.data_source_id
      expect(await pull(winner, sources, id)).toMatchObject({ status: 'completed' })
    })
  },
  { CAIRN_LINEAR_MCP_URL: tracker.url, CAIRN_ALLOW_LOOPBACK: 'on' },
)
