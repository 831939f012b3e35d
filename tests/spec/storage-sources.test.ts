import { expect, it } from 'vitest'
import { sha256 } from '../../packages/server/src/base/digest.ts'
import { newSandbox, onEachApp, putRecords } from '../harness/test-app.ts'

const FREE_FORM_BYTES = 16 * 1024
const POLL_SECONDS_MAX = 2_592_000
const MISSING = `src_${'0'.repeat(26)}`

/** Fields that only the server sets. */
const READ_ONLY = {
  data_source_id: MISSING,
  user_id: 'acct_x',
  sandbox_id: 'sbx_x',
  status: 'archived',
  webhook_url: 'https://example.org/mine',
  webhook_signing_secret: 'mine',
  last_sync_at: '2020-01-01T00:00:00Z',
  created_at: '2020-01-01T00:00:00Z',
}

/** Invalid values by field, for both registering and updating. */
const REFUSED: [string, unknown[]][] = [
  ['name', ['', ' ', 'x'.repeat(256), '🪨'.repeat(256), 5]],
  ['ingestion_mode', ['push', 'REALTIME', '', 1]],
  ['external_account_id', ['', 'x'.repeat(256), 5]],
  ['adapter_config', [[], 'x', 5, { a: 'x'.repeat(FREE_FORM_BYTES) }]],
  ['poll_interval_seconds', [59, 0, -60, 60.5, '60', 1e12, POLL_SECONDS_MAX + 1]],
]

