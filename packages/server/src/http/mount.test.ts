import { Readable } from 'node:stream'
import { operation, PathId, Type as T } from '@cairnstore/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { newId } from '../base/id.ts'
import { openLog } from '../base/log.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import { events, jsonLines, reply } from '../tenancy/handler.ts'
import type { HttpApp, HttpHandlers } from './context.ts'
import { type HttpServer, openHttp, TIMEOUTS } from './server.ts'

const audit = { none: 'reads' }
const shared = { tag: 'Things', summary: 'Things', audit, retry: 'safe', status: 200, faults: [] } as const
const path = '/api/v1/storage/sandboxes/:sandbox_id/things'
const params = T.Object({ sandbox_id: PathId('The sandbox.', 'sandbox') })
const Thing = T.Object({ name: T.String() })

const fakeOperations = {
  make: operation({
    ...shared,
    method: 'POST',
    path,
    access: 'editor',
    params,
    body: { json: T.Object({ name: T.String({ minLength: 1 }) }) },
    reply: { json: Thing, location: `${path}/:name` },
    status: 201,
  }),
  list: operation({ ...shared, method: 'GET', path, access: 'viewer', params, reply: { json: Thing } }),
  own: operation({ ...shared, method: 'DELETE', path, access: 'owner', params, reply: { json: Thing } }),
  pour: operation({
    ...shared,
    method: 'POST',
    path: `${path}/lines`,
    access: 'editor',
    params,
    headers: T.Object({ prefer: T.Optional(T.String()) }),
    body: { json: T.Object({ records: T.Array(T.Unknown()) }), ndjson: Thing },
    reply: {
      json: T.Object({ seen: T.Array(T.Unsafe<unknown>({})), wait: T.Unsafe<object>({}) }),
      otherwise: { status: 200, when: 'It is done.' },
    },
    status: 202,
  }),
  tell: operation({
    ...shared,
    method: 'POST',
    path: `${path}/tell`,
    access: 'viewer',
    params,
    body: { json: T.Object({ fail: T.Optional(T.Boolean()), endless: T.Optional(T.Boolean()) }) },
    reply: { json: Thing, stream: 'text/event-stream' },
  }),
  dump: operation({
    ...shared,
    method: 'GET',
    path: `${path}/dump`,
    access: 'viewer',
    params,
    reply: { stream: 'application/x-ndjson' },
  }),
  break: operation({ ...shared, method: 'GET', path: '/api/v1/break', access: 'account', reply: { json: Thing } }),
}

async function* sampleEvents(fail: boolean) {
  yield { event: 'brief', data: { delta: 'a' } }
  if (fail) throw new Fault('unavailable')
  yield { event: 'result', data: { name: 'a', secret: 's' } }
}

