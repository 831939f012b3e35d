import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { openLog } from '../base/log.ts'
import type { HttpApp } from './context.ts'
import { openHttp } from './server.ts'

const AT_ONCE = 40
const WAITING_MAX = 100

const open = () =>
  openHttp({
    operations: {},
    handlers: {},
    app: { clock: systemClock, log: openLog('silent', systemClock, () => {}) } as HttpApp,
    authenticate: async () => undefined,
    accessOf: async () => undefined,
    isReady: async () => true,
    version: '0.0.0',
  })

it('the document has an accepted encoding with its own ETag', async () => {
  const http = await open()
  const get = (headers: Record<string, string> = {}) => http.inject({ method: 'GET', url: '/openapi.json', headers })
  const plain = await get()
  const tags = new Set([plain.headers.etag])
  const unpack = { br: brotliDecompressSync, gzip: gunzipSync } as const
  for (const encoding of ['br', 'gzip'] as const) {
    const reply = await get({ 'accept-encoding': `deflate, ${encoding};q=0.5` })
    expect(reply.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' })
    expect(unpack[encoding](reply.rawPayload).toString()).toBe(plain.payload)
    expect(reply.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4)
    tags.add(reply.headers.etag)
    const known = { 'accept-encoding': encoding, 'if-none-match': String(reply.headers.etag) }
    const { statusCode, payload, headers } = await get(known)
    expect([statusCode, payload, headers['content-encoding']]).toEqual([304, '', undefined])
  }
  expect(tags.size).toBe(3)
  expect((await get({ 'accept-encoding': 'br;q=0, gzip;q=0.0' })).headers['content-encoding']).toBeUndefined()
})

it('an address with too many requests waits or is rejected, without delaying others', async () => {
  const http = await open()
  const get = (url: string, remoteAddress: string) => http.inject({ method: 'GET', url, remoteAddress })
  let answered = 0
  const all = Array.from({ length: AT_ONCE + WAITING_MAX + 20 }, (_, at) =>
    get(['/openapi.json', '/metrics', '/docs'][at % 3]!, '203.0.113.1').then((reply) => {
      answered += 1
      return reply
    }),
  )
  expect((await get('/openapi.json', '203.0.113.2')).statusCode).toBe(200)
  expect((await get('/healthz', '203.0.113.1')).statusCode).toBe(200)
  expect(answered).toBeLessThan(AT_ONCE + WAITING_MAX)
  await http.drain(0)
  const refused = (await Promise.all(all)).filter(({ statusCode }) => statusCode === 429)
  expect(refused.length).toBeGreaterThanOrEqual(10)
  expect(refused[0]!.headers['retry-after']).toBe('10')
})