onEachApp((app) => {
  const open = async (tier = 'pro') => {
    const account = await app().newAccount()
    const sandbox = await newSandbox(account.call, 'Sandbox', tier)
    const all = `${sandbox.storage}/sources`
    const register = (body: object) => account.call('POST', all, { provider: 'github', name: 'Code', ...body })
    return { ...account, sandbox, all, register }
  }

  it('registers a source with the defaults, and returns its location', async () => {
    const { call, register, all, sandbox, userId } = await open()
    const made = await register(READ_ONLY)
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      data_source_id: expect.stringMatching(/^src_[0-9a-v]{26}$/),
      user_id: userId,
      sandbox_id: sandbox.id,
      provider: 'github',
      name: 'Code',
      ingestion_mode: 'manual',
      status: 'active',
      kind: 'durable',
      external_account_id: null,
      adapter_config: {},
      poll_interval_seconds: null,
      webhook_url: null,
      last_sync_at: null,
      created_at: app().clock.now().toISOString(),
    })
    expect(made.body.data_source_id).not.toBe(MISSING)
    const path = `${all}/${made.body.data_source_id}`
    expect(made.headers.location).toBe(path)
    expect((await call('GET', path)).body).toEqual(made.body)
  })

  it('accepts every field up to its limit and not beyond, and names the field', async () => {
    const { call, register, all } = await open()
    const onCreateOnly: [string, unknown[]][] = [
      ['provider', [undefined, null, '', 'x'.repeat(65), 'has space', '../x', 5]],
      ['name', [undefined, null]],
      ['kind', ['forever', '', null]],
      ['ingestion_mode', [null]],
      ['adapter_config', [null]],
    ]
    for (const [field, values] of [...onCreateOnly, ...REFUSED]) {
      for (const value of values) {
        const { status, body } = await register({ [field]: value })
        expect([status, body.errors?.[0].loc], `${field} ${String(value)}`).toEqual([422, ['body', field]])
      }
    }
    expect((await call('GET', all)).body.count).toBe(1)
    const taken = [
      { name: '🪨'.repeat(255) },
      { provider: 'x'.repeat(64) },
      { kind: 'ephemeral' },
      { ingestion_mode: 'batch' },
      { ingestion_mode: 'polling', poll_interval_seconds: 60 },
      { ingestion_mode: 'polling', poll_interval_seconds: POLL_SECONDS_MAX },
      { external_account_id: 'T0123' },
      { external_account_id: null },
      { adapter_config: { channels: ['C1'], tokenizer: 'x', max_tokens: 5, nested: { key: 'NOR' } } },
    ]
    for (const body of taken) {
      expect(await register(body), JSON.stringify(body)).toMatchObject({ status: 201, body })
    }
  })

  it('polls every 900 seconds by default, and stores the interval in other modes', async () => {
    const { register } = await open()
    for (const ingestion_mode of ['polling', 'manual', 'batch', 'realtime']) {
      const silent = (await register({ ingestion_mode })).body.poll_interval_seconds
      expect(silent, ingestion_mode).toBe(ingestion_mode === 'polling' ? 900 : null)
      const source = await register({ ingestion_mode, poll_interval_seconds: 120 })
      expect(source.body.poll_interval_seconds, ingestion_mode).toBe(120)
    }
  })

  it('polls only providers with a connector, and lists them', async () => {
    const { call, register, all } = await open()
    const refused = { status: 422, body: { reason: 'not_pollable', errors: [{ loc: ['body', 'ingestion_mode'] }] } }
    for (const provider of ['notion', 'gitlab', 'json', 'email']) {
      const answer = await register({ provider, ingestion_mode: 'polling' })
      expect(answer, provider).toMatchObject(refused)
      expect(answer.body.detail).toContain('github, github_enterprise, slack, linear')
      const { body: made } = await register({ provider })
      expect(await call('PATCH', `${all}/${made.data_source_id}`, { ingestion_mode: 'polling' })).toMatchObject(refused)
    }
    const { body: github } = await register({ provider: 'GitHub-Enterprise' })
    const polled = await call('PATCH', `${all}/${github.data_source_id}`, { ingestion_mode: 'polling' })
    expect(polled).toMatchObject({ status: 200, body: { poll_interval_seconds: 900 } })
  })

  it('gives a realtime source an address, and returns its secret once', async () => {
    const { call, register, all, userId, sandbox } = await open()
    const { status, body } = await register({ ...READ_ONLY, ingestion_mode: 'realtime' })
    const { webhook_signing_secret: secret, ...shown } = body
    expect(status).toBe(201)
    expect(secret).toMatch(/^[a-z]+_[A-Za-z0-9_-]{43,}$/)
    expect(secret).not.toMatch(/^cairn_/)
    expect(shown.webhook_url).toMatch(/^https?:\/\/[^/]+\/api\/v1\/.+[A-Za-z0-9_-]{22}$/)
    const stored = await app().cairn.app.sql.transact(userId, (tx) =>
      tx.selectFrom('source_secret').select('hash').where('sandbox_id', '=', sandbox.id).execute(),
    )
    expect(stored).toEqual([{ hash: sha256(secret) }])
    const path = `${all}/${body.data_source_id}`
    expect((await call('GET', path)).body).toEqual(shown)
    const changed = await call('PATCH', path, { ...READ_ONLY, name: 'Renamed' })
    expect(changed.body).toEqual({ ...shown, name: 'Renamed' })
    const listed = (await call('GET', all)).body.sources
    expect(listed[0]).toEqual(changed.body)
    const elsewhere = await register({ ingestion_mode: 'realtime' })
    expect(elsewhere.body.webhook_url).not.toBe(body.webhook_url)
    expect(elsewhere.body.webhook_signing_secret).not.toBe(secret)
    expect(app().logged.join()).not.toContain(secret)
    for (const mode of ['manual', 'batch', 'polling']) {
      const quiet = await register({ ingestion_mode: mode })
      expect(quiet.body.webhook_url, mode).toBeNull()
      expect(quiet.body).not.toHaveProperty('webhook_signing_secret')
    }
    const opened = await app().anonymous('GET', path, undefined, { authorization: `Bearer ${secret}` })
    expect(opened.status).toBe(401)
  })

  it('rejects credentials in adapter_config at any depth, without echoing them', async () => {
    const { call, register, all, sandbox } = await open()
    const path = `${all}/${sandbox.source}`
    for (const key of [
      'token',
      'secret',
      'password',
      'api_key',
      'apiKey',
      'bot_token',
      'clientSecret',
      'ACCESS_TOKEN',
    ]) {
      for (const adapter_config of [{ [key]: 'hunter-2' }, { a: [{ b: { [key]: 'hunter-2' } }] }]) {
        for (const refused of [await register({ adapter_config }), await call('PATCH', path, { adapter_config })]) {
          expect(refused, key).toMatchObject({ status: 422, body: { reason: 'secret_in_config' } })
          expect(refused.body.errors).toMatchObject([{ loc: ['body', 'adapter_config'] }])
          expect(JSON.stringify(refused.body)).not.toContain('hunter-2')
        }
      }
    }
    const merged = await call('PATCH', `${path}?merge_adapter_config=true`, { adapter_config: { token: 'hunter-2' } })
    expect(merged.status).toBe(422)
    expect(app().logged.join()).not.toContain('hunter-2')
    expect((await call('GET', all)).body).toMatchObject({ count: 1, sources: [{ adapter_config: {} }] })
  })

  it('changes given fields, clears nullable ones, and replaces or merges the settings', async () => {
    const { call, register, all } = await open()
    const given = {
      external_account_id: 'T1',
      poll_interval_seconds: 60,
      adapter_config: { repo: { a: 1, b: 2 }, list: [1, 2] },
    }
    const { body: made } = await register({ ...given, provider: 'notes' })
    const path = `${all}/${made.data_source_id}`
    const nothing = { name: null, ingestion_mode: null, adapter_config: null, provider: 'slack', kind: 'ephemeral' }
    for (const change of [{}, nothing, READ_ONLY]) {
      expect(await call('PATCH', path, change)).toMatchObject({ status: 200, body: made })
    }
    const merge = { adapter_config: { repo: { b: 3, c: { d: 4 } }, list: [3] } }
    const merged = await call('PATCH', `${path}?merge_adapter_config=true`, merge)
    expect(merged.body.adapter_config).toEqual({ repo: { a: 1, b: 3, c: { d: 4 } }, list: [3] })
    const cleared = { external_account_id: null, poll_interval_seconds: null }
    const replaced = await call('PATCH', path, { ...cleared, adapter_config: { x: 1 }, name: 'New' })
    expect(replaced.body).toEqual({ ...made, ...cleared, adapter_config: { x: 1 }, name: 'New' })
    const before = (await call('GET', path)).body
    for (const [field, values] of REFUSED) {
      for (const value of values) {
        const { status, body } = await call('PATCH', path, { [field]: value, external_account_id: value })
        expect(status, `${field} ${String(value)}`).toBe(422)
        expect(body.errors.map((each: { loc: string[] }) => each.loc[1])).toContain(field)
      }
    }
    expect((await call('PATCH', `${path}?merge_adapter_config=maybe`, {})).status).toBe(422)
    expect((await call('GET', path)).body).toEqual(before)
  })

  it('limits the merged settings as a whole', async () => {
    const { call, register, all } = await open()
    const { body } = await register({ adapter_config: { a: 'x'.repeat(12_000) } })
    const path = `${all}/${body.data_source_id}?merge_adapter_config=true`
    const refused = await call('PATCH', path, { adapter_config: { b: 'x'.repeat(12_000) } })
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'adapter_config'] }] } })
  })

  it('lists newest first, by provider and status, in pages', async () => {
    const { call, register, all, sandbox } = await open()
    const ids: string[] = []
    for (let at = 0; at < 5; at += 1) ids.unshift((await register({ name: `S${at}` })).body.data_source_id)
    const listed = async (query: string) => {
      const { status, body } = await call('GET', `${all}?${query}`)
      expect(status, query).toBe(200)
      expect(body.count).toBe(body.sources.length)
      const found = body.sources.map((each: { data_source_id: string }) => each.data_source_id)
      return { found, next: body.next_cursor }
    }
    expect((await listed('')).found).toEqual([...ids, sandbox.source])
    expect((await listed('provider=slack')).found).toEqual([sandbox.source])
    expect((await listed('provider=none')).found).toEqual([])
    expect((await listed('status=active&provider=github')).found).toEqual(ids)
    expect((await listed('status=paused')).found).toEqual([])
    const first = await listed('provider=github&limit=3')
    const second = await listed(`provider=github&limit=3&cursor=${first.next}`)
    expect([...first.found, ...second.found]).toEqual(ids)
    expect(second.next).toBeUndefined()
    for (const query of ['status=bogus', 'provider=', 'limit=0', 'limit=1001', 'status=active&status=error']) {
      expect((await call('GET', `${all}?${query}`)).status, query).toBe(422)
    }
    const other = await newSandbox(call, 'Other')
    const elsewhere = `${other.storage}/sources?provider=github&cursor=${first.next}`
    for (const path of [`${all}?cursor=forged`, `${all}?cursor=${first.next}`, elsewhere]) {
      expect(await call('GET', path), path).toMatchObject({ status: 400, body: { reason: 'invalid_cursor' } })
    }
  })

  it("stamps last_sync_at when records arrive, and ignores the caller's value", async () => {
    const { call, sandbox, all } = await open()
    const path = `${all}/${sandbox.source}`
    expect((await call('GET', path)).body.last_sync_at).toBeNull()
    await putRecords(call, sandbox, [{ external_id: '1', type: 'message', text: 'Hello.' }])
    const stamped = (await call('GET', path)).body.last_sync_at
    expect(stamped).toBe(app().clock.now().toISOString())
    expect((await call('PATCH', path, { last_sync_at: null })).body.last_sync_at).toBe(stamped)
  })

  it('rejects one more than the tier allows, also under concurrency', async () => {
    const { call, register, all } = await open('free')
    const answers = await Promise.all(Array.from({ length: 12 }, () => register({})))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(9)
    const over = answers.filter(({ status }) => status === 403)
    expect(new Set(over.map(({ body }) => body.error))).toEqual(new Set(['quota_exceeded']))
    expect((await call('GET', all)).body.count).toBe(10)
  })

  it('finds a source only in its own sandbox', async () => {
    const { call, sandbox, all } = await open()
    const other = await newSandbox(call, 'Other')
    const wrong = `${other.storage}/sources/${sandbox.source}`
    for (const path of [wrong, `${all}/${MISSING}`, `${all}/${sandbox.id}`, `${all}/x`]) {
      expect(await call('GET', path), path).toMatchObject({ status: 404, body: { error: 'not_found' } })
      expect((await call('PATCH', path, { name: 'x' })).status, path).toBe(404)
      expect((await call('POST', `${path}/records`, { records: [] })).status, path).toBe(404)
    }
  })
})