/** Sends events until the caller loses its access, which `lose` does after the first one. */
async function* endlessEvents() {
  for (;;) {
    yield { event: 'brief', data: { delta: 'a' } }
    lose()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

let lose = () => {}
const calls: string[] = []
const handlers: HttpHandlers<typeof fakeOperations> = {
  make: async (_, { body }) => {
    calls.push('make')
    return { name: body.name, api_key: 'secret' } as { name: string }
  },
  list: async () => ({ name: 'list' }),
  own: async () => ({ name: 'own' }),
  pour: async (_, { body, lines, wait }) => {
    const seen: unknown[] = body?.records ?? []
    if (lines) for await (const line of lines) seen.push(line)
    const answer = { seen, wait }
    return wait.seconds > 0 ? reply(200, answer) : answer
  },
  tell: async (_, { body, wantsStream }) =>
    wantsStream ? events(body.endless ? endlessEvents() : sampleEvents(body.fail === true)) : { name: 'a' },
  dump: async () => jsonLines(Readable.from([{ a: 1 }, { a: 2 }])),
  break: async () => {
    throw new Error('password=hunter2 in /etc/secret')
  },
}

const sandboxId = newId('sandbox', systemClock)
const url = `/api/v1/storage/sandboxes/${sandboxId}/things`
const foreign = `/api/v1/storage/sandboxes/${newId('sandbox', systemClock)}/things`
const logged: string[] = []
/** Tokens that are revoked, and sandboxes that are no longer shared. */
const lost = new Set<string>()
let http: HttpServer

beforeAll(async () => {
  const ranks = { viewer: 0, editor: 1, owner: 2 }
  http = await openHttp({
    operations: fakeOperations,
    handlers,
    app: { clock: systemClock, log: openLog('error', systemClock, (line) => logged.push(line)) } as HttpApp,
    authenticate: async (token) =>
      token in ranks && !lost.has(token)
        ? { accountId: token, credential: { kind: 'api_key', id: newId('key', systemClock) } }
        : undefined,
    accessOf: async (caller, id) => {
      const rank = ranks[caller.accountId as keyof typeof ranks]
      const allows = (access: keyof typeof ranks) => rank >= ranks[access]
      const access = { allows, sandboxId } as unknown as AccessScope
      return id === sandboxId && !lost.has(sandboxId) ? access : undefined
    },
    isReady: async () => true,
    version: '0.0.0',
    timeouts: { ...TIMEOUTS, lingerMs: 100 },
  })
})

afterAll(() => http.close(1000))

type Request = { as?: string; headers?: Record<string, string | string[]>; payload?: string | Buffer }

function send(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS',
  at: string,
  { as, headers, payload }: Request = {},
) {
  return http.inject({
    method,
    url: at,
    headers: {
      ...(as && { authorization: `Bearer ${as}` }),
      ...(payload !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload !== undefined && { payload }),
  })
}

async function failure(...request: Parameters<typeof send>) {
  const { statusCode, headers, body } = await send(...request)
  const { error, reason, errors, detail, request_id } = JSON.parse(body)
  expect(headers['content-type']).toMatch(/^application\/json/)
  expect(detail).toBeTypeOf('string')
  expect(request_id).toBe(headers['x-request-id'])
  return { status: statusCode, error, reason, errors, headers }
}

const as = 'owner'

describe('credentials', () => {
  test('a missing or malformed credential is 401 with the scheme to use', async () => {
    for (const authorization of [undefined, 'Basic abc', 'Bearer', 'Bearer ', 'Bearer  owner', 'Bearer nobody']) {
      const found = await failure('GET', url, { headers: authorization === undefined ? {} : { authorization } })
      expect(found).toMatchObject({ status: 401, error: 'unauthorized' })
      expect(found.headers['www-authenticate']).toBe('Bearer')
    }
  })
})

describe('a running stream', () => {
  test('ends with the error of a new request once its credential is revoked or its sandbox is not shared', async () => {
    const failures = { viewer: 'unauthorized', [sandboxId]: 'not_found' }
    for (const [what, error] of Object.entries(failures)) {
      lose = () => lost.add(what)
      const headers = { accept: 'text/event-stream' }
      const { payload } = await send('POST', `${url}/tell`, { as: 'viewer', headers, payload: '{"endless":true}' })
      lost.clear()
      expect(payload.split('\n\n').at(-2)).toMatch(new RegExp(`^event: error\ndata: .*"error":"${error}"`))
    }
  })
})

describe('the order of the checks', () => {
  const bad = { payload: '{"name":' }

  test('an unauthenticated caller gets no other error than 401', async () => {
    expect(await failure('POST', url, bad)).toMatchObject({ status: 401 })
    expect(await failure('POST', foreign, { headers: { 'content-type': 'nonsense' }, payload: 'x' })).toMatchObject({
      status: 401,
    })
  })

  test('the access scope is checked before the role, and the role before the body', async () => {
    expect(await failure('POST', foreign, { as: 'viewer', ...bad })).toMatchObject({ status: 404, error: 'not_found' })
    expect(await failure('POST', url, { as: 'viewer', ...bad })).toMatchObject({ status: 403, error: 'forbidden' })
    expect(await failure('POST', url, { as: 'editor', ...bad })).toMatchObject({
      status: 400,
      reason: 'malformed_json',
    })
    expect(await failure('DELETE', url, { as: 'editor' })).toMatchObject({ status: 403 })
  })

  test('an inaccessible sandbox and an id with an impossible form get the same error', async () => {
    const answers = await Promise.all(
      [foreign, '/api/v1/storage/sandboxes/..%2fx/things', `/api/v1/storage/sandboxes/${'x'.repeat(500)}/things`].map(
        async (at) => {
          const { error, detail } = JSON.parse((await send('GET', at, { as })).body)
          return { error, detail }
        },
      ),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toMatchObject({ error: 'not_found' })
  })

  test('the handler runs only if all checks passed', async () => {
    calls.length = 0
    await send('POST', url, { as, payload: '{"name":""}' })
    expect(calls).toEqual([])
  })
})

describe('replies', () => {
  test('fields that the schema does not declare are not sent', async () => {
    const made = await send('POST', url, { as, payload: '{"name":"a b"}' })
    expect(made.json()).toEqual({ name: 'a b' })
    expect(made.headers.location).toBe(`${url}/a%20b`)
  })

  test('an unexpected error returns only its request id, and the log does not contain request text', async () => {
    logged.length = 0
    const { body, statusCode } = await send('GET', '/api/v1/break', { as })
    expect(statusCode).toBe(500)
    expect(body).not.toContain('hunter2')
    expect(logged.join('')).toContain(JSON.parse(body).request_id)
    expect(logged.join('')).not.toContain('hunter2')
  })

  test('every reply has the security headers, and the caller’s request id if it is valid', async () => {
    const { headers } = await send('GET', url, { as, headers: { 'x-request-id': 'abc.1-2_3' } })
    expect(headers).toMatchObject({
      'x-request-id': 'abc.1-2_3',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(headers['access-control-allow-origin']).toBeUndefined()
    for (const insane of ['a b', '\u001b[31m', 'x'.repeat(10_000)]) {
      expect((await send('GET', url, { as, headers: { 'x-request-id': insane } })).headers['x-request-id']).not.toBe(
        insane,
      )
    }
  })
})

describe('streams', () => {
  test('lines are passed one by one, an invalid one as an error', async () => {
    const payload = '{"a":1}\n\n{"a":\r\n{"a":1,"a":2}\n{"a":3}'
    const found = await send('POST', `${url}/lines`, {
      as,
      payload,
      headers: { 'content-type': 'application/x-ndjson' },
    })
    expect(found.statusCode).toBe(202)
    expect(found.json().seen).toMatchObject([
      { line: 1, value: { a: 1 } },
      { line: 3, error: { reason: 'malformed_json' } },
      { line: 4, error: { reason: 'duplicate_key' } },
      { line: 5, value: { a: 3 } },
    ])
  })

  test('the wait preference is parsed and bounded', async () => {
    const payload = '{"records":[1]}'
    for (const [prefer, seconds, isForVectors] of [
      ['wait=5', 5, false],
      ['respond-async, wait=900', 60, false],
      ['Reading;WAIT=5', 5, true],
      ['wait=x', 0, false],
    ] as const) {
      const found = await send('POST', `${url}/lines`, { as, payload, headers: { prefer } })
      expect(found.json()).toEqual({ seen: [1], wait: { seconds, isForVectors } })
      expect(found.statusCode).toBe(seconds > 0 ? 200 : 202)
    }
  })

  test('events are sent to a caller that accepts them, without undeclared fields', async () => {
    const headers = { accept: 'text/event-stream' }
    const found = await send('POST', `${url}/tell`, { as, headers })
    expect(found.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(found.body).toBe('event: brief\ndata: {"delta":"a"}\n\nevent: result\ndata: {"name":"a"}\n\n')
    expect((await send('POST', `${url}/tell`, { as })).json()).toEqual({ name: 'a' })
  })

  test('an error during a stream is its last event', async () => {
    const headers = { accept: 'text/event-stream' }
    const found = await send('POST', `${url}/tell`, { as, headers, payload: '{"fail":true}' })
    const last = found.body.trim().split('\n\n').at(-1)!
    expect(last).toMatch(/^event: error\ndata: /)
    expect(JSON.parse(last.split('data: ')[1]!)).toMatchObject({ error: 'unavailable' })
  })

  test('an export is NDJSON', async () => {
    const found = await send('GET', `${url}/dump`, { as })
    expect(found.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
    expect(found.body).toBe('{"a":1}\n{"a":2}\n')
    const head = await http.inject({ method: 'HEAD', url: `${url}/dump`, headers: { authorization: 'Bearer owner' } })
    expect(head).toMatchObject({ statusCode: 200, body: '' })
  })
})

describe('the service itself', () => {
  test('health, readiness, metrics, document and its page need no credential', async () => {
    expect((await send('GET', '/healthz')).json()).toEqual({ status: 'ok' })
    expect((await send('GET', '/readyz')).json()).toEqual({ status: 'ok' })
    expect((await send('GET', '/metrics')).body).toContain('cairn_http_request_duration_seconds')
    expect((await send('GET', '/openapi.json')).json().openapi).toBe('3.1.0')
    const page = await send('GET', '/docs')
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    const parts = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map((found) => found[1]!)
    expect(parts.every((part) => part.startsWith('/docs/'))).toBe(true)
    for (const part of parts) expect((await send('GET', part)).statusCode).toBe(200)
  })
})
