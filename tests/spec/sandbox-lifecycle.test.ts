import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../harness/test-app.ts'

const SANDBOXES = '/api/v1/storage/sandboxes'
const NOT_ACTIVE = { status: 409, body: { error: 'conflict', reason: 'sandbox_not_active' } }

onEachApp((app) => {
  const start = async () => {
    const account = await app().newAccount()
    const sandbox = await newSandbox(account.call)
    await putRecords(account.call, sandbox, [{ external_id: 'a', type: 'note', text: 'The ferry sails at noon.' }])
    return { ...account, sandbox }
  }

  for (const [verb, status] of [
    ['suspend', 'suspended'],
    ['archive', 'archived'],
  ] as const) {
    it(`a ${status} sandbox can be read, but accepts no write and no query`, async () => {
      const { call, sandbox } = await start()
      const project = (await call('POST', `${sandbox.storage}/projects`, { name: 'P' })).body.project_id
      expect((await call('POST', `${sandbox.storage}/${verb}`)).body).toMatchObject({ success: true })
      expect((await call('GET', sandbox.storage)).body.status).toBe(status)
      const source = `${sandbox.storage}/sources/${sandbox.source}`
      const ask = { query: 'When does the ferry sail?' }
      const refused: [string, string, unknown?][] = [
        ['PATCH', sandbox.storage, { name: 'New' }],
        ['POST', `${sandbox.storage}/ingest`, { text: 'More.' }],
        ['POST', sandbox.records, { records: [{ external_id: 'b', type: 'note' }] }],
        ['POST', `${sandbox.storage}/sources`, { provider: 'x', name: 'n' }],
        ['PATCH', source, { name: 'n' }],
        ['POST', `${source}/pause`],
        ['POST', `${source}/resume`],
        ['POST', `${source}/disconnect`],
        ['POST', `${source}/rotate-webhook-secret`],
        ['POST', `${source}/purge`],
        ['DELETE', source],
        ['POST', `${sandbox.storage}/projects`, { name: 'x' }],
        ['PATCH', `${sandbox.storage}/projects/${project}`, { name: 'x' }],
        ['POST', `${sandbox.storage}/projects/${project}/archive`],
        ['POST', `${sandbox.storage}/projects/${project}/sources/${sandbox.source}`],
        ['DELETE', `${sandbox.storage}/projects/${project}/sources/${sandbox.source}`],
        ['DELETE', `${sandbox.storage}/projects/${project}`],
        ['POST', `${sandbox.query}/discover`, ask],
        ['POST', `${sandbox.query}/interpret`, { ...ask, items: [['rec_x']] }],
      ]
      for (const [method, path, body] of refused) {
        expect(await call(method as 'POST', path, body), `${method} ${path}`).toMatchObject(NOT_ACTIVE)
      }
      for (const path of ['', '/sources', '/projects', '/entities', '/entities/search?q=ferry', '/export']) {
        expect((await call('GET', `${sandbox.storage}${path}`)).status, path).toBe(200)
      }
      expect((await call('GET', `${source}/runs`)).body.count).toBe(1)
      await call('POST', `${sandbox.storage}/reactivate`)
      expect((await call('POST', `${sandbox.query}/discover`, ask)).body.count).toBe(1)
    })
  }

  it('repeating a verb succeeds, is audited once, and suspending an archived sandbox is rejected', async () => {
    const { userId, call, sandbox } = await start()
    for (const verb of ['suspend', 'suspend', 'archive', 'archive']) {
      expect((await call('POST', `${sandbox.storage}/${verb}`)).status).toBe(200)
    }
    expect(await call('POST', `${sandbox.storage}/suspend`)).toMatchObject(NOT_ACTIVE)
    for (const verb of ['reactivate', 'reactivate']) {
      expect((await call('POST', `${sandbox.storage}/${verb}`)).status).toBe(200)
    }
    const events = await app().cairn.app.sql.transact(userId, (tx) =>
      tx.selectFrom('audit').select('event').where('chain', '=', sandbox.id).orderBy('seq').execute(),
    )
    expect(events.map(({ event }) => event).filter((event) => /suspended|archived|reactivated/.test(event))).toEqual([
      'sandbox.suspended',
      'sandbox.archived',
      'sandbox.reactivated',
    ])
  })

  it('an archived sandbox is listed only on request, and its name stays taken', async () => {
    const { call, sandbox } = await start()
    await call('POST', `${sandbox.storage}/archive`)
    expect((await call('GET', SANDBOXES)).body.count).toBe(0)
    expect((await call('GET', `${SANDBOXES}?status=archived`)).body.count).toBe(1)
    const again = await call('POST', SANDBOXES, { name: 'Sandbox', owner_id: 'owner' })
    expect(again).toMatchObject({ status: 409, body: { reason: 'duplicate_name' } })
    expect((await call('DELETE', sandbox.storage)).status).toBe(200)
  })

  it('records accepted before a suspension are applied during it', async () => {
    const { call, sandbox } = await start()
    const records = Array.from({ length: 400 }, (_, n) => ({ external_id: `x${n}`, type: 'note', text: `Crate ${n}` }))
    const { body: job } = await call('POST', sandbox.records, { records })
    expect((await call('POST', `${sandbox.storage}/suspend`)).status).toBe(200)
    const done = async () => (await call('GET', `${sandbox.storage}/ingest/${job.job_id}`)).body
    await expect.poll(done).toMatchObject({ status: 'completed', result: { written: 400 } })
    const lines = ((await call('GET', `${sandbox.storage}/export`)).body as string).split('\n')
    expect(lines.filter((line) => line.includes('"record"'))).toHaveLength(401)
  })

  it('a suspension cuts off a running delivery; earlier records stay, and its job says so', async () => {
    const { key, call, sandbox } = await start()
    const line = (n: number) => `${JSON.stringify({ external_id: `n${n}`, type: 'note', text: `Crate ${n}` })}\n`
    const pieces = async function* () {
      for (let n = 0; n < 500; n += 1) yield line(n)
      await storedOf(call, sandbox)
      await call('POST', `${sandbox.storage}/suspend`)
      yield line(500)
    }
    const reply = await app().cairn.http.inject({
      method: 'POST',
      url: sandbox.records,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/x-ndjson',
        'transfer-encoding': 'chunked',
      },
      payload: Readable.from(pieces()),
    })
    expect({ status: reply.statusCode, body: JSON.parse(reply.payload) }).toMatchObject(NOT_ACTIVE)
    const run = async () =>
      (await call('GET', `${sandbox.storage}/sources/${sandbox.source}/runs?limit=1`)).body.runs[0]
    await expect.poll(run).toMatchObject({
      status: 'completed',
      counts: { written: 500 },
      error: expect.stringMatching(/interrupted/),
    })
  })

  /** Waits until the first chunk of a delivery is stored. */
  const storedOf = async (call: Call, sandbox: TestSandbox) => {
    const runs = async () => (await call('GET', `${sandbox.storage}/sources/${sandbox.source}/runs`)).body.count
    await expect.poll(runs).toBe(2)
  }

  it('rejects a private bucket that is not on the internet, and echoes nothing that was sent', async () => {
    const { call } = await app().newAccount()
    const create = (body: object) => call('POST', SANDBOXES, { name: 'Theirs', owner_id: 'o1', ...body })
    const access = { access_key_id: 'their-access-key', secret_access_key: 'their-secret-key' }
    const storage = { provider_type: 'custom_s3', bucket: 'their-bucket', region: 'us-east-1', ...access }
    const wrong: [string, unknown][] = [
      ['provider_type', 'platform'],
      ['bucket', 'A_B'],
      ['region', '../x'],
      ['prefix', `a/sbx_${'0'.repeat(26)}`],
      ['access_key_id', 'a\nb'],
      ['secret_access_key', null],
      ['endpoint', 'http://s3.example.com'],
      ['endpoint', 'http://127.0.0.1:9000'],
      ['endpoint', 'https://localhost'],
      ['endpoint', 'https://169.254.169.254'],
    ]
    for (const [field, value] of wrong) {
      const { status, body } = await create({ storage: { ...storage, [field]: value } })
      expect([status, body.errors[0].loc], `${field} ${String(value)}`).toEqual([422, ['body', 'storage', field]])
      expect(JSON.stringify(body)).not.toMatch(/their-|169\.254/)
    }
    expect((await call('GET', SANDBOXES)).body.count).toBe(0)
    expect((await create({ storage: null })).body.storage_provider_type).toBe('platform_s3')
    const [{ sandbox_id: id }] = (await call('GET', SANDBOXES)).body.sandboxes
    const changed = await call('PATCH', `${SANDBOXES}/${id}`, { storage: access })
    expect([changed.status, changed.body.reason]).toEqual([409, 'no_own_storage'])
  })
})
