import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { newApiKey } from '../../../packages/server/src/tenancy/accounts/key-format.ts'
import { addressOf, type Child, startProgram } from '../../harness/child.ts'
import { BUCKET, openObjectStore } from '../../harness/object-store.ts'
import { newDatabase, type TestDatabase } from '../../harness/postgres.ts'
import { newSandbox, onEachApp } from '../../harness/test-app.ts'

const IN_FLIGHT = 1_000
/** The copied database was created without a master key. */
const MASTER_KEY = Buffer.alloc(32, 1).toString('base64')
const SANDBOXES = '/api/v1/storage/sandboxes'
/** Statuses that a busy machine may return for many requests of one account. */
const REFUSALS: readonly unknown[] = [429, 503]

const key = newApiKey()
let database: TestDatabase
let child: Child | undefined
beforeAll(async () => {
  database = await newDatabase('pglite')
})
afterEach(async () => {
  child?.process.kill('SIGKILL')
  await child?.ended
})
afterAll(() => database?.remove())

async function serve(settings: Record<string, string> = {}) {
  const { folder } = database.target as { folder: string }
  child = startProgram([], {
    CAIRN_DATA: dirname(folder),
    CAIRN_BOOTSTRAP_API_KEY: key,
    CAIRN_MASTER_KEY: MASTER_KEY,
    ...settings,
  })
  const url = new URL(await addressOf(child))
  return { child, url }
}

/** Sends a request on a keep-alive connection. Returns promises for when it is sent and for its reply. */
function send(url: URL, path: string, agent: Agent, body?: string) {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
  const sending = request(new URL(path, url), { method: body ? 'POST' : 'GET', headers, agent })
  const answered = new Promise<{ status: number; connection: string | undefined }>((resolve, reject) => {
    sending.once('error', reject).once('response', (reply: IncomingMessage) => {
      reply.on('error', reject).on('end', () => {
        resolve({ status: reply.statusCode ?? 0, connection: reply.headers.connection })
      })
      reply.resume()
    })
  })
  // If sending fails, the reply fails too and reports the error.
  const sent = once(sending, 'finish').catch(() => undefined)
  sending.end(body)
  return { sent, answered }
}

it('SIGTERM under load answers every sent request, and exits with 0', async () => {
  const { child, url } = await serve()
  // Unique names, because another run may use the same database.
  const run = randomUUID()
  const agent = new Agent({ keepAlive: true })
  const kept = await send(url, '/healthz', agent).answered
  expect(kept).toMatchObject({ status: 200, connection: 'keep-alive' })
  const load = Array.from({ length: IN_FLIGHT }, (_, at) =>
    at % 4 === 0
      ? send(
          url,
          SANDBOXES,
          agent,
          JSON.stringify({ name: `Sandbox ${at} of ${run}`, owner_id: 'o', tier: 'enterprise' }),
        )
      : send(url, SANDBOXES, agent),
  )
  await Promise.all(load.map(({ sent }) => sent))
  child.process.kill('SIGTERM')
  const outcomes = await Promise.allSettled(load.map(({ answered }) => answered))
  const statuses = outcomes.map((each) => (each.status === 'fulfilled' ? each.value.status : String(each.reason)))
  // A slow machine may reject some requests, but must not reset connections.
  const answered = statuses.filter((status) => !REFUSALS.includes(status))
  expect(answered.filter((status) => status !== 200 && status !== 201)).toEqual([])
  expect(answered.length).toBeGreaterThan(0)
  expect(await child.ended).toBe(0)
  agent.destroy()
})

it('during shutdown it is not ready, and closes connections', async () => {
  const { child, url } = await serve()
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  expect((await send(url, '/readyz', agent).answered).status).toBe(200)
  child.process.kill('SIGTERM')
  const ready = () => send(url, '/readyz', agent).answered.catch(() => ({ status: 0, connection: 'close' }))
  let answer = await ready()
  while (answer.status === 200) answer = await ready()
  expect(answer).toEqual({ status: 503, connection: 'close' })
  expect(await child.ended).toBe(0)
  agent.destroy()
})

it('a second SIGTERM exits with 1 at once', async () => {
  const { child, url } = await serve()
  const socket = connect(Number(url.port), url.hostname).on('error', () => undefined)
  socket.write(
    `POST ${SANDBOXES} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  )
  const agent = new Agent()
  await send(url, '/healthz', agent).answered
  child.process.kill('SIGTERM')
  // The incomplete request delays the shutdown.
  for (let closed = false; !closed; ) {
    closed = await send(url, '/healthz', agent).answered.then(
      () => false,
      () => true,
    )
  }
  expect(child.process.exitCode).toBe(null)
  child.process.kill('SIGTERM')
  expect(await child.ended).toBe(1)
  socket.destroy()
})

it('work blocked by a private store is abandoned within the grace period', async () => {
  const store = await openObjectStore()
  const { child, url } = await serve({ CAIRN_ALLOW_LOOPBACK: 'on' })
  const post = async (path: string, body: object, prefer = '') => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer }
    const reply = await fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: reply.status, body: (await reply.json()) as Record<string, string> }
  }
  const access = { access_key_id: store.accessKeyId, secret_access_key: 'secret' }
  const storage = {
    provider_type: 'custom_s3',
    bucket: BUCKET,
    region: 'us-east-1',
    endpoint: store.endpoint,
    ...access,
  }
  const { body: made } = await post(SANDBOXES, { name: 'Theirs', owner_id: 'o', storage })
  const sources = `${SANDBOXES}/${made.sandbox_id}/sources`
  const { body: source } = await post(sources, { provider: 'slack', name: 'Chat' })
  const records = `${sources}/${source.data_source_id}/records`
  const note = (at: number) => ({ records: [{ external_id: `${at}`, type: 'note', text: 'Harbour opens.' }] })
  expect((await post(records, note(1), 'wait=60')).body.status).toBe('completed')
  store.mode = 'silent'
  const before = store.requests
  expect((await post(records, note(2))).status).toBe(202)
  await expect.poll(() => store.requests).toBeGreaterThan(before)
  // The store never replies, so a shutdown that waits for it would never end.
  child.process.kill('SIGTERM')
  expect(await child.ended).toBe(0)
  await store.close()
})

onEachApp((app) => {
  it('a waiting caller is answered before the process stops', async () => {
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    await app().cairn.app.applier.stop()
    const records = [{ external_id: '1', type: 'note', text: 'Hello.' }]
    const waiting = call('POST', sandbox.records, { records }, { prefer: 'wait=60' })
    const { sql } = app().cairn.app
    const received = () =>
      sql.transact({ worker: true }, (tx) =>
        tx.selectFrom('inbox').select('id').where('sandbox_id', '=', sandbox.id).execute(),
      )
    await expect.poll(async () => (await received()).length).toBe(1)
    void app().cairn.drain()
    const { status, headers, body } = await waiting
    expect([status, body.status, headers.connection]).toEqual([202, 'queued', 'close'])
  })
})
