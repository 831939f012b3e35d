import { connect } from 'node:net'
import { operation, Type as T } from '@cairnstore/contract'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { newId } from '../base/id.ts'
import { openLog } from '../base/log.ts'
import { jsonLines } from '../tenancy/handler.ts'
import type { HttpApp, HttpHandlers } from './context.ts'
import { openHeaderVerifier } from './forwarding.ts'
import { NODE_HEADER, signNodeHeader } from './node-header.ts'
import { type HttpOptions, type HttpServer, openHttp } from './server.ts'

const shared = { tag: 'Things', summary: 'Things', audit: { none: 'reads' }, retry: 'safe', faults: [] } as const
const Any = T.Object({}, { additionalProperties: true })

const fakeOperations = {
  take: operation({
    ...shared,
    method: 'POST',
    path: '/api/v1/take',
    access: 'account',
    body: { json: T.Object({ records: T.Optional(T.Array(T.Unknown())) }), ndjson: Any },
    reply: { json: Any },
    status: 200,
  }),
  wait: operation({
    ...shared,
    method: 'GET',
    path: '/api/v1/wait',
    access: 'account',
    reply: { json: Any },
    status: 200,
  }),
  flow: operation({
    ...shared,
    method: 'GET',
    path: '/api/v1/flow',
    access: 'account',
    reply: { stream: 'application/x-ndjson' },
    status: 200,
  }),
}

const state = { gone: 0, waiting: 0, made: 0, ended: false, taken: 0, ready: true }
let release = () => {}

async function* endless() {
  try {
    for (;;) {
      state.made += 1
      yield { text: 'x'.repeat(10_000) }
    }
  } finally {
    state.ended = true
  }
}

const handlers: HttpHandlers<typeof fakeOperations> = {
  take: async (_, { body, lines }) => {
    state.taken = 0
    if (lines) for await (const _ of lines) state.taken += 1
    return { keys: Object.keys(body ?? {}), taken: state.taken }
  },
  wait: async ({ signal }) => {
    state.waiting += 1
    await new Promise<void>((resolve) => {
      release = resolve
      signal.addEventListener('abort', () => {
        state.gone += 1
        resolve()
      })
    })
    return {}
  },
  flow: async () => jsonLines(endless()),
}

/** Long enough that a slow machine causes no timeout, except where a test sets its own. */
const PATIENT_MS = 3_600_000
const options: HttpOptions<typeof fakeOperations> = {
  operations: fakeOperations,
  handlers,
  app: { clock: systemClock, log: openLog('silent', systemClock, () => {}) } as HttpApp,
  authenticate: async () => ({ accountId: 'acct_1', credential: { kind: 'api_key', id: newId('key', systemClock) } }),
  accessOf: async () => undefined,
  isReady: async () => state.ready,
  version: '0.0.0',
  timeouts: { headersMs: PATIENT_MS, bodyMs: PATIENT_MS, streamIdleMs: PATIENT_MS, checkMs: 50, lingerMs: 200 },
}

let http: HttpServer
let port: number

beforeAll(async () => {
  http = await openHttp(options)
  port = Number(new URL(await http.listen('127.0.0.1', 0)).port)
})

afterAll(() => http.close(1000))

const others: HttpServer[] = []
afterEach(async () => {
  await Promise.all(others.splice(0).map((each) => each.close(1000)))
})

/** Starts a server with these timeouts and returns its port. */
async function hasty(timeouts: Partial<NonNullable<typeof options.timeouts>>): Promise<number> {
  const other = await openHttp({ ...options, timeouts: { ...options.timeouts!, ...timeouts } })
  others.push(other)
  return Number(new URL(await other.listen('127.0.0.1', 0)).port)
}

/** Yields the same piece forever, so that the sender never ends before the server does. */
function* forever(first: string, piece: string): Generator<string> {
  yield first
  for (;;) yield piece
}

/** Sends raw bytes in pieces. Returns the response once the connection closes or the response matches `last`. */
function talk(pieces: Iterable<string>, gapMs = 0, to = port, last?: RegExp): Promise<string> {
  const coming = pieces[Symbol.iterator]()
  return new Promise((resolve) => {
    const socket = connect(to, '127.0.0.1')
    let answer = ''
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text
      if (last?.test(answer)) socket.destroy()
    })
    socket.on('error', () => {}).on('close', () => resolve(answer))
    const sendNext = () => {
      if (socket.destroyed) return
      const { value: piece } = coming.next()
      if (piece === undefined) return
      socket.write(piece)
      setTimeout(sendNext, gapMs)
    }
    socket.on('connect', sendNext)
  })
}

