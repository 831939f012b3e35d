import { expect, test } from 'vitest'
import { newPerson, SANDBOXES, withToken } from '../../../../../tests/harness/postgres-people.ts'
import { onEachApp } from '../../../../../tests/harness/test-app.ts'
import { sha256 } from '../../base/digest.ts'

onEachApp((app) => {
  const start = async () => {
    const person = await newPerson(app())
    const sandbox = await person.newSandbox()
    return { person, sandbox, path: `${SANDBOXES}/${sandbox}/sources` }
  }

  test('a new source shows what was given and the defaults, and nothing that callers cannot set', async () => {
    const { person, sandbox, path } = await start()
    const made = await person.post(path, {
      provider: 'slack',
      name: 'Team chat',
      adapter_config: { channels: ['a'] },
      webhook_url: 'https://evil.example',
      last_sync_at: '2020-01-01T00:00:00Z',
      status: 'archived',
    })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      data_source_id: expect.stringMatching(/^src_/),
      user_id: person.userId,
      sandbox_id: sandbox,
      provider: 'slack',
      name: 'Team chat',
      ingestion_mode: 'manual',
      status: 'active',
      kind: 'durable',
      external_account_id: null,
      adapter_config: { channels: ['a'] },
      poll_interval_seconds: null,
      webhook_url: null,
      last_sync_at: null,
      created_at: expect.stringMatching(/Z$/),
    })
    expect((await person.get(`${path}/${made.body.data_source_id}`)).body).toEqual(made.body)
  })

  test('polling without a cadence polls every 900 seconds; in another mode a cadence is kept unused', async () => {
    const { person, path } = await start()
    const polling = await person.post(path, { provider: 'x', name: 'n', ingestion_mode: 'polling' })
    expect(polling.body.poll_interval_seconds).toBe(900)
    const kept = await person.post(path, {
      provider: 'x',
      name: 'n',
      ingestion_mode: 'realtime',
      poll_interval_seconds: 60,
    })
    expect(kept.body.poll_interval_seconds).toBe(60)
  })

  test('a realtime source gets an address and a secret that is shown once and stored as its sha256', async () => {
    const { person, sandbox, path } = await start()
    const made = await person.post(path, { provider: 'slack', name: 'Chat', ingestion_mode: 'realtime' })
    const { webhook_signing_secret: secret, webhook_url: url, ...rest } = made.body
    expect(url).toMatch(/^http.*\/api\/v1\/hooks\/[A-Za-z0-9_-]{22}$/)
    expect(secret).toMatch(/^cairnhook_/)
    const shown = await person.get(`${path}/${rest.data_source_id}`)
    expect(shown.body).toEqual({ ...rest, webhook_url: url })
    expect(JSON.stringify((await person.get(path)).body)).not.toContain('secret')
    const rows = await app().cairn.app.sql.transact(person.userId, (tx) =>
      tx.selectFrom('source_secret').selectAll().where('sandbox_id', '=', sandbox).execute(),
    )
    expect(rows.map(({ hash }) => hash)).toEqual([sha256(secret)])
    expect((await withToken(app(), secret).get(SANDBOXES)).status).toBe(401)
  })

  test('settings that look like they hold a credential are refused at any depth, and not echoed', async () => {
    const { person, path } = await start()
    const configs = [
      { token: 'hunter2' },
      { auth: { botToken: 'hunter2' } },
      { list: [{ CLIENT_SECRET: 'hunter2' }] },
      { api_key: 'hunter2' },
      { apiKey: 'hunter2' },
      { 'db-password': 'hunter2' },
    ]
    for (const adapter_config of configs) {
      const refused = await person.post(path, { provider: 'x', name: 'n', adapter_config })
      expect(refused).toMatchObject({ status: 422, body: { error: 'validation_error', reason: 'secret_in_config' } })
      expect(refused.body.errors[0].loc).toEqual(['body', 'adapter_config'])
      expect(JSON.stringify(refused.body)).not.toContain('hunter2')
    }
    const harmless = { max_tokens: 5, secretary: 'x', keyboard: 'y', api_url: 'z' }
    expect((await person.post(path, { provider: 'x', name: 'n', adapter_config: harmless })).status).toBe(201)
  })

  test('the tier’s sources are never exceeded, however many register at once', async () => {
    const { person, path } = await start()
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, n) => person.post(path, { provider: 'x', name: `n${n}` })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
    for (const refused of answers.filter(({ status }) => status !== 201)) {
      expect(refused).toMatchObject({ status: 403, body: { error: 'quota_exceeded' } })
    }
    expect((await person.get(path)).body.count).toBe(10)
  })

  test('a change keeps what is omitted, clears what can be null, and replaces or merges the settings', async () => {
    const { person, path } = await start()
    const made = await person.post(path, {
      provider: 'x',
      name: 'Old',
      external_account_id: 'T1',
      adapter_config: { a: { b: 1, c: 2 }, d: [1] },
      ingestion_mode: 'polling',
      poll_interval_seconds: 120,
    })
    const one = `${path}/${made.body.data_source_id}`
    expect((await person.patch(one, {})).body).toEqual(made.body)
    expect((await person.patch(one, { name: null, ingestion_mode: null, adapter_config: null })).body).toEqual(
      made.body,
    )
    expect((await person.patch(one, { external_account_id: null, poll_interval_seconds: null })).body).toEqual({
      ...made.body,
      external_account_id: null,
      poll_interval_seconds: 900,
    })
    const merged = await person.patch(`${one}?merge_adapter_config=true`, { adapter_config: { a: { c: 3 }, e: 4 } })
    expect(merged.body.adapter_config).toEqual({ a: { b: 1, c: 3 }, d: [1], e: 4 })
    expect((await person.patch(one, { adapter_config: { f: 5 } })).body.adapter_config).toEqual({ f: 5 })
    expect((await person.patch(one, { adapter_config: { token: 't' } })).body.reason).toBe('secret_in_config')
    const realtime = await person.patch(one, { ingestion_mode: 'realtime' })
    expect(realtime.body.webhook_url).toMatch(/hooks/)
    expect(realtime.body).not.toHaveProperty('webhook_signing_secret')
  })

  test('merged settings stay within their bound', async () => {
    const { person, path } = await start()
    const made = await person.post(path, { provider: 'x', name: 'n', adapter_config: { a: 'x'.repeat(12_000) } })
    const one = `${path}/${made.body.data_source_id}?merge_adapter_config=true`
    const refused = await person.patch(one, { adapter_config: { b: 'x'.repeat(12_000) } })
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'adapter_config'] }] } })
  })

  test('a list filters by provider and status, newest first', async () => {
    const { person, path } = await start()
    const ids: string[] = []
    for (const provider of ['slack', 'github', 'slack']) {
      ids.unshift((await person.post(path, { provider, name: provider })).body.data_source_id)
    }
    const listed = async (query: string) =>
      (await person.get(`${path}${query}`)).body.sources.map((each: { data_source_id: string }) => each.data_source_id)
    expect(await listed('')).toEqual(ids)
    expect(await listed('?provider=slack')).toEqual([ids[0], ids[2]])
    expect(await listed('?status=paused')).toEqual([])
    const page = await person.get(`${path}?limit=2`)
    expect(page.body.count).toBe(2)
    expect(await listed(`?limit=2&cursor=${page.body.next_cursor}`)).toEqual([ids[2]])
  })

  test('a source of another sandbox is not found, also under one’s own', async () => {
    const { person, path } = await start()
    const made = await person.post(`${SANDBOXES}/${await person.newSandbox()}/sources`, { provider: 'x', name: 'n' })
    expect((await person.get(`${path}/${made.body.data_source_id}`)).status).toBe(404)
    expect((await person.patch(`${path}/${made.body.data_source_id}`, { name: 'x' })).status).toBe(404)
  })

  test('a sandbox that is not active takes no new sources, and shows those it has', async () => {
    const { person, sandbox, path } = await start()
    const made = await person.post(path, { provider: 'x', name: 'n' })
    await app().cairn.app.sql.transact(person.userId, (tx) =>
      tx.updateTable('sandbox').set({ status: 'suspended' }).where('id', '=', sandbox).execute(),
    )
    expect((await person.post(path, { provider: 'x', name: 'n' })).body.reason).toBe('sandbox_not_active')
    expect((await person.get(`${path}/${made.body.data_source_id}`)).status).toBe(200)
  })
})
