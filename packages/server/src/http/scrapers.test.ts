import type { Operations } from '@cairnstore/contract'
import { expect, it } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { sha256 } from '../base/digest.ts'
import { newId } from '../base/id.ts'
import { openLog } from '../base/log.ts'
import type { HttpApp } from './context.ts'
import { type HttpOptions, openHttp } from './server.ts'

const [KEY, ADMIN_KEY] = ['a-key-of-the-metrics', 'an-admin-key-of-the-tests']
const ELSEWHERE = '203.0.113.9'

/** Returns a function that requests the metrics and returns the status. The default address is loopback. */
async function opened(more: Partial<HttpOptions<Operations>> = {}) {
  const http = await openHttp<Operations>({
    operations: {},
    handlers: {},
    app: { clock: systemClock, log: openLog('silent', systemClock, () => {}) } as HttpApp,
    authenticate: async (token) =>
      token === ADMIN_KEY
        ? { accountId: '', credential: { kind: 'admin_key', id: 'admin_key' } }
        : { accountId: 'acct_1', credential: { kind: 'api_key', id: newId('key', systemClock) } },
    accessOf: async () => undefined,
    isReady: async () => true,
    version: '0.0.0',
    scrapers: { keyHash: sha256(KEY), isOpen: false },
    ...more,
  })
  return async (headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') => {
    const { statusCode, body } = await http.inject({ method: 'GET', url: '/metrics', headers, remoteAddress })
    expect(body.includes('cairn_http_request_duration_seconds')).toBe(statusCode === 200)
    return statusCode
  }
}

it('metrics are accessible with their key, the admin key, or from this machine', async () => {
  const ask = await opened()
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(await ask({}, address), address).toBe(200)
  for (const key of [KEY, ADMIN_KEY]) expect(await ask({ authorization: `Bearer ${key}` }, ELSEWHERE), key).toBe(200)
  expect(await ask({}, ELSEWHERE)).toBe(401)
  for (const address of ['127.0.0.1', ELSEWHERE]) {
    expect(await ask({ authorization: 'Bearer some-other-key' }, address)).toBe(401)
    expect(await ask({ authorization: `Basic ${KEY}` }, address)).toBe(401)
  }
})

it('requests through a proxy do not count as from this machine', async () => {
  const ask = await opened()
  for (const name of ['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Proto', 'X-Real-IP']) {
    expect(await ask({ [name]: '127.0.0.1' }), name).toBe(401)
    expect(await ask({ [name]: '127.0.0.1', authorization: `Bearer ${KEY}` }), name).toBe(200)
  }
  const behind = await opened({ trustProxy: ['loopback'] })
  expect(await behind()).toBe(401)
})

it('open metrics are accessible to everyone', async () => {
  const ask = await opened({ scrapers: { keyHash: null, isOpen: true } })
  expect(await ask({}, ELSEWHERE)).toBe(200)
})