const AUTH = 'Authorization: Bearer x\r\n'
const HOST = 'Host: a\r\n'
const CLOSE = 'Connection: close\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'

function bodyOf(answer: string) {
  return JSON.parse(answer.slice(answer.lastIndexOf('\r\n\r\n')))
}

const until = (happened: () => boolean) => expect.poll(happened, { interval: 10 }).toBe(true)

test('two credentials are 400, even if one is valid', async () => {
  const answer = await talk([`GET /api/v1/wait HTTP/1.1\r\n${HOST}${AUTH}${AUTH}${CLOSE}\r\n`])
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(bodyOf(answer)).toMatchObject({ error: 'bad_request', reason: 'duplicate_header' })
})

test('invalid HTTP gets an error in the usual form, and the connection is closed', async () => {
  const head = `POST /api/v1/take HTTP/1.1\r\n${HOST}${AUTH}${JSON_TYPE}`
  const cases: [string, number, string][] = [
    [`${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`, 400, 'bad_request'],
    [`${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400, 'bad_request'],
    [`GET /api/v1/wait HTTP/1.1\r\n${AUTH}${CLOSE}\r\n`, 400, 'bad_request'],
    [`GET /api/v1/wait HTTP/1.1\r\n${HOST}X-Big: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['nonsense\r\n\r\n', 400, 'bad_request'],
  ]
  for (const [bytes, status, error] of cases) {
    const answer = await talk([bytes])
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(bodyOf(answer)).toMatchObject({ error, request_id: expect.any(String) })
  }
})

test('unknown methods of a known path are 405', async () => {
  for (const verb of ['TRACE', 'PUT', 'PROPFIND']) {
    expect(await talk([`${verb} /api/v1/wait HTTP/1.1\r\n${HOST}${CLOSE}\r\n`])).toMatch(/^HTTP\/1\.1 405 /)
  }
})

test('slow headers and a slow body are 408 within the timeout', async () => {
  const to = await hasty({ headersMs: 300, bodyMs: 300 })
  // One character each, so that the timeout comes long before the headers are too large.
  const slowHeaders = await talk(forever('GET /api/v1/wait HTTP/1.1\r\nX', 'x'), 20, to)
  expect(bodyOf(slowHeaders)).toMatchObject({ error: 'request_timeout' })
  const head = `POST /api/v1/take HTTP/1.1\r\n${HOST}${AUTH}${JSON_TYPE}Content-Length: 1000000\r\n\r\n`
  const slowBody = await talk(forever(head, ' '), 20, to)
  expect(slowBody).toMatch(/^HTTP\/1\.1 408 /)
  expect(bodyOf(slowBody)).toMatchObject({ error: 'request_timeout' })
})

test('a stream may take long while data arrives, and is 408 if it stalls', async () => {
  const head = `POST /api/v1/take HTTP/1.1\r\n${HOST}${AUTH}${CLOSE}Content-Type: application/x-ndjson\r\n`
  const line = '{"a":1}\n'
  const pieces = [`${head}Content-Length: ${10 * line.length}\r\n\r\n`, ...Array(10).fill(line)]
  // The upload takes longer in total than the limit for a non-streamed body.
  const steady = await talk(pieces, 20, await hasty({ bodyMs: 50 }))
  expect(bodyOf(steady)).toEqual({ keys: [], taken: 10 })
  const stopped = await talk([`${head}Content-Length: 1000\r\n\r\n${line}`], 0, await hasty({ streamIdleMs: 100 }))
  expect(bodyOf(stopped)).toMatchObject({ error: 'request_timeout' })
})

test('a body over the limit is 413 before it is fully received, and the sender gets the reply', async () => {
  const head = `POST /api/v1/take HTTP/1.1\r\n${HOST}${AUTH}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n`
  const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
  // The server keeps reading until the sender has seen the response.
  const to = await hasty({ lingerMs: PATIENT_MS })
  const answer = await talk(forever(head, chunk), 1, to, /\}$/)
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  expect(bodyOf(answer)).toMatchObject({ error: 'payload_too_large' })
})

test('a line over 1 MiB fails alone at any length and is not buffered', async () => {
  const long = 'y'.repeat(5 * 1024 * 1024)
  const body = `{"a":1}\n"${long}"\n{"a":2}\n`
  const head = `POST /api/v1/take HTTP/1.1\r\n${HOST}${AUTH}${CLOSE}Content-Type: application/x-ndjson\r\n`
  const answer = await talk([`${head}Content-Length: ${body.length}\r\n\r\n`, body])
  expect(bodyOf(answer)).toEqual({ keys: [], taken: 3 })
})

