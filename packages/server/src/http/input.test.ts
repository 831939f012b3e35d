import { FreeForm, listing, operation, PathId, Type as T } from '@cairnstore/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { newId } from '../base/id.ts'
import { openLog } from '../base/log.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import type { HttpApp, HttpHandlers } from './context.ts'
import { type HttpServer, openHttp } from './server.ts'

const shared = { tag: 'Things', summary: 'Things', audit: { none: 'reads' }, retry: 'safe', faults: [] } as const
const path = '/api/v1/storage/sandboxes/:sandbox_id/things'
const params = { sandbox_id: PathId('The sandbox.', 'sandbox') }
const note = T.Optional(T.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 9 }))
const Thing = T.Object({ name: T.String(), note })

const fakeOperations = {
  make: operation({
    ...shared,
    method: 'POST',
    path,
    access: 'editor',
    params: T.Object(params),
    body: {
      json: T.Object({
        name: T.String({ minLength: 1, maxLength: 255 }),
        note,
        size: T.Optional(T.Integer({ maximum: 10 })),
        metadata: T.Optional(FreeForm('Anything.')),
      }),
    },
    reply: { json: Thing },
    status: 201,
  }),
  list: operation({
    ...shared,
    method: 'GET',
    path,
    access: 'viewer',
    params: T.Object(params),
    query: listing(T.Null(), { kind: T.Optional(T.String({ maxLength: 9 })), deep: T.Optional(T.Boolean()) }).query,
    reply: { json: T.Object({ query: T.Unsafe<unknown>({}) }) },
    status: 200,
  }),
  find: operation({
    ...shared,
    method: 'GET',
    path: `${path}/:source_id`,
    access: 'viewer',
    params: T.Object({ ...params, source_id: PathId('The source.', 'source') }),
    reply: { json: Thing },
    status: 200,
  }),
}

const handlers: HttpHandlers<typeof fakeOperations> = {
  make: async (_, { body }) => ({ name: body.name, note: body.note }),
  list: async (_, { query }) => ({ query }),
  find: async () => ({ name: 'found' }),
}

const url = path.replace(':sandbox_id', newId('sandbox', systemClock))
let http: HttpServer

beforeAll(async () => {
  http = await openHttp({
    operations: fakeOperations,
    handlers,
    app: { clock: systemClock, log: openLog('silent', systemClock, () => {}) } as HttpApp,
    authenticate: async () => ({ accountId: 'acct_1', credential: { kind: 'api_key', id: newId('key', systemClock) } }),
    accessOf: async () => ({ allows: () => true }) as unknown as AccessScope,
    isReady: async () => true,
    version: '0.0.0',
  })
})

afterAll(() => http.close(1000))

type Request = { headers?: Record<string, string>; payload?: string }

function send(method: 'GET' | 'POST' | 'PATCH' | 'OPTIONS', at: string, { headers, payload }: Request = {}) {
  const typed = payload === undefined ? {} : { 'content-type': 'application/json' }
  return http.inject({
    method,
    url: at,
    headers: { authorization: 'Bearer x', ...typed, ...headers },
    ...(payload !== undefined && { payload }),
  })
}

async function failure(...request: Parameters<typeof send>) {
  const { statusCode, headers, body } = await send(...request)
  return { status: statusCode, headers, ...JSON.parse(body) }
}

