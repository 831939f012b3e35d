import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { partsOf } from './content.ts'
import { ApiError, Cairn, type CairnOptions, RateLimitedError, TimeoutError, UnansweredError } from './index.ts'

type Answer = (request: IncomingMessage, reply: ServerResponse) => void
interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/**
 * Starts a service that gives these answers in order and repeats the last one. Also returns the requests it received.
 */
async function served(answers: Answer[], options: CairnOptions = {}): Promise<{ cairn: Cairn; seen: Seen[] }> {
  const seen: Seen[] = []
  const server = createServer((request, reply) => {
    const at = seen.length
    const asked: Seen = { method: request.method!, url: request.url!, headers: request.headers, body: '' }
    seen.push(asked)
    request.on('data', (chunk: Buffer) => {
      asked.body += String(chunk)
    })
    request.on('end', () => (answers[at] ?? answers.at(-1)!)(request, reply)).on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(() => server.close().closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { cairn: new Cairn({ url, apiKey: 'k', sandbox: 'sbx_1', ...options }), seen }
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, reply) =>
    void reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const refused = (status: number, error: string, headers: Record<string, string> = {}) =>
  json(status, { error, detail: 'No.', request_id: 'r-1' }, headers)
const cut: Answer = (request) => void request.socket.destroy()
const PROFILE = { user_id: 'acct_1', display_name: null }

it('the client waits as long as the service asks, then the call succeeds', async () => {
  const waits: number[] = []
  const busy = refused(429, 'rate_limited', { 'retry-after': '0' })
  const { cairn, seen } = await served([busy, busy, json(200, PROFILE)], { onWait: (seconds) => waits.push(seconds) })
  expect(await cairn.getProfile()).toEqual(PROFILE)
  expect(waits).toEqual([0, 0])
  expect(seen).toHaveLength(3)
})

it('a wait that is too long or too frequent is thrown to the caller', async () => {
  const long = await served([refused(429, 'rate_limited', { 'retry-after': '3600' })])
  await expect(long.cairn.getProfile()).rejects.toMatchObject({ name: 'RateLimitedError', retryAfterSeconds: 3600 })
  expect(long.seen).toHaveLength(1)
  const often = await served([refused(429, 'rate_limited', { 'retry-after': '0' })])
  await expect(often.cairn.getProfile()).rejects.toBeInstanceOf(RateLimitedError)
  expect(often.seen).toHaveLength(11)
})

it('a creating request is retried with the same Idempotency-Key, also after a cut connection', async () => {
  const made = json(201, { id: 'key_1', key: 'cairn_x' })
  const { cairn, seen } = await served([cut, refused(503, 'unavailable', { 'retry-after': '0' }), made])
  expect(await cairn.createApiKey({ name: 'laptop' })).toMatchObject({ id: 'key_1' })
  expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  expect(seen[0]!.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
  expect(new Set(seen.map(({ body }) => body))).toEqual(new Set(['{"name":"laptop"}']))
})

it('a request that is not safe to repeat is sent once, unless it never arrived or was rejected for now', async () => {
  const cutOff = await served([cut])
  const asked = { canonical_id: 'ent_1', keys: ['email:a'] }
  await expect(cutOff.cairn.splitEntity(asked)).rejects.toMatchObject({ name: 'UnansweredError', wasSent: true })
  expect(cutOff.seen).toHaveLength(1)
  const down = await served([refused(503, 'unavailable', { 'retry-after': '0' })])
  await expect(down.cairn.splitEntity(asked)).rejects.toMatchObject({ name: 'UnavailableError', requestId: 'r-1' })
  expect(down.seen).toHaveLength(1)
  const busy = await served([refused(429, 'rate_limited', { 'retry-after': '0' }), json(200, {})])
  await busy.cairn.splitEntity(asked)
  expect(busy.seen).toHaveLength(2)
})

it('a body that can be read only once is sent once', async () => {
  const { cairn, seen } = await served([refused(429, 'rate_limited', { 'retry-after': '0' }), json(202, {})])
  const records = async function* () {
    yield { external_id: '1', type: 'note' }
  }
  await expect(cairn.putRecords({ source_id: 'src_1', records: records() })).rejects.toBeInstanceOf(RateLimitedError)
  expect(seen).toHaveLength(1)
  await cairn.putRecords({ source_id: 'src_1', records })
  expect(seen.at(-1)).toMatchObject({ body: '{"external_id":"1","type":"note"}\n' })
  expect(seen.at(-1)!.headers['content-type']).toBe('application/x-ndjson')
})

it("the caller's timeout and abort signal end every wait", async () => {
  const silent: Answer = () => undefined
  const late = await served([silent], { timeoutMs: 50, retries: 0 })
  await expect(late.cairn.getProfile()).rejects.toBeInstanceOf(TimeoutError)
  const left = await served([silent])
  const reason = new Error('The person left.')
  const stop = new AbortController()
  const call = left.cairn.getProfile({}, { signal: stop.signal })
  setTimeout(() => stop.abort(reason), 30)
  await expect(call).rejects.toBe(reason)
  const waiting = await served([refused(429, 'rate_limited', { 'retry-after': '30' })])
  await expect(waiting.cairn.getProfile({}, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
    name: 'TimeoutError',
  })
})

it('a streamed upload may take longer than the timeout', async () => {
  const timeoutMs = 3_600_000
  const { cairn, seen } = await served([json(202, { job_id: 'job_1' })], { timeoutMs })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const content = async function* () {
    for (let part = 0; part < 6; part += 1) {
      vi.advanceTimersByTime(0.6 * timeoutMs)
      yield `${part}`
    }
  }
  await cairn.importKnowledge({ content })
  vi.useRealTimers()
  expect(seen).toMatchObject([{ body: '012345' }])
})

it('a list with a cursor that does not advance ends, and a page without rows is an error', async () => {
  const same = await served([json(200, { sources: [{ name: 'a' }], next_cursor: 'c' })])
  const names: string[] = []
  const all = (async () => {
    for await (const { name } of same.cairn.listSources()) names.push(name)
  })()
  await expect(all).rejects.toThrow(/same page .* twice/)
  expect(names).toEqual(['a', 'a'])
  for (const body of [{}, { sources: 1 }, 7, null]) {
    const { cairn } = await served([json(200, body)])
    await expect(cairn.listSources()).rejects.toMatchObject({
      name: 'UnexpectedReplyError',
      text: JSON.stringify(body),
    })
  }
})

it('the environment is ignored if readsEnvironment is false', async () => {
  vi.stubEnv('CAIRN_URL', 'http://127.0.0.1:1')
  vi.stubEnv('CAIRN_API_KEY', 'k')
  vi.stubEnv('CAIRN_PROFILE', 'none')
  try {
    const own = new Cairn({ readsEnvironment: false })
    expect(own.url).toBe('http://127.0.0.1:8484')
    await expect(own.getProfile()).rejects.toThrow('This needs a key')
    expect(() => new Cairn()).toThrow('no profile')
  } finally {
    vi.unstubAllEnvs()
  }
})

it('a redirect gets no key, and a reply from another server is reported as such', async () => {
  const there = await served([json(200, PROFILE)])
  const away = await served([(_, reply) => void reply.writeHead(307, { location: there.cairn.url }).end()])
  await expect(away.cairn.getProfile()).rejects.toMatchObject({ name: 'UnexpectedReplyError', status: 307 })
  expect(there.seen).toEqual([])
  const page = await served([(_, reply) => void reply.writeHead(200).end('<html>')])
  await expect(page.cairn.getProfile()).rejects.toMatchObject({ name: 'UnexpectedReplyError', status: 200 })
})

it('an unreachable address fails after a few retries', async () => {
  const cairn = new Cairn({ url: 'http://127.0.0.1:1', apiKey: 'k', retries: 1 })
  await expect(cairn.getProfile()).rejects.toSatisfy(
    (error) => error instanceof UnansweredError && error.wasSent === false,
  )
})

it('path parameters are encoded, whatever they contain', async () => {
  const { cairn, seen } = await served([json(200, {})])
  await cairn.getRecord({ record_id: 'rec_/../é?x' })
  expect(seen[0]!.url).toBe('/api/v1/storage/sandboxes/sbx_1/records/rec_%2F..%2F%C3%A9%3Fx')
  for (const record_id of ['', '.', '..']) await expect(cairn.getRecord({ record_id })).rejects.toThrow('record_id')
  expect(seen).toHaveLength(1)
})

it('an error within a streamed answer is thrown with its body', async () => {
  const events =
    'event: brief\ndata: {"delta":"One"}\n\nevent: error\ndata: {"error":"unavailable","detail":"Gone."}\n\n'
  const { cairn } = await served([(_, reply) => void reply.writeHead(200).end(events)])
  const pieces: string[] = []
  const failing = (async () => {
    for await (const { delta } of cairn.streamAsk('?')) pieces.push(delta)
  })()
  await expect(failing).rejects.toSatisfy((error) => error instanceof ApiError && error.code === 'unavailable')
  expect(pieces).toEqual(['One'])
  await expect(cairn.streamAsk('?').result()).rejects.toBeInstanceOf(ApiError)
})

it('the error for an unknown sandbox lists the existing ones and says how to create it', async () => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ sandbox_id: `sbx_${at}`, name: `Box ${at}` }))
  const failureOf = async (count: number) => {
    const sandboxes = named(count)
    const { cairn } = await served([json(200, { sandboxes, count })], { sandbox: 'X "1"' })
    return cairn.getOverview().then(
      () => 'none',
      ({ name, message }: Error) => `${name}: ${message}`,
    )
  }
  expect(await failureOf(0)).toBe(
    'CairnError: No sandbox is called "X \\"1\\"". This account has no sandbox yet. Create it with ' +
      'createSandbox({ name: "X \\"1\\"" }).',
  )
  expect(await failureOf(2)).toContain(
    'This account has sbx_0 "Box 0", sbx_1 "Box 1". Use one of these, or create it with',
  )
  expect(await failureOf(9)).toContain('sbx_4 "Box 4" … Use one of these')
})

it('a streamed reply that is cut inside a line rejects with UnansweredError', async () => {
  const lines: Answer = (_, reply) =>
    void reply.writeHead(200, { 'content-type': 'application/x-ndjson' }).end('{"record_id":"rec_1"}\n{"record_')
  const { cairn } = await served([lines])
  const read: unknown[] = []
  const reading = (async () => {
    for await (const line of cairn.exportKnowledge()) read.push(line)
  })()
  await expect(reading).rejects.toThrow(UnansweredError)
  await expect(reading).rejects.toThrow(/a part of it is not JSON/)
  expect(read).toEqual([{ record_id: 'rec_1' }])
})

it('a streamed line of more than 64 MiB rejects with UnansweredError', async () => {
  async function* bytes() {
    for (let sent = 0; sent < 3; sent += 1) yield Buffer.alloc(32 * 1024 * 1024, 'a')
  }
  const reading = (async () => {
    for await (const _ of partsOf(bytes(), '\n'));
  })()
  await expect(reading).rejects.toThrow(UnansweredError)
  await expect(reading).rejects.toThrow(/longer than 64 MiB/)
})
