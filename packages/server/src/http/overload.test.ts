import { connect, type Socket } from 'node:net'
import { operation, Type as T } from '@cairnstore/contract'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { newId } from '../base/id.ts'
import { openLog } from '../base/log.ts'
import type { HttpApp, HttpHandlers } from './context.ts'
import { type HttpOptions, type HttpServer, openHttp } from './server.ts'

const shared = { tag: 'Things', summary: 'Things', audit: { none: 'reads' }, retry: 'safe', faults: [] } as const
const Any = T.Object({}, { additionalProperties: true })

const fakeOperations = {
  ask: operation({
    ...shared,
    method: 'POST',
    path: '/api/v1/query/ask',
    access: 'account',
    body: { json: Any },
    reply: { json: Any },
    status: 200,
  }),
  pour: operation({
    ...shared,
    method: 'POST',
    path: '/api/v1/pour',
    access: 'account',
    body: { json: Any, ndjson: Any },
    reply: { json: Any },
    status: 200,
  }),
  read: operation({
    ...shared,
    method: 'GET',
    path: '/api/v1/read',
    access: 'account',
    reply: { json: Any },
    status: 200,
  }),
}

const asked: (() => void)[] = []
let running = 0
let atWorkHighest = 0
let pouring = 0

const handlers: HttpHandlers<typeof fakeOperations> = {
  ask: async () => {
    running += 1
    atWorkHighest = Math.max(atWorkHighest, running)
    await new Promise<void>((resolve) => asked.push(resolve))
    running -= 1
    return {}
  },
  pour: async (_, { lines }) => {
    pouring += 1
    try {
      if (lines) for await (const _ of lines);
      return {}
    } finally {
      pouring -= 1
    }
  },
  read: async () => ({}),
}

