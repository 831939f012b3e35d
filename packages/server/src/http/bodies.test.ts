import { connect, type Socket } from 'node:net'
import { operation, Type as T } from '@cairnstore/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { newId } from '../base/id.ts'
import { openLog } from '../base/log.ts'
import { type BodyQuota, openBodyQuota } from './body-quota.ts'
import type { HttpApp, HttpHandlers } from './context.ts'
import { type HttpServer, openHttp } from './server.ts'

const Any = T.Object({}, { additionalProperties: true })
const take = operation({
  tag: 'Things',
  summary: 'Things',
  audit: { none: 'reads' },
  retry: 'safe',
  faults: [],
  method: 'POST',
  path: '/api/v1/take',
  access: 'account',
  body: { json: Any, ndjson: Any },
  reply: { json: Any },
  status: 200,
})
const fakeOperations = { take }

const handlers: HttpHandlers<typeof fakeOperations> = {
  take: async (_, { lines }) => {
    if (lines) for await (const _ of lines);
    return {}
  },
}

const KIB = 1024
/** Number of large bodies that the memory quota counts. */
let held = 0

/** Wraps a memory quota to count its reservations of nonzero size. */
function counting(budget: BodyQuota): BodyQuota {
  return {
    reserve: (holder, bytes) => {
      const one = budget.reserve(holder, bytes)
      let isCounted = bytes > 0
      if (isCounted) held += 1
      return {
        resize: (next) => {
          one.resize(next)
          if (!isCounted && next > 0) held += 1
          isCounted ||= next > 0
        },
        release: () => {
          one.release()
          if (isCounted) held -= 1
          isCounted = false
        },
      }
    },
  }
}

let http: HttpServer
let port: number
beforeAll(async () => {
  const budget = (bytes: number, bytesOfHolder: number) => openBodyQuota({ bytes, bytesOfHolder })
  http = await openHttp({
    operations: fakeOperations,
    handlers,
    app: { clock: systemClock, log: openLog('silent', systemClock, () => {}) } as HttpApp,
    authenticate: async (token) => ({
      accountId: token,
      credential: { kind: 'api_key', id: newId('key', systemClock) },
    }),
    accessOf: async () => undefined,
    isReady: async () => true,
    version: '0.0.0',
    timeouts: { headersMs: 15_000, bodyMs: 15_000, streamIdleMs: 15_000, checkMs: 1_000, lingerMs: 200 },
    bodyQuotas: {
      large: counting(budget(500 * KIB, 300 * KIB)),
      small: budget(64 * KIB, 32 * KIB),
      unknown: budget(1, 1),
    },
  })
  port = Number(new URL(await http.listen('127.0.0.1', 0)).port)
})
afterAll(() => http.close(1000))

/** Sends the headers of a request and only a part of its body. */
function begin(account: string, headers: string, part = '{'): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.write(`POST /api/v1/take HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${account}\r\n${headers}\r\n${part}`)
  return socket
}

const JSON_TYPE = 'Content-Type: application/json\r\n'
const declared = (bytes: number) => `${JSON_TYPE}Content-Length: ${bytes}\r\n`

async function send(account: string, bytes: number) {
  const payload = JSON.stringify({ text: 'x'.repeat(bytes - 11) })
  const headers = { authorization: `Bearer ${account}`, 'content-type': 'application/json' }
  const { statusCode, headers: replied } = await http.inject({ method: 'POST', url: '/api/v1/take', payload, headers })
  return [statusCode, replied['retry-after']]
}

/** Resolves once this many started bodies are counted. A probe request would itself use the quota. */
const counted = (bodies = 1) => expect.poll(() => held).toBe(bodies)

const eventually = (account: string, bytes: number) => expect.poll(() => send(account, bytes), { interval: 20 })

it('a body reserves its declared length before it is read, per account and in total', async () => {
  const slow = begin('a', declared(250 * KIB))
  await counted()
  await eventually('a', 100 * KIB).toEqual([429, '1'])
  expect(await send('b', 240 * KIB)).toEqual([200, undefined])
  const other = begin('b', declared(250 * KIB))
  await counted(2)
  await eventually('c', 100 * KIB).toEqual([503, '1'])
  expect(await send('c', 1 * KIB), 'small bodies have a separate quota').toEqual([200, undefined])
  slow.destroy()
  await eventually('c', 100 * KIB).toEqual([200, undefined])
  other.destroy()
  await counted(0)
})

it('a body without a length, and a line of a stream, reserve memory as they arrive', async () => {
  const size = (200 * KIB).toString(16)
  const chunked = begin('a', `${JSON_TYPE}Transfer-Encoding: chunked\r\n`, `${size}\r\n${' '.repeat(200 * KIB)}\r\n`)
  await counted()
  await eventually('a', 150 * KIB).toEqual([429, '1'])
  chunked.destroy()
  await eventually('a', 150 * KIB).toEqual([200, undefined])
  const type = 'Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n'
  const lines = begin('a', type, `${size}\r\n${' '.repeat(200 * KIB)}\r\n`)
  await counted()
  await eventually('a', 150 * KIB).toEqual([429, '1'])
  lines.destroy()
  await counted(0)
})
