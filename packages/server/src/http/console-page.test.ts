import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { openLog } from '../base/log.ts'
import type { HttpApp } from './context.ts'
import { type HttpServer, openHttp } from './server.ts'

const PAGE = '<!doctype html><title>Cairn</title><script type="module" src="/console/assets/index-1a2b.js"></script>'
const SCRIPT = 'console.log("the console")'.repeat(100)
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let folder: string
let http: HttpServer

const open = (consoleFolder: string) =>
  openHttp({
    operations: {},
    handlers: {},
    app: { clock: systemClock, log: openLog('silent', systemClock, () => {}) } as HttpApp,
    authenticate: async () => undefined,
    accessOf: async () => undefined,
    isReady: async () => true,
    version: '0.0.0',
    consoleFolder,
  })
const get = (url: string, headers: Record<string, string> = {}) => http.inject({ method: 'GET', url, headers })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-console-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), PAGE)
  writeFileSync(join(folder, 'scheme.js'), 'document.title')
  writeFileSync(join(folder, 'icon.svg'), '<svg/>')
  writeFileSync(join(folder, 'assets', 'index-1a2b.js'), SCRIPT)
  writeFileSync(join(folder, 'secret.txt'), 'outside the served files')
  http = await open(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('the root redirects a browser to the console and shows a program the reference URL', async () => {
  const browser = await get('/', BROWSER)
  expect([browser.statusCode, browser.headers.location, browser.headers.vary]).toEqual([302, '/console', 'Accept'])
  const program = await get('/', { accept: '*/*' })
  expect(program.statusCode).toBe(200)
  expect(program.json()).toMatchObject({ service: 'cairn', reference: '/docs', openapi: '/openapi.json' })
  expect((await http.inject({ method: 'POST', url: '/' })).statusCode).toBe(404)
})

it('the page allows only scripts and styles of its own origin, and no framing', async () => {
  const { headers, payload } = await get('/console', BROWSER)
  expect(payload).toBe(PAGE)
  const policy = String(headers['content-security-policy']).split(';')
  expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'"]))
  expect(policy).toEqual(expect.arrayContaining(["connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]))
  expect(String(headers['content-security-policy'])).not.toMatch(/unsafe|\*|data:|https?:/)
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
})

it('the page is revalidated on each request; files with a digest in their name are cached permanently', async () => {
  const page = await get('/console', { ...BROWSER, 'accept-encoding': 'gzip' })
  expect(page.headers).toMatchObject({ 'cache-control': 'no-cache', 'content-encoding': 'gzip' })
  const again = await get('/console', { ...BROWSER, 'if-none-match': String(page.headers.etag) })
  expect([again.statusCode, again.payload]).toEqual([304, ''])
  const plain = await get('/console', BROWSER)
  expect(plain.headers.etag).not.toBe(page.headers.etag)

  const script = await get('/console/assets/index-1a2b.js', { 'accept-encoding': 'gzip' })
  expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8')
  expect(gunzipSync(script.rawPayload).toString()).toBe(SCRIPT)
  expect((await get('/console/scheme.js')).headers['cache-control']).toBe('no-cache')
})

it('every page address returns the page; a missing file does not', async () => {
  for (const path of ['/console/', '/console/records/rec_1', '/console/no/such/page?x=1'])
    expect((await get(path, BROWSER)).payload, path).toBe(PAGE)
  const missing = [
    '/console/assets/index-old.js',
    '/console/secret.txt',
    '/console/..%2fpackage.json',
    '/console/x.css',
  ]
  for (const path of missing) {
    const reply = await get(path, BROWSER)
    expect([reply.statusCode, reply.json().error], path).toEqual([404, 'not_found'])
  }
  expect((await get('/console/records', { accept: 'application/json' })).statusCode).toBe(404)
})

it('before the console is built a page says so and reloads, and then shows the console', async () => {
  const later = join(folder, 'later')
  const bare = await open(later)
  const page = () => bare.inject({ method: 'GET', url: '/console/records', headers: BROWSER })
  const first = await page()
  expect([first.statusCode, first.headers['retry-after']]).toEqual([503, '3'])
  expect(first.payload).toContain('http-equiv="refresh"')
  expect((await bare.inject({ method: 'GET', url: '/console/scheme.js' })).statusCode).toBe(404)
  mkdirSync(join(later, 'assets'), { recursive: true })
  for (const name of ['icon.svg', 'scheme.js']) writeFileSync(join(later, name), '')
  writeFileSync(join(later, 'index.html'), PAGE)
  expect((await page()).payload).toBe(PAGE)
})