/** Long enough that a slow machine causes no timeout, except where a test sets its own. */
const PATIENT_MS = 3_600_000
const one = {
  running: 1,
  runningOfTenant: 1,
  waiting: 10,
  waitingOfTenant: 5,
  waitMs: PATIENT_MS,
  ownExcess: 'unavailable',
} as const
const options: HttpOptions<typeof fakeOperations> = {
  operations: fakeOperations,
  handlers,
  app: { clock: systemClock, log: openLog('silent', systemClock, () => {}) } as HttpApp,
  authenticate: async (token) => ({ accountId: token, credential: { kind: 'api_key', id: newId('key', systemClock) } }),
  accessOf: async () => undefined,
  isReady: async () => true,
  version: '0.0.0',
  timeouts: { headersMs: PATIENT_MS, bodyMs: PATIENT_MS, streamIdleMs: PATIENT_MS, checkMs: 50, lingerMs: 200 },
  slotLimits: {
    question: {
      ...one,
      running: 8,
      runningOfTenant: 4,
      waiting: 400,
      waitingOfTenant: 100,
      waitMs: PATIENT_MS,
      ownExcess: 'rate_limited',
    },
    flow: one,
    public: one,
    other: { ...one, running: 50, runningOfTenant: 50 },
  },
  pressureLimits: { loopDelayMs: 60_000, sampleMs: 1_000, crowd: 10_000, heapBytes: Number.MAX_SAFE_INTEGER },
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

/** Opens a server with these options changed. */
async function opened(over: Partial<typeof options>): Promise<{ http: HttpServer; port: number }> {
  const other = await openHttp({ ...options, ...over })
  others.push(other)
  return { http: other, port: Number(new URL(await other.listen('127.0.0.1', 0)).port) }
}

async function call(tenant: string, method: 'GET' | 'POST', url: string, to = http) {
  const headers = { authorization: `Bearer ${tenant}`, 'content-type': 'application/json' }
  const reply = await to.inject({ method, url, headers, ...(method === 'POST' && { payload: '{}' }) })
  return { status: reply.statusCode, headers: reply.headers, body: reply.json() }
}

const until = (happened: () => boolean) => expect.poll(happened, { interval: 5 }).toBe(true)

/** Lets running questions and their successors complete until none is left. */
async function answerAll(answers: Promise<unknown>[]): Promise<void> {
  let isDone = false
  const done = Promise.all(answers).then(() => {
    isDone = true
  })
  while (!isDone) {
    for (const answer of asked.splice(0)) answer()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await done
}

/** Starts a stream that never ends. */
function pour(tenant: string, to = port): Socket {
  const socket = connect(to, '127.0.0.1')
  socket.setEncoding('latin1').on('error', () => {})
  socket.write(
    `POST /api/v1/pour HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tenant}\r\n` +
      'Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{"a":1}\n\r\n',
  )
  return socket
}

it('a burst of one tenant delays only its own requests', async () => {
  const burst = Array.from({ length: 200 }, () => call('loud', 'POST', '/api/v1/query/ask'))
  await until(() => running === 4)
  const quiet = call('quiet', 'POST', '/api/v1/query/ask')
  await until(() => running === 5)
  asked.pop()!()
  expect((await quiet).status).toBe(200)
  expect((await call('quiet', 'GET', '/api/v1/read')).status).toBe(200)
  await answerAll(burst)
  const statuses = (await Promise.all(burst)).map(({ status }) => status)
  // Four running and a hundred waiting requests succeed; the rest are rejected.
  expect(statuses.filter((status) => status === 200)).toHaveLength(104)
  const refused = (await Promise.all(burst)).filter(({ status }) => status !== 200)
  expect(refused).toHaveLength(96)
  for (const { status, headers, body } of refused) {
    expect([status, headers['retry-after'], body.error]).toEqual([429, '1', 'rate_limited'])
  }
  expect(atWorkHighest).toBe(5)
})

it('a stalled stream is closed with 408 and releases its slot', async () => {
  const hastyClient = await opened({ timeouts: { ...options.timeouts!, streamIdleMs: 100 } })
  const stalled = pour('slow', hastyClient.port)
  let answer = ''
  stalled.on('data', (text) => {
    answer += text
  })
  await until(() => answer !== '')
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  stalled.destroy()
  expect((await call('other', 'POST', '/api/v1/pour', hastyClient.http)).status).toBe(200)
})

it('a request that waits too long for a slot is rejected', async () => {
  const hasty = await opened({ slotLimits: { ...options.slotLimits!, flow: { ...one, waitMs: 100 } } })
  const working = pour('gone', hasty.port)
  await until(() => pouring === 1)
  expect((await call('other', 'POST', '/api/v1/pour', hasty.http)).status).toBe(503)
  working.destroy()
  await until(() => pouring === 0)
})

it('a caller that disconnects releases its slot, whether running or waiting', async () => {
  const working = pour('gone')
  await until(() => pouring === 1)
  const waiting = pour('gone too')
  const queued = call('other', 'POST', '/api/v1/pour')
  waiting.destroy()
  working.destroy()
  expect((await queued).status).toBe(200)
})

const BLOCKS_MAX = 20

it('a blocked event loop rejects work only if many requests wait, and never health checks', async () => {
  const block = async () => {
    const end = performance.now() + 600
    while (performance.now() < end) Math.sqrt(end)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const pressureLimits = { ...options.pressureLimits!, loopDelayMs: 100, sampleMs: 200, crowd: 10 }
  const pressed = await openHttp({ ...options, pressureLimits })
  const read = () => call('lone', 'GET', '/api/v1/read', pressed)
  await block()
  expect((await read()).status).toBe(200)
  await expect.poll(async () => (await read()).status).toBe(200)
  const crowd = Array.from({ length: 12 }, () => call('crowd', 'POST', '/api/v1/query/ask', pressed))
  await until(() => running === 4)
  // A sample may end between the blocking work and the request, and then shows an idle loop.
  let refused = await read()
  for (let blocked = 0; refused.status !== 503 && blocked < BLOCKS_MAX; blocked += 1) {
    await block()
    refused = await read()
  }
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
  expect((await pressed.inject('/healthz')).statusCode).toBe(200)
  expect((await pressed.inject('/readyz')).statusCode).toBe(200)
  await answerAll(crowd)
  await expect.poll(async () => (await read()).status).toBe(200)
  await pressed.close(1000)
})