describe('bodies', () => {
  test('an empty JSON body counts as absent, so missing fields are named', async () => {
    const missing = [{ loc: ['body', 'name'], type: 'missing', msg: 'This is required.' }]
    const headers = { 'content-type': 'application/json' }
    expect(await failure('POST', url, { headers })).toMatchObject({ status: 422, errors: missing })
    expect(await failure('POST', url, { payload: '' })).toMatchObject({ status: 422, errors: missing })
  })

  test('an array, a string or null is not an object', async () => {
    for (const payload of ['[]', '"x"', 'null']) {
      expect(await failure('POST', url, { payload })).toMatchObject({
        status: 422,
        errors: [{ loc: ['body'], type: 'wrong_type' }],
      })
    }
  })

  test('nothing is coerced: a number is not a name and an empty string is not null', async () => {
    expect((await failure('POST', url, { payload: '{"name":12}' })).status).toBe(422)
    expect((await failure('POST', url, { payload: '{"name":null}' })).status).toBe(422)
    expect((await failure('POST', url, { payload: '{"name":"a","size":"7"}' })).status).toBe(422)
    expect((await send('POST', url, { payload: '{"name":"a","note":""}' })).json()).toEqual({ name: 'a', note: '' })
    expect((await send('POST', url, { payload: '{"name":"a","note":null}' })).json()).toEqual({
      name: 'a',
      note: null,
    })
  })

  test('characters are counted as code points', async () => {
    expect((await send('POST', url, { payload: JSON.stringify({ name: '🦆'.repeat(255) }) })).statusCode).toBe(201)
    expect((await failure('POST', url, { payload: JSON.stringify({ name: '🦆'.repeat(256) }) })).status).toBe(422)
  })

  test('rejected values and unknown keys are never echoed', async () => {
    const payload = JSON.stringify({
      name: 'n'.repeat(300),
      note: 'hunter2-hunter2',
      metadata: { hunter2: 'x'.repeat(17_000) },
    })
    const { body } = await send('POST', url, { payload })
    expect(body).not.toContain('hunter2')
    expect(JSON.parse(body).errors.map(({ loc }: { loc: string[] }) => loc.join('.'))).toEqual([
      'body.name',
      'body.note',
      'body.metadata',
    ])
  })

  test('free-form fields are bounded in size, depth and numbers', async () => {
    const metadata = (json: string) => send('POST', url, { payload: `{"name":"a","metadata":${json}}` })
    expect((await metadata(`${'{"a":'.repeat(31)}{}${'}'.repeat(31)}`)).statusCode).toBe(201)
    expect((await metadata(`${'{"a":'.repeat(32)}{}${'}'.repeat(32)}`)).statusCode).toBe(422)
    expect((await metadata('{"a":1e400}')).statusCode).toBe(422)
    expect((await metadata('[]')).statusCode).toBe(422)
  })

  test('only uncompressed JSON in UTF-8 is accepted', async () => {
    const payload = '{"name":"a"}'
    const types = ['text/plain', 'application/json; charset=utf-16', 'application/x-ndjson', 'nonsense', '']
    for (const type of types) {
      const headers = { 'content-type': type }
      expect(await failure('POST', url, { payload, headers })).toMatchObject({ status: 415 })
    }
    const compressed = { 'content-encoding': 'gzip' }
    expect(await failure('POST', url, { payload, headers: compressed })).toMatchObject({ status: 415 })
    const headers = { 'content-type': 'application/json; charset=UTF-8' }
    expect((await send('POST', url, { payload, headers })).statusCode).toBe(201)
  })

  test('a body over the limit is 413, declared or not', async () => {
    const payload = `{"name":"${'a'.repeat(1024 * 1024)}"}`
    expect(await failure('POST', url, { payload })).toMatchObject({ status: 413, error: 'payload_too_large' })
  })
})
describe('query strings', () => {
  test('numbers and booleans are read, unknown keys are ignored', async () => {
    const { query } = (await send('GET', `${url}?limit=7&deep=true&kind=5&other=1&__proto__=x`)).json()
    expect(query).toEqual({ limit: 7, deep: true, kind: '5' })
  })

  test('out-of-range, repeated or non-numeric values are 422', async () => {
    for (const query of [
      'limit=0',
      'limit=-1',
      'limit=1001',
      'limit=1e3',
      'limit=abc',
      'limit=',
      'kind=a&kind=b',
      'deep=1',
    ]) {
      expect(await failure('GET', `${url}?${query}`)).toMatchObject({ status: 422, error: 'validation_error' })
    }
  })

  test('a NUL is 400', async () => {
    expect(await failure('GET', `${url}?kind=%00`)).toMatchObject({ status: 400, reason: 'invalid_text' })
  })
})
describe('paths', () => {
  test('an unknown path and a trailing slash are 404, a wrong method is 405 with the allowed ones', async () => {
    expect(await failure('GET', '/api/v1/nothing')).toMatchObject({ status: 404 })
    expect(await failure('GET', `${url}/`)).toMatchObject({ status: 404 })
    const found = await failure('PATCH', url)
    expect(found).toMatchObject({ status: 405, error: 'method_not_allowed' })
    expect(found.headers.allow).toBe('GET, HEAD, POST')
    expect((await send('OPTIONS', url)).statusCode).toBe(405)
  })

  test('invalid percent-encoding is 400 and a very long URL 414', async () => {
    expect(await failure('GET', '/api/v1/storage/sandboxes/%zz/things')).toMatchObject({ status: 400 })
    expect(await failure('GET', `${url}/${'x'.repeat(2000)}`)).toMatchObject({
      status: 414,
      error: 'uri_too_long',
    })
    expect(await failure('GET', `${url}?kind=${'x'.repeat(9000)}`)).toMatchObject({ status: 414 })
  })

  test('an id with an impossible form is 404', async () => {
    for (const id of ['SRC_1', '%2e%2e%2fx', 'src_%00', `${newId('source', systemClock)}x`]) {
      expect(await failure('GET', `${url}/${id}`)).toMatchObject({ status: 404 })
    }
    expect((await send('GET', `${url}/${newId('source', systemClock)}`)).statusCode).toBe(200)
  })
})
