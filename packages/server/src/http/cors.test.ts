import { headersOf, operations } from '@cairnstore/contract'
import fastify from 'fastify'
import { expect, it } from 'vitest'
import { allowOrigins } from './safe-headers.ts'

const SITE = 'https://app.example'

async function open(origins: readonly string[]) {
  const server = fastify()
  await allowOrigins(server, origins)
  server.get('/thing', async () => ({ ok: true }))
  server.get('/refused', async (_, reply) => reply.code(429).header('retry-after', '3').send({ error: 'rate_limited' }))
  return server
}

const ask = (origin: string) => ({
  method: 'OPTIONS' as const,
  url: '/thing',
  headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
})

it('pages of allowed origins can call the API and read the headers they need, also on errors', async () => {
  const server = await open([SITE, 'http://localhost:3000'])
  const asked = await server.inject(ask(SITE))
  expect([asked.statusCode, asked.headers['access-control-allow-origin']]).toEqual([204, SITE])
  expect(asked.headers['access-control-allow-headers']).toContain('Authorization')
  const { headers } = await server.inject({ url: '/refused', headers: { origin: SITE } })
  expect(headers['access-control-allow-origin']).toBe(SITE)
  expect(headers['access-control-expose-headers']).toContain('Retry-After')
  expect(headers).not.toHaveProperty('access-control-allow-credentials')
})

it('pages of other origins, also similar ones, are not allowed', async () => {
  const server = await open([SITE])
  for (const origin of ['https://other.example', 'http://app.example', `${SITE}.evil.example`, 'null']) {
    const { headers } = await server.inject({ url: '/thing', headers: { origin } })
    expect(headers).not.toHaveProperty('access-control-allow-origin')
    const asked = await server.inject(ask(origin))
    expect([asked.statusCode, asked.headers['access-control-allow-methods']]).toEqual([404, undefined])
  }
})

it('where no site is listed nothing says that any may', async () => {
  const server = await open([])
  const { headers } = await server.inject({ url: '/thing', headers: { origin: SITE } })
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control') || name === 'vary')).toEqual([])
  expect((await server.inject(ask(SITE))).statusCode).toBe(404)
})

it('every header of an operation is allowed', async () => {
  const server = await open([SITE])
  const allowed = String((await server.inject(ask(SITE))).headers['access-control-allow-headers']).toLowerCase()
  const known = Object.entries(operations).flatMap(([id, each]) => (/Mcp/.test(id) ? [] : Object.keys(headersOf(each))))
  // The browser sets Accept-Encoding itself.
  const ours = known.filter((name) => name !== 'accept-encoding')
  expect(ours.filter((name) => !allowed.split(', ').includes(name))).toEqual([])
})
