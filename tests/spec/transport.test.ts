import { gzipSync } from 'node:zlib'
import { featureOperations, openApi, operations } from '@cairnstore/contract'
import { expect, it } from 'vitest'
import { newSandbox, onEachApp } from '../harness/test-app.ts'

const SANDBOXES = '/api/v1/storage/sandboxes'
const PROFILE = '/api/v1/users/me/profile'
const BODY_BYTES_MAX = 1024 * 1024
const DEEP = 100_000
const MANY = 5_000_000
/** Maximum memory growth while rejecting requests, in KiB: several times what was sent. */
const GROWTH_KIB_MAX = 256 * 1024
const INVALID_UTF8 = [0xff]
/** Half of a surrogate pair in the encoding UTF-8 would use if it were allowed (CESU-8). */
const LONE_SURROGATE = [0xed, 0xa0, 0x80]

/** Fills every parameter of a path. */
function filled(path: string, values: Record<string, string>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? 'x')
}

/** Returns a request to create a sandbox whose name has these bytes. */
function named(bytes: number[]): Buffer {
  return Buffer.concat([Buffer.from('{"owner_id":"o","name":"'), Buffer.from(bytes), Buffer.from('"}')])
}

onEachApp(
  (app) => {
    const open = async () => {
      const { call, key } = await app().newAccount()
      const create = (body: unknown, headers = {}) => call('POST', SANDBOXES, body, headers)
      const count = async () => (await call('GET', SANDBOXES)).body.count as number
      return { call, key, create, count }
    }

    it('every operation except those of the system requires a credential', async () => {
      const { call, count } = await open()
      const { id } = await newSandbox(call)
      for (const { method, path, access } of Object.values(featureOperations)) {
        // The credential is a code in the body.
        if (access === 'public') continue
        const refused = await app().anonymous(method, filled(path, { sandbox_id: id }))
        expect(refused, `${method} ${path}`).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
        expect(refused.headers['www-authenticate']).toMatch(/^Bearer(?: resource_metadata="[^"]+")?$/)
        expect(refused.headers['content-type']).toMatch(/^application\/json/)
        expect(refused.headers['x-request-id']).toBe(refused.body.request_id)
      }
      expect(await count()).toBe(1)
    })

    it('one bearer credential is accepted, in one form', async () => {
      const { key } = await open()
      const basic = Buffer.from(`user:${key}`).toString('base64')
      const refused = [`Basic ${basic}`, 'Bearer', 'Bearer ', `Bearer  ${key}`, key, `Token ${key}`, `Bearer ${key} x`]
      for (const authorization of [...refused, `Bearer ${'x'.repeat(8193)}`, '']) {
        const { status, body } = await app().anonymous('GET', PROFILE, undefined, { authorization })
        expect([status, body.error], authorization.slice(0, 20)).toEqual([401, 'unauthorized'])
      }
      for (const authorization of [`Bearer ${key}`, `bearer ${key}`]) {
        expect((await app().anonymous('GET', PROFILE, undefined, { authorization })).status).toBe(200)
      }
    })

    it('a malformed body is 400, an invalid one 422', async () => {
      const { create, count, call } = await open()
      const unreadable: [string | Buffer, string][] = [
        ['{"name":', 'malformed_json'],
        ["{'name':'x'}", 'malformed_json'],
        ['{"name":"x",}', 'malformed_json'],
        ['{"name":"x","owner_id":"o"} {}', 'malformed_json'],
        [named([0]), 'malformed_json'],
        [named(INVALID_UTF8), 'invalid_utf8'],
        [named(LONE_SURROGATE), 'invalid_utf8'],
        ['{"owner_id":"o","name":"a\\u0000b"}', 'invalid_text'],
        ['{"owner_id":"o","name":"\\ud800"}', 'invalid_text'],
        ['{"owner_id":"o","name":"\\udc00\\ud800"}', 'invalid_text'],
        ['{"owner_id":"o","name":"x","metadata":{"\\u0000":1}}', 'invalid_text'],
        ['{"owner_id":"o","name":"x","metadata":{"__proto__":{"polluted":1}}}', 'forbidden_key'],
        ['{"owner_id":"o","name":"x","__proto__":{"polluted":1}}', 'forbidden_key'],
        ['{"owner_id":"o","name":"x","metadata":{"constructor":{"prototype":{"polluted":1}}}}', 'forbidden_key'],
        ['{"owner_id":"o","name":"x","name":"y"}', 'duplicate_key'],
        ['{"owner_id":"o","name":"x","metadata":{"a":1,"\\u0061":2}}', 'duplicate_key'],
      ]
      for (const [bytes, reason] of unreadable) {
        const refused = await create(bytes)
        expect(refused, String(bytes)).toMatchObject({ status: 400, body: { error: 'bad_request', reason } })
      }
      expect(({} as { polluted?: number }).polluted).toBeUndefined()
      for (const body of ['', '[]', '"text"', 'null', '7', '[{"name":"x","owner_id":"o"}]']) {
        expect(await create(body), body).toMatchObject({ status: 422, body: { error: 'validation_error' } })
      }
      expect((await create('')).body.errors).toHaveLength(2)
      for (const query of ['owner_id=a%00b', 'cursor=%00']) {
        expect(await call('GET', `${SANDBOXES}?${query}`), query).toMatchObject({ status: 400 })
      }
      expect(await count()).toBe(0)
      expect((await create('{"owner_id":"o","name":"\\ud83e\\udea8"}')).body.name).toBe('🪨')
    })

    it('depth, size and number of values of a body are limited', async () => {
      const { create, count, call } = await open()
      const sandbox = await newSandbox(call)
      const residentKiB = process.resourceUsage().maxRSS
      const deep = await create(`{"a":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`)
      expect(deep).toMatchObject({ status: 400, body: { reason: 'too_deep' } })
      const json = '{"name":"x","owner_id":"o"}'
      const over = await create(json.padEnd(BODY_BYTES_MAX + 1))
      expect(over).toMatchObject({ status: 413, body: { error: 'payload_too_large' } })
      const many = await create(`{"a":[${'1,'.repeat(100_000)}1]}`)
      expect(many).toMatchObject({ status: 400, body: { reason: 'too_many_values' } })
      expect(await count()).toBe(1)
      expect((await create(json.padEnd(BODY_BYTES_MAX))).status).toBe(201)
      const array = Buffer.from(`{"records":[${'1,'.repeat(MANY)}1]}`)
      expect((await call('POST', sandbox.records, array)).status).toBe(400)
      const large = Buffer.alloc(16 * BODY_BYTES_MAX + 1, ' ')
      expect((await call('POST', sandbox.records, large)).status).toBe(413)
      expect(process.resourceUsage().maxRSS - residentKiB).toBeLessThan(GROWTH_KIB_MAX)
    })

    it('a record that cannot be stored fails individually, and is never altered', async () => {
      const { call } = await open()
      const sandbox = await newSandbox(call)
      const line = (id: string, text: string) => `{"external_id":"${id}","type":"note","text":"${text}"}\n`
      const invalid = Buffer.from(line('2', '?')).map((byte) => (byte === 0x3f ? 0xff : byte))
      const lines = Buffer.concat([Buffer.from(line('1', 'Good.')), invalid, Buffer.from(line('3', '\\ud800'))])
      const headers = { 'content-type': 'application/x-ndjson', prefer: 'wait=30' }
      const { body } = await call('POST', sandbox.records, lines, headers)
      expect(body).toMatchObject({ status: 'completed', result: { received: 3, written: 1, failed: 2 } })
      expect(body.result.errors).toMatchObject([
        { line: 2, reason: 'invalid_utf8' },
        { line: 3, reason: 'invalid_text' },
      ])
      expect((await call('GET', `${sandbox.storage}/export`)).body).not.toContain('\ufffd')
    })

    it('only uncompressed JSON in UTF-8 is accepted', async () => {
      const { create, count } = await open()
      const json = '{"name":"x","owner_id":"o"}'
      const refused: Record<string, string>[] = [
        { 'content-type': 'text/plain' },
        { 'content-type': '' },
        { 'content-type': 'application/x-www-form-urlencoded' },
        { 'content-type': 'application/x-ndjson' },
        { 'content-type': 'application/json; charset=utf-16' },
        { 'content-encoding': 'gzip' },
        { 'content-encoding': 'br' },
      ]
      for (const headers of refused) {
        const body = headers['content-encoding'] === 'gzip' ? gzipSync(json) : json
        const answer = await create(body, headers)
        expect(answer, JSON.stringify(headers)).toMatchObject({
          status: 415,
          body: { error: 'unsupported_media_type', detail: expect.stringContaining('`application/json`') },
        })
      }
      expect(await count()).toBe(0)
      expect((await create(json, { 'content-type': 'Application/JSON; charset="UTF-8"' })).status).toBe(201)
    })

    it('a 415 lists every media type that the operation accepts', async () => {
      const { call } = await open()
      const { id } = await newSandbox(call)
      const { body: source } = await call('POST', `/api/v1/storage/sandboxes/${id}/sources`, {
        provider: 'slack',
        name: 'S',
        ingestion_mode: 'realtime',
      })
      const sources = `/api/v1/storage/sandboxes/${id}/sources/${source.data_source_id}`
      const headers = { 'content-type': 'text/x-nothing' }
      const detailOf = async (path: string, more: object = {}) => {
        const { status, body } = await call('POST', path, 'x', { ...headers, ...more })
        expect([status, body.error], path).toEqual([415, 'unsupported_media_type'])
        return body.detail as string
      }
      const imported = await detailOf(`/api/v1/storage/sandboxes/${id}/import`, { 'content-encoding': 'br' })
      for (const type of ['application/json', 'application/x-ndjson', ...operations.importKnowledge.body.files])
        expect(imported).toContain(`\`${type}\``)
      expect(await detailOf(`${sources}/records`)).toMatch(/`application\/json` or `application\/x-ndjson`/)
      const delivered = await detailOf(new URL(source.webhook_url).pathname, {
        authorization: `Bearer ${source.webhook_signing_secret}`,
      })
      expect(delivered).toMatch(/`application\/json`/)
    })

    it('serves every operation that its document declares, and the document itself', async () => {
      const { call } = await open()
      const { status, body, headers } = await app().anonymous('GET', '/openapi.json')
      expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^application\/json/)])
      expect(body).toEqual(JSON.parse(JSON.stringify(openApi(operations, body.info.version))))
      expect(body.openapi).toBe('3.1.0')
      const declared = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      )
      const known = Object.values(operations).map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
      expect(declared.sort()).toEqual(known.sort())
      const { id } = await newSandbox(call)
      for (const { method, path, access } of Object.values(operations)) {
        const url = filled(path, { sandbox_id: id })
        const answer = await app().anonymous(method, url)
        const [isPublic, isRead] = [access === 'public', method === 'GET']
        // A callback without a pending consent is rejected, and sign-in needs an identity provider.
        const isCallback = path.startsWith('/api/v1/oauth/callback')
        const isOfProvider = ['login', 'callback', 'backchannel-logout'].some((each) => path === `/api/v1/auth/${each}`)
        const toAll = isCallback ? 400 : isOfProvider ? 404 : isRead ? 200 : 422
        expect(answer.status, `${method} ${url}`).toBe(isPublic ? toAll : 401)
        if (isPublic && isRead && !isCallback && !isOfProvider)
          expect((await app().cairn.http.inject({ method: 'HEAD', url })).statusCode).toBe(200)
      }
    })

    it('the document is complete and cacheable, and counts refresh once per second', async () => {
      const get = (url: string, headers = {}) => app().cairn.http.inject({ method: 'GET', url, headers })
      const { headers, payload } = await get('/openapi.json')
      expect(headers).toMatchObject({ 'cache-control': 'no-cache', etag: expect.stringMatching(/^"[\w-]{43}"$/) })
      const again = await get('/openapi.json', { 'if-none-match': String(headers.etag) })
      expect([again.statusCode, again.payload]).toEqual([304, ''])
      expect((await get('/openapi.json', { 'if-none-match': '"other"' })).payload).toBe(payload)
      // Each request changes the counts, so two replies are equal only if the counts were not recomputed.
      const differ = async () => {
        const counts = await Promise.all(Array.from({ length: 3 }, () => get('/metrics')))
        return new Set(counts.map((one) => one.payload)).size
      }
      await expect.poll(differ).toBe(1)
    })

    it('health and document are public', async () => {
      for (const path of ['/healthz', '/readyz']) {
        expect(await app().anonymous('GET', path)).toMatchObject({ status: 200, body: { status: 'ok' } })
      }
      const page = await app().anonymous('GET', '/docs')
      expect(page.headers['content-type']).toMatch(/^text\/html/)
      const parts = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path as string)
      expect(parts.length).toBeGreaterThan(1)
      for (const path of parts) expect((await app().anonymous('GET', path)).status, path).toBe(200)
      const metrics = await app().admin('GET', '/metrics')
      expect(metrics.headers['content-type']).toMatch(/^text\/plain/)
    })
  },
  { CAIRN_PORT: '0' },
)
