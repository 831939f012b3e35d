import { once } from 'node:events'
import { connect } from 'node:net'
import { featureOperations, operations } from '@cairnstore/contract'
import { beforeAll, expect, it } from 'vitest'
import { newId } from '../../../packages/server/src/base/id.ts'
import { newSandbox, onEachApp, putRecords } from '../../harness/test-app.ts'

const SANDBOXES = '/api/v1/storage/sandboxes'
const PROFILE = '/api/v1/users/me/profile'
const ESCAPE = '\u001b'
const CURSOR_CHARS = 3_000

interface QueryShape {
  properties?: object
  required?: string[]
}

/** Fills every parameter of a path. */
function filled(path: string, values: Record<string, string>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? 'x')
}

/** Sends bytes to a port and returns everything received until the connection is closed. */
function sendRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text
    })
    socket.once('error', reject).once('close', () => resolve(answer))
  })
}

onEachApp(
  (app) => {
    let port: number
    beforeAll(async () => {
      port = Number(new URL(await app().cairn.listen()).port)
    })

    it('an invalid HTTP request gets an error in the usual format', async () => {
      const { call, key } = await app().newAccount()
      const auth = `Authorization: Bearer ${key}\r\n`
      const get = `GET ${PROFILE} HTTP/1.1\r\nConnection: close\r\n`
      const post = `POST ${SANDBOXES} HTTP/1.1\r\nHost: a\r\n${auth}Content-Type: application/json\r\n`
      const json = '{"name":"x","owner_id":"o"}'
      const cases: [string, number][] = [
        [`${get}Host: a\r\n${auth}\r\n`, 200],
        [`${get}Host: a\r\n${auth}${auth}\r\n`, 400],
        [`${get}${auth}\r\n`, 400],
        [`${get}Host: a\r\nHost: b\r\n${auth}\r\n`, 400],
        [`${get}Host: a\r\n${auth}X-Big: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
        [`${get}Host: a\r\n${auth}X-Big: ${'x'.repeat(200_000)}\r\n\r\n`, 431],
        [`GET /${'x'.repeat(18_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 414],
        [`GET ${SANDBOXES}?owner_id=${'x'.repeat(60_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 414],
        [`${post}Content-Length: ${json.length}\r\nTransfer-Encoding: chunked\r\n\r\n${json}`, 400],
        [`${post}Content-Length: ${json.length}\r\nContent-Length: 5\r\n\r\n${json}`, 400],
        [`${post}Content-Length: +5\r\n\r\n${json}`, 400],
        [`${post}Transfer-Encoding: gzip, chunked\r\n\r\n${json}`, 400],
        [`GET ${SANDBOXES}/../../x HTTP/1.1\r\nConnection: close\r\nHost: a\r\n${auth}\r\n`, 404],
        ['nonsense\r\n\r\n', 400],
      ]
      for (const [bytes, status] of cases) {
        const answer = await sendRaw(port, bytes)
        expect(answer, bytes.slice(0, 200)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
        const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
        if (status !== 200) expect(body).toMatchObject({ error: expect.any(String), request_id: expect.any(String) })
      }
      expect((await call('GET', SANDBOXES)).body.count).toBe(0)
    })

    it('a malformed id gives the same reply as a missing one, on every path', async () => {
      const { call } = await app().newAccount()
      const sandbox = await newSandbox(call)
      await putRecords(call, sandbox, [{ external_id: '1', type: 'note', text: 'Hello.', author: 'Ann' }])
      const uuid = '7B0E4C1E-6A3F-4F0E-9A3E-2F5D8C1B9A10'
      const shapes = ['%2e%2e%2fx', 'a%2fb', '%00', 'x'.repeat(500), 'x'.repeat(2000), '%zz', '%ff', uuid, '1', "'--"]
      for (const { method, path, access, body } of Object.values(
        operations,
      ) as (typeof featureOperations.createProject)[]) {
        for (const name of path.match(/:\w+/g) ?? []) {
          const own = { sandbox_id: sandbox.id, source_id: sandbox.source }
          for (const shape of [...shapes, sandbox.id.toUpperCase(), `${sandbox.id}%20`]) {
            const url = filled(path, { ...own, [name.slice(1)]: shape })
            const as = String(access) === 'admin' ? app().admin : call
            const { status, body: reply } = await as(method, url, body?.example)
            // An unknown webhook address gets the same reply as a wrong secret.
            const missing = name === ':slug' ? 401 : 404
            expect([400, missing, 414], `${method} ${url} ${JSON.stringify(reply)}`).toContain(status)
          }
        }
      }
      expect((await call('GET', `${SANDBOXES}?owner_id=${'x'.repeat(9000)}`)).status).toBe(414)
      expect((await call('GET', sandbox.storage)).status).toBe(200)
    })

    it('a path lists its methods, and no other path exists', async () => {
      const { call } = await app().newAccount()
      const { storage } = await newSandbox(call)
      const wrong = [
        ['PUT', SANDBOXES, 'GET, HEAD, POST'],
        ['DELETE', SANDBOXES, 'GET, HEAD, POST'],
        ['PUT', storage, 'DELETE, GET, HEAD, PATCH'],
        ['GET', `${storage}/ingest`, 'POST'],
        ['POST', '/healthz', 'GET, HEAD'],
      ] as const
      for (const [method, path, allow] of wrong) {
        const refused = await call(method, path, method === 'GET' ? undefined : {})
        expect(refused, `${method} ${path}`).toMatchObject({ status: 405, body: { error: 'method_not_allowed' } })
        expect(refused.headers.allow).toBe(allow)
      }
      const unknown = ['/api', '/api/v1', '/api/v2/storage/sandboxes', `${SANDBOXES}/`, `${storage}/`, '/Healthz']
      for (const path of unknown) {
        const { status, body, headers } = await call('GET', path)
        expect([status, body.error], path).toEqual([404, 'not_found'])
        expect(headers).not.toHaveProperty('location')
      }
    })

    it('a known query parameter may occur once and is validated, an unknown one is ignored', async () => {
      const { call } = await app().newAccount()
      const { call: other } = await app().newAccount()
      for (const name of ['One', 'Two', 'Three']) await newSandbox(call, name)
      const list = (query: string) => call('GET', `${SANDBOXES}?${query}`)
      const refused = ['0', '-1', '1001', '1e3', 'abc', '', '1.5', ' 1', '0x1', '99999999999999999999']
      for (const limit of [...refused.map((value) => `limit=${encodeURIComponent(value)}`)]) {
        expect(await list(limit), limit).toMatchObject({ status: 422, body: { error: 'validation_error' } })
      }
      for (const query of ['status=active&status=archived', 'limit=1&limit=1', 'owner_id=a&owner_id=b', 'status=x']) {
        expect((await list(query)).status, query).toBe(422)
      }
      const { status, body } = await list('limit=2&__proto__=x&constructor=x&colour=red&colour=blue&limit%5B%5D=1')
      expect([status, body.count]).toEqual([200, 2])

      const cursor: string = body.next_cursor
      expect((await list(`limit=2&cursor=${cursor}`)).body.count).toBe(1)
      const forged = [
        `${cursor}A`,
        cursor.slice(1),
        `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`,
        'x'.repeat(CURSOR_CHARS),
        `${cursor}${'A'.repeat(CURSOR_CHARS)}`,
        '',
        'null',
        '%2e%2e%2f',
      ]
      // Skip operations with other required parameters, which would be rejected for those.
      const paths = Object.values(featureOperations).filter((operation) => {
        const { properties = {}, required = [] } = (operation as { query?: QueryShape }).query ?? {}
        return 'cursor' in properties && required.length === 0
      })
      expect(paths.length).toBeGreaterThan(3)
      const { id, source } = await newSandbox(call, 'Four')
      const { clock } = app()
      const values = {
        sandbox_id: id,
        source_id: source,
        webhook_id: newId('webhook', clock),
        job_id: newId('job', clock),
      }
      for (const { path, access } of paths) {
        for (const each of [...forged, cursor].slice(0, path === SANDBOXES ? forged.length : undefined)) {
          const url = `${filled(path, values)}?cursor=${each}`
          const as = access === 'admin' ? app().admin : call
          expect(await as('GET', url), url).toMatchObject({
            status: 400,
            body: { error: 'bad_request', reason: 'invalid_cursor' },
          })
        }
      }
      expect(await other('GET', `${SANDBOXES}?limit=2&cursor=${cursor}`)).toMatchObject({ status: 400 })
      expect(await list(`limit=2&status=active&cursor=${cursor}`)).toMatchObject({ status: 400 })
      expect((await list(`cursor=${cursor}&cursor=${cursor}`)).status).toBe(422)
    })

    it('a valid request id is accepted, any other is not, and each is logged on one line', async () => {
      const { call } = await app().newAccount()
      const given = async (id: string) => {
        const { body, headers } = await call('GET', '/none', undefined, { 'x-request-id': id })
        expect(headers['x-request-id']).toBe(body.request_id)
        return body.request_id
      }
      for (const id of ['req-1', 'a'.repeat(64), 'A_b.c-9']) expect(await given(id)).toBe(id)
      for (const id of ['a\r\nX: y', `${ESCAPE}[31mred`, 'x'.repeat(10_000), 'a'.repeat(65), 'a b', '', 'ü', '<b>']) {
        expect(await given(id), id.slice(0, 80)).toMatch(/^[\w.-]{1,64}$/)
      }
      expect(await given('x y')).not.toBe(await given('x y'))
      const wire = await sendRaw(
        port,
        `GET /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Request-Id: a\rb${ESCAPE}[2J\r\n\r\n`,
      )
      expect(wire).toMatch(/^HTTP\/1\.1 40[04] /)
      expect(wire).not.toContain(ESCAPE)
      for (const line of app().logged) {
        for (const part of ['\r', '\n', ESCAPE]) expect(line.trimEnd().includes(part)).toBe(false)
      }
    })

    it('a delivery whose sender disconnects counts what it stored, ends, and can be repeated', async () => {
      const { call, key } = await app().newAccount()
      const sandbox = await newSandbox(call)
      const lines = Array.from({ length: 1_300 }, (_, at) =>
        JSON.stringify({ external_id: String(at), type: 'note', text: `Note ${at}.` }),
      )
      const socket = connect(port, '127.0.0.1')
      const head = `POST ${sandbox.records} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`
      const body = `${lines.join('\n')}\n`
      socket.write(`${head}Content-Type: application/x-ndjson\r\nContent-Length: ${body.length + 9}\r\n\r\n${body}`)
      const jobs = () =>
        app().cairn.app.sql.transact({ worker: true }, (tx) =>
          tx.selectFrom('job').selectAll().where('sandbox_id', '=', sandbox.id).execute(),
        )
      await expect.poll(async () => (await jobs())[0]?.total_chunks ?? 0).toBe(2)
      socket.destroy()
      await once(socket, 'close')
      await expect.poll(async () => (await jobs())[0]?.status).toBe('completed')
      const [job] = await jobs()
      const shown = await call('GET', `${sandbox.storage}/ingest/${job!.id}`)
      expect(shown.body).toMatchObject({
        status: 'completed',
        error_message: expect.stringContaining('interrupted'),
        result: { received: 1_000, written: 1_000, failed: 0 },
      })
      const whole = await call('POST', sandbox.records, body, {
        'content-type': 'application/x-ndjson',
        prefer: 'wait=30',
      })
      expect(whole.body).toMatchObject({ status: 'completed', result: { received: 1_300 } })
      const records = String((await call('GET', `${sandbox.storage}/export`)).body).split('\n')
      expect(records.filter((line) => line.includes('"kind":"record"'))).toHaveLength(1_300)
    })
  },
  { CAIRN_PORT: '0' },
)