test('a caller that disconnects aborts the request’s signal', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET /api/v1/wait HTTP/1.1\r\n${HOST}${AUTH}\r\n`)
  await until(() => state.waiting === 1)
  socket.destroy()
  await until(() => state.gone === 1)
})

test('a streamed reply follows the reader’s pace and ends when the caller disconnects', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.write(`GET /api/v1/flow HTTP/1.1\r\n${HOST}${AUTH}\r\n`)
  await until(() => state.made > 10)
  let before = -1
  const hasStopped = () => {
    const isSame = state.made === before
    before = state.made
    return isSame
  }
  await expect.poll(hasStopped, { interval: 100 }).toBe(true)
  socket.destroy()
  await until(() => state.ended)
})

test('shutdown reports not ready, then completes running requests', async () => {
  const closing = await openHttp(options)
  const to = Number(new URL(await closing.listen('127.0.0.1', 0)).port)
  state.waiting = 0
  const running = talk([`GET /api/v1/wait HTTP/1.1\r\n${HOST}${AUTH}\r\n`], 0, to)
  await until(() => state.waiting === 1)
  await closing.drain(0)
  expect(await talk([`GET /readyz HTTP/1.1\r\n${HOST}\r\n`], 0, to)).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1/)
  expect(await talk([`GET /healthz HTTP/1.1\r\n${HOST}\r\n`], 0, to)).toMatch(/^HTTP\/1\.1 200 /)
  const closed = closing.close(PATIENT_MS)
  setImmediate(() => release())
  await closed
  expect(await running).toMatch(/^HTTP\/1\.1 200 /)
  expect(await talk([`GET /healthz HTTP/1.1\r\n${HOST}\r\n`], 0, to)).toBe('')
})

test('an unsupported expectation gets an error body; a supported one continues', async () => {
  const put = `POST /api/v1/take HTTP/1.1\r\n${HOST}${AUTH}${CLOSE}${JSON_TYPE}Content-Length: 2\r\n`
  const refused = await talk([`${put}Expect: x\r\n\r\n{}`])
  expect(refused).toMatch(/^HTTP\/1\.1 400 /)
  expect(bodyOf(refused)).toMatchObject({
    error: 'bad_request',
    reason: 'invalid_header',
    request_id: expect.any(String),
  })
  const taken = await talk([`${put}Expect: 100-continue\r\n\r\n`, '{}'], 50)
  expect(taken).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
})

test('too many headers are 431, and no header is silently dropped', async () => {
  const get = (count: number) =>
    talk([`GET /healthz HTTP/1.1\r\n${HOST}${CLOSE}${'a:b\r\n'.repeat(count)}x-request-id: mine\r\n\r\n`])
  const taken = await get(1_900)
  expect(taken).toMatch(/^HTTP\/1\.1 200 /)
  expect(taken).toMatch(/x-request-id: mine/)
  const refused = await get(2_100)
  expect(refused).toMatch(/^HTTP\/1\.1 431 /)
  expect(bodyOf(refused)).toMatchObject({ error: 'headers_too_large', request_id: 'mine' })
})

test('headers that one process accepts are not too large for the process it forwards them to', async () => {
  const [to, key] = ['http://one.internal', new Uint8Array(32).fill(1)]
  const app = { ...options.app, cluster: { role: 'all' } } as HttpApp
  const node = await openHttp({ ...options, app, readSigned: openHeaderVerifier(options.app, key, to) })
  const at = Number(new URL(await node.listen('127.0.0.1', 0)).port)
  const caller = `${HOST}${CLOSE}x-request-id: mine\r\nX-Big: ${'x'.repeat(16 * 1024 - 60)}\r\n`
  const ask = (added: string) => talk([`GET /healthz HTTP/1.1\r\n${caller}${added}\r\n`], 0, at)
  const from = { address: '192.0.2.1', protocol: 'https' } as const
  const sentOn = { to, method: 'GET', path: '/healthz', requestId: 'mine' }
  const header = (by: Uint8Array) => `${NODE_HEADER}: ${signNodeHeader(by, sentOn, from, systemClock.now())}\r\n`
  expect(await ask('')).toMatch(/^HTTP\/1\.1 200 /)
  expect(await ask(header(key))).toMatch(/^HTTP\/1\.1 200 /)
  expect(await ask(header(new Uint8Array(32)))).toMatch(/^HTTP\/1\.1 431 /)
  await node.close(1000)
})
