import { randomBytes } from 'node:crypto'
import { featureOperations, type Operation } from '@cairnstore/contract'
import { expect, it } from 'vitest'
import { encryptionToken } from '../../packages/client/src/keys.ts'
import { newId } from '../../packages/server/src/base/id.ts'
import { createContentCipher } from '../../packages/server/src/tenancy/caller-keys/content-cipher.ts'
import { keyForgotten, withKey } from '../harness/keyed.ts'
import { type Call, newSandbox, onEachApp, type TestSandbox } from '../harness/test-app.ts'

const QUESTION = { query: 'Who moved the launch?' }
const RECORD = { external_id: 'm1', type: 'message', text: 'Priya moved the launch to June.', author: 'Priya Raman' }
const WAIT = { prefer: 'wait=30' }
const REQUIRED = { status: 403, body: { error: 'encryption_key_required' } }
const INVALID = { status: 400, body: { error: 'bad_request', reason: 'encryption_header_invalid' } }

onEachApp((app) => {
  const start = async () => {
    const account = await app().newAccount()
    const { call } = account
    const dataKey = randomBytes(32)
    const sandbox = await newSandbox(call)
    const ask = (as: Call = call, headers = {}) => as('POST', `${sandbox.query}/discover`, QUESTION, headers)
    const put = (as: Call, record: object = RECORD) => as('POST', sandbox.records, { records: [record] }, WAIT)
    return { account, call, sandbox, dataKey, keyed: withKey(call, dataKey), ask, put }
  }
  const show = async (call: Call, { storage }: TestSandbox) => (await call('GET', storage)).body

  it('a token that is malformed or encrypted under another bearer is 400, a valid one is accepted', async () => {
    const { account, call, ask, dataKey } = await start()
    const good = await encryptionToken(dataKey, account.key)
    const cut = Buffer.from(good, 'base64').subarray(0, 48).toString('base64')
    for (const token of ['junk', good.slice(0, 79), cut, await encryptionToken(dataKey, 'another bearer')]) {
      expect(await ask(call, { 'x-encryption-token': token }), token).toMatchObject(INVALID)
    }
    expect((await ask(call, { 'x-encryption-token': good })).status).toBe(200)
  })

  it('a plaintext key is 32 bytes in standard base64, and is not accepted over remote plain HTTP', async () => {
    const { account, call, ask, sandbox, dataKey } = await start()
    const url = Buffer.alloc(32, 0xfb).toString('base64url')
    for (const key of [randomBytes(31).toString('base64'), randomBytes(33).toString('base64'), `${url}=`, url]) {
      expect(await ask(call, { 'x-encryption-key': key }), key).toMatchObject(INVALID)
    }
    const headers = {
      authorization: `Bearer ${account.key}`,
      'content-type': 'application/json',
      'x-encryption-key': dataKey.toString('base64'),
    }
    const from = (remoteAddress: string) =>
      app().cairn.http.inject({
        method: 'POST',
        url: `${sandbox.query}/discover`,
        headers,
        payload: JSON.stringify(QUESTION),
        remoteAddress,
      })
    expect((await from('192.0.2.7')).statusCode).toBe(400)
    expect((await from('127.0.0.1')).statusCode).toBe(200)
  })

  it('two headers with the same key are accepted, with different keys are 400, and empty ones are absent', async () => {
    const { account, call, ask, dataKey } = await start()
    const token = await encryptionToken(dataKey, account.key)
    const both = (key: Buffer) => ({
      'x-encryption-token': token,
      'x-encryption-key': key.toString('base64'),
    })
    expect((await ask(call, both(dataKey))).status).toBe(200)
    expect(await ask(call, both(randomBytes(32)))).toMatchObject({
      status: 400,
      body: { error: 'bad_request', reason: 'encryption_headers_conflict' },
    })
    expect((await ask(call, { 'x-encryption-token': '', 'x-encryption-key': '' })).status).toBe(200)
  })

  it('encrypted content is written and read only with its customer-managed key', async () => {
    const { call, keyed, ask, put, sandbox } = await start()
    expect(await show(call, sandbox)).toMatchObject({ encrypted: false, key_fingerprint: null })
    const { status, body: job } = await put(keyed)
    expect([status, job.status, job.encrypted, job.result.written]).toEqual([200, 'completed', true, 1])
    const shown = await show(call, sandbox)
    expect(shown).toMatchObject({ encrypted: true, key_fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/) })

    const found = await ask(keyed)
    expect(found.body.items.map((item: { external_id: string }) => item.external_id)).toEqual(['m1'])
    expect(found.body.items[0].summary).toContain('June')
    const other = withKey(call, randomBytes(32))
    for (const [as, reason] of [
      [call, 'missing'],
      [other, 'mismatch'],
    ] as const) {
      const expected = { ...REQUIRED, body: { ...REQUIRED.body, reason } }
      expect(await ask(as)).toMatchObject(expected)
      expect(await put(as, { ...RECORD, external_id: 'm2' })).toMatchObject(expected)
      for (const path of ['entities', 'export', 'entities/search?q=Priya', `records/${found.body.items[0].record_id}`])
        expect(await as('GET', `${sandbox.storage}/${path}`), path).toMatchObject(expected)
    }
    expect((await ask(keyed)).body.items).toHaveLength(1)
  })

  it('no operation returns or accepts content without the key, also while another request has it', async () => {
    const { call, keyed, put, sandbox, dataKey } = await start()
    const { body: job } = await put(keyed)
    const release = app().cairn.app.seals.hold(createContentCipher(dataKey, sandbox.id, 1))
    const ids: Record<string, string> = { sandbox_id: sandbox.id, source_id: sandbox.source, job_id: job.job_id }
    for (const [name, operation] of Object.entries(featureOperations as Record<string, Operation>)) {
      if (!operation.content || ['credentials', 'mentions'].includes(operation.content) || name === 'ingestPrimary')
        continue
      const kinds = {
        record_id: 'record',
        canonical_id: 'entity',
        merge_id: 'merge',
        suggestion_id: 'suggestion',
        answer_id: 'answer',
        evaluation_id: 'job',
      } as const
      const path = operation.path.replace(
        /:(\w+)/g,
        (_, id: keyof typeof kinds) => ids[id] ?? newId(kinds[id], app().clock),
      )
      const query = name === 'searchEntities' ? '?q=Priya' : ''
      for (const as of [call, withKey(call, randomBytes(32))]) {
        const body = operation.body && (operation.body.example ?? {})
        expect(await as(operation.method, path + query, body), name).toMatchObject(REQUIRED)
      }
    }
    release()
  })

  it('a sandbox with content cannot be encrypted later, and a question to it ignores a key', async () => {
    const { call, keyed, ask, put, sandbox } = await start()
    await put(call)
    const plain = (await ask()).body
    expect((await ask(keyed)).body).toEqual(plain)
    expect(await put(keyed, { ...RECORD, external_id: 'm2' })).toMatchObject({
      status: 409,
      body: { error: 'conflict', reason: 'holds_plain_content' },
    })
    expect(await show(call, sandbox)).toMatchObject({ encrypted: false })
  })

  it('of two callers who concurrently send different first keys, one is accepted and the other rejected', async () => {
    const { call, sandbox, put, ask } = await start()
    const callers = [withKey(call, randomBytes(32)), withKey(call, randomBytes(32))]
    const answers = await Promise.all(callers.map((as, n) => put(as, { ...RECORD, external_id: `m${n}` })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
    expect(answers.find(({ status }) => status === 403)?.body.reason).toBe('mismatch')
    const winner = callers[answers.findIndex(({ status }) => status === 200)] as Call
    expect((await ask(winner)).body.items).toHaveLength(1)
    expect(await show(call, sandbox)).toMatchObject({ encrypted: true })
  })

  it('a job shows its progress without the key, and the failed records only with it', async () => {
    const { call, keyed, sandbox } = await start()
    const bad = { external_id: 'secret-id', type: 5 }
    const { body: job } = await keyed('POST', sandbox.records, { records: [RECORD, bad] }, WAIT)
    expect(job.result.errors).toMatchObject([{ line: 2, external_id: 'secret-id' }])
    const path = `${sandbox.storage}/ingest/${job.job_id}`
    const without = (await call('GET', path)).body
    expect(without).toMatchObject({ status: 'completed', encrypted: true, result: { written: 1, failed: 1 } })
    expect(JSON.stringify(without)).not.toContain('secret-id')
    expect((await keyed('GET', path)).body).toEqual(job)
  })

  it('a repeat of a request with a key is answered only with the key', async () => {
    const { call, keyed, sandbox } = await start()
    const body = { records: [RECORD, { external_id: 'secret-id', type: 5 }] }
    const headers = { ...WAIT, 'idempotency-key': 'k1' }
    const first = await keyed('POST', sandbox.records, body, headers)
    const again = await keyed('POST', sandbox.records, body, headers)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(again.body.job_id).toBe(first.body.job_id)
    expect(await call('POST', sandbox.records, body, headers)).toMatchObject(REQUIRED)
  })

  it('after a key change the new key decrypts everything, and the old one nothing', async () => {
    const { call, keyed, ask, put, sandbox, dataKey } = await start()
    const login = { login: 'priya' }
    await put(keyed, { ...RECORD, author: { name: 'Priya Raman', identifiers: login } })
    const { body: failed } = await keyed('POST', sandbox.records, { records: [{ external_id: 'bad', type: 5 }] }, WAIT)
    const shown = (await ask(keyed)).body.items
    const newKey = randomBytes(32)
    const rotate = (as: Call, key: Buffer) =>
      as('POST', `${sandbox.storage}/rotate-key`, undefined, { 'x-new-encryption-key': key.toString('base64') })
    expect(await rotate(call, newKey)).toMatchObject(REQUIRED)
    expect(await keyed('POST', `${sandbox.storage}/rotate-key`)).toMatchObject(INVALID)
    const { key_fingerprint: before } = await show(call, sandbox)
    expect(await rotate(keyed, newKey)).toMatchObject({ status: 200, body: { success: true } })

    const renewed = withKey(call, newKey)
    expect((await ask(renewed)).body.items).toEqual(shown)
    expect(await ask(keyed)).toMatchObject({ ...REQUIRED, body: { reason: 'mismatch' } })
    expect((await show(call, sandbox)).key_fingerprint).not.toBe(before)
    const job = await renewed('GET', `${sandbox.storage}/ingest/${failed.job_id}`)
    expect(job.body.result.errors).toMatchObject([{ external_id: 'bad' }])
    const more = { external_id: 'm2', type: 'message', text: 'Again.', author: { name: 'Priya', identifiers: login } }
    expect((await put(renewed, more)).body).toMatchObject({ status: 'completed', result: { written: 1 } })
    const people = await renewed('GET', `${sandbox.storage}/entities/search?q=Priya%20Raman`)
    expect(people.body.results).toHaveLength(1)
    expect(await rotate(renewed, dataKey)).toMatchObject({ status: 200 })
    expect((await ask(keyed)).body.items.length).toBeGreaterThan(0)
  })

  it('a webhook delivery waits encrypted, in a job that gives the reason, for a request with the key', async () => {
    const { call, keyed, ask, put, sandbox } = await start()
    await put(keyed)
    const { body: source } = await call('POST', `${sandbox.storage}/sources`, {
      provider: 'json',
      name: 'Hook',
      ingestion_mode: 'realtime',
    })
    await keyForgotten(app(), sandbox.id)
    const url = new URL(source.webhook_url)
    const sent = await app().anonymous(
      'POST',
      url.pathname,
      { id: 'w1', text: 'The launch moved to quartzmonth.' },
      {
        authorization: `Bearer ${source.webhook_signing_secret}`,
      },
    )
    expect(sent.status).toBe(204)
    const runs = async () => (await call('GET', `${sandbox.storage}/sources/${source.data_source_id}/runs`)).body.runs
    await expect.poll(runs).toMatchObject([{ status: 'queued', error: expect.stringContaining('key') }])
    const [waiting] = await runs()
    const job = async () => (await call('GET', `${sandbox.storage}/ingest/${waiting.job_id}`)).body
    expect(await job()).toMatchObject({ status: 'queued', error_message: expect.stringContaining('key') })

    await ask(keyed)
    await expect.poll(job).toMatchObject({ status: 'completed', error_message: null })
    const found = await keyed('POST', `${sandbox.query}/discover`, { query: 'quartzmonth' })
    expect(found.body.items).toHaveLength(1)
  })
})
