import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { openLog } from '../base/log.ts'
import type { HttpApp } from './context.ts'
import { openHttp } from './server.ts'

const http = await openHttp({
  operations: {},
  handlers: {},
  app: {
    publicUrl: 'https://cairn.example',
    clock: systemClock,
    log: openLog('silent', systemClock, () => {}),
  } as HttpApp,
  authenticate: async () => undefined,
  accessOf: async () => undefined,
  isReady: async () => true,
  version: '0.0.0',
})
const get = (url: string, headers: Record<string, string> = {}) => http.inject({ method: 'GET', url, headers })

it('serves pages and their assets by name, and nothing else', async () => {
  const { statusCode, headers } = await get('/guide')
  expect([statusCode, headers.location]).toEqual([308, '/guide/'])
  expect((await get('/guide/')).payload).toContain('<h1')
  const page = await get('/guide/quickstart')
  expect(page.headers['content-type']).toMatch(/^text\/html/)
  expect(page.headers['cache-control']).toBe('no-cache')
  const [, script = ''] = /src="([^"]+\.js)"/.exec(page.payload) ?? []
  const loaded = await get(script)
  expect([loaded.statusCode, loaded.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable'])
  for (const path of [
    'no-such-page',
    'checksums.json',
    '../package.json',
    '..%2fpackage.json',
    'constructor',
    'assets',
  ])
    expect((await get(`/guide/${path}`)).statusCode, path).toBe(404)
  expect((await get('/guide/quickstart', { 'if-none-match': String(page.headers.etag) })).statusCode).toBe(304)
})

it('the policy allows its own files and the exact inline scripts, and no inline styles', async () => {
  const { headers, payload } = await get('/guide/measurements')
  const policy = String(headers['content-security-policy'])
  expect(policy.replace("img-src 'self' data:", '')).not.toMatch(/unsafe|\*|data:|https?:/)
  const inline = [...payload.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, code = '']) => code)
  expect(inline.length).toBeGreaterThan(0)
  for (const code of inline) expect(policy).toContain(`'sha256-${createHash('sha256').update(code).digest('base64')}'`)
  expect(payload).not.toMatch(/\sstyle="|\son\w+="|<style/)
})
