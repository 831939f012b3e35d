import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { encryptionToken } from '../../../packages/client/src/keys.ts'
import { keyForgotten, withKey } from '../../harness/keyed.ts'
import { type Call, newSandbox, onEachApp, type TestAccount, type TestSandbox } from '../../harness/test-app.ts'

const SOON = { interval: 100 }
const WAIT = { prefer: 'wait=30' }
/** Number of records stored per chunk. */
const CHUNK_RECORDS = 500
const ROLE = { role: 'editor' }

onEachApp((app) => {
  const start = async () => {
    const [owner, guest] = [await app().newAccount(), await app().newAccount()]
    const sandbox = await newSandbox(owner.call)
    const dataKey = randomBytes(32)
    const keyed = withKey(owner.call, dataKey)
    const first = { external_id: 'first', type: 'note', text: 'Barge zero left.' }
    await keyed('POST', sandbox.records, { records: [first] }, WAIT)
    const grant = { ...ROLE, user_id: guest.userId }
    const { body: connection } = await owner.call('POST', `${sandbox.storage}/connections`, grant)
    return { owner, guest, sandbox, dataKey, keyed, connection: connection.connection_id as string }
  }
  const line = (n: number) =>
    `${JSON.stringify({ external_id: `r${n}`, type: 'note', text: `Barge ${n} left the quay.` })}\n`
  const lines = (from: number, count: number) => Array.from({ length: count }, (_, n) => line(from + n)).join('')

  /** Streams NDJSON and runs `then` in the middle. Returns the reply and the sandbox's jobs. */
  const streamed = async (
    { sandbox, owner }: { sandbox: TestSandbox; owner: TestAccount },
    path: string,
    headers: Record<string, string>,
    then: () => Promise<unknown>,
  ) => {
    const jobs = async () =>
      app().cairn.app.sql.transact(owner.userId, (tx) =>
        tx.selectFrom('job').selectAll().where('sandbox_id', '=', sandbox.id).orderBy('id', 'desc').execute(),
      )
    const before = (await jobs()).length
    async function* body() {
      yield lines(0, CHUNK_RECORDS + 1)
      // The first chunk must be stored before anything else happens.
      await expect.poll(async () => (await jobs()).length, SOON).toBe(before + 1)
      await then()
      yield lines(CHUNK_RECORDS + 1, CHUNK_RECORDS + 1)
    }
    const reply = await app().cairn.http.inject({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/x-ndjson', 'transfer-encoding': 'chunked', ...headers },
      payload: Readable.from(body()),
    })
    const [job] = await jobs()
    return { status: reply.statusCode, body: JSON.parse(reply.payload), jobId: job?.id as string }
  }
  const assertFirstChunkAlone = async (as: Call, sandbox: TestSandbox, jobId: string) => {
    const job = async () => (await as('GET', `${sandbox.storage}/ingest/${jobId}`)).body
    await expect.poll(job, SOON).toMatchObject({
      status: 'completed',
      result: { written: CHUNK_RECORDS },
      error_message: expect.stringContaining('interrupted'),
    })
    const exported = String((await as('GET', `${sandbox.storage}/export`)).body)
    expect(exported.match(/"external_id":"r\d+"/g)).toHaveLength(CHUNK_RECORDS)
    expect(exported).not.toContain(`"r${CHUNK_RECORDS}"`)
    // Accepted records are applied, and then no key is held.
    await keyForgotten(app(), sandbox.id)
  }

  const streams = [
    ['ingest', (sandbox: TestSandbox) => sandbox.records],
    ['import', (sandbox: TestSandbox) => `${sandbox.storage}/import?format=cairn`],
  ] as const

  it.each(streams)('an %s whose grant is revoked writes no more, and releases the key', async (_, pathOf) => {
    const all = await start()
    const { owner, guest, sandbox, dataKey, keyed, connection } = all
    const headers = { authorization: `Bearer ${guest.key}`, 'x-encryption-key': dataKey.toString('base64') }
    const revoke = () => owner.call('DELETE', `${sandbox.storage}/connections/${connection}`)
    const { status, body, jobId } = await streamed(all, pathOf(sandbox), headers, revoke)
    expect([status, body.error]).toEqual([404, 'not_found'])
    await assertFirstChunkAlone(keyed, sandbox, jobId)
    const asked = await withKey(guest.call, dataKey)('GET', `${sandbox.storage}/export`)
    expect(asked.status).toBe(404)
  })

  it('a connection’s key that is revoked during a request writes no more, even with the data key', async () => {
    const all = await start()
    const { owner, sandbox, dataKey, keyed, connection } = all
    const path = `${sandbox.storage}/connections/${connection}`
    const { body: made } = await owner.call('POST', `${path}/api-keys`, {})
    const bearer = made.plaintext_key as string
    const headers = { authorization: `Bearer ${bearer}`, 'x-encryption-token': await encryptionToken(dataKey, bearer) }
    const { status, jobId } = await streamed(all, sandbox.records, headers, () => owner.call('DELETE', path))
    // The check of the credential and that of the access both run between chunks, and either may be first.
    expect([401, 404]).toContain(status)
    await assertFirstChunkAlone(keyed, sandbox, jobId)
    expect((await app().anonymous('GET', `${sandbox.storage}/export`, undefined, headers)).status).toBe(401)
  })

  it.each(streams)('an %s during a key change writes no more, and keeps what it wrote', async (_, pathOf) => {
    const all = await start()
    const { owner, guest, sandbox, dataKey, keyed } = all
    const next = randomBytes(32)
    const change = { 'x-new-encryption-key': next.toString('base64') }
    const rotate = async () =>
      expect((await keyed('POST', `${sandbox.storage}/rotate-key`, undefined, change)).status).toBe(200)
    const headers = { authorization: `Bearer ${guest.key}`, 'x-encryption-key': dataKey.toString('base64') }
    const { status, body, jobId } = await streamed(all, pathOf(sandbox), headers, rotate)
    expect([status, body.reason]).toEqual([403, 'mismatch'])
    await assertFirstChunkAlone(withKey(owner.call, next), sandbox, jobId)
  })

  it('a key change continues when a grant is revoked, and ends access with the old key', async () => {
    const { owner, guest, sandbox, dataKey, keyed, connection } = await start()
    const next = randomBytes(32)
    const change = { 'x-new-encryption-key': next.toString('base64') }
    const as = withKey(guest.call, dataKey)
    // A grant does not permit changing the key.
    expect((await as('POST', `${sandbox.storage}/rotate-key`, undefined, change)).status).toBe(403)
    const [rotated] = await Promise.all([
      keyed('POST', `${sandbox.storage}/rotate-key`, undefined, change),
      owner.call('DELETE', `${sandbox.storage}/connections/${connection}`),
    ])
    expect(rotated.status).toBe(200)
    expect((await as('GET', `${sandbox.storage}/export`)).status).toBe(404)
    expect((await withKey(owner.call, next)('GET', `${sandbox.storage}/export`)).status).toBe(200)
    await keyForgotten(app(), sandbox.id)
  })

  it('repeating the same key change with both keys succeeds; with a third key it is rejected', async () => {
    const { owner, sandbox, keyed } = await start()
    const [next, third] = [randomBytes(32), randomBytes(32)]
    const rotate = (as: Call, key: Buffer) =>
      as('POST', `${sandbox.storage}/rotate-key`, undefined, { 'x-new-encryption-key': key.toString('base64') })
    expect((await rotate(keyed, next)).status).toBe(200)
    expect((await rotate(keyed, next)).status).toBe(200)
    expect(await rotate(keyed, third)).toMatchObject({ status: 403, body: { reason: 'mismatch' } })
    const query = { query: 'Which barge left?' }
    expect((await keyed('POST', `${sandbox.query}/discover`, query)).status).toBe(403)
    const found = await withKey(owner.call, next)('POST', `${sandbox.query}/discover`, query)
    expect(found.body.items).toHaveLength(1)
  })
})
