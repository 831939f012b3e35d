import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import MiniSearch from 'minisearch'
import { beforeAll, expect, it } from 'vitest'
import { copyGuide } from '../../../../scripts/build.mjs'
import { plots } from '../../../../scripts/plots.mjs'
import { systemClock } from '../base/clock.ts'
import { openLog } from '../base/log.ts'
import type { HttpApp } from './context.ts'
import { PAGES } from './guide/pages.ts'
import { type HttpServer, openHttp } from './server.ts'

const ROOT = join(import.meta.dirname, '../../../..')
/** Paths that the service serves in addition to the guide. */
const BESIDE = ['/docs', '/console', '/console/icon.svg']
const LINKS = /\s(?:href|src|data-library|data-index)="([^"]+)"/g

let http: HttpServer
beforeAll(async () => {
  copyGuide()
  http = await openHttp({
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
})
const get = (url: string, headers: Record<string, string> = {}) => http.inject({ method: 'GET', url, headers })
const linksIn = (html: string) => [...html.matchAll(LINKS)].map(([, link]) => link as string)

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
  const others = ['no-such-page', 'pages/README.md', '../package.json', '..%2fpackage.json', 'constructor', 'assets']
  for (const path of others) expect((await get(`/guide/${path}`)).statusCode, path).toBe(404)
  expect((await get('/guide/quickstart', { 'if-none-match': String(page.headers.etag) })).statusCode).toBe(304)
})

it('the policy allows only its own files; no page has inline scripts or styles', async () => {
  for (const path of ['', 'measurements']) {
    const { headers, payload } = await get(`/guide/${path}`)
    expect(headers['content-security-policy']).not.toMatch(/unsafe|\*|data:|https?:|sha256/)
    expect(payload).not.toMatch(/\sstyle="|\son\w+="|<style|<script>/)
  }
})

it('every page of docs/ is in the guide', () => {
  const listed = new Set(PAGES.map(({ from }) => from))
  const docs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'))
  expect(docs.filter((name) => !listed.has(`docs/${name}`))).toEqual([])
})

it('every link of a page has a target', async () => {
  const addresses = ['/guide/', ...PAGES.map(({ page }) => `/guide/${page}`)]
  const pages = new Map<string, string>()
  for (const address of addresses) {
    const { statusCode, payload } = await get(address)
    expect(statusCode, address).toBe(200)
    pages.set(address, payload)
  }
  const broken: string[] = []
  for (const [address, html] of pages) {
    for (const link of linksIn(html)) {
      const { origin, pathname, hash } = new URL(link, `http://guide${address}`)
      if (origin !== 'http://guide' || BESIDE.includes(pathname)) continue
      const target = pages.get(pathname) ?? ((await get(pathname)).statusCode === 200 ? '' : undefined)
      const isThere = target === '' || hash === '' || target?.includes(` id="${decodeURIComponent(hash.slice(1))}"`)
      if (target === undefined || !isThere) broken.push(`${address}: ${link}`)
    }
  }
  expect(broken).toEqual([])
})

it('shows the sections of the README before its own text, images, code and literal angle brackets', async () => {
  const { payload } = await get('/guide/quickstart')
  expect([...payload.matchAll(/<h[12] id="([^"]+)"/g)].map(([, id]) => id)).toEqual(
    expect.arrayContaining(['quickstart', 'start', 'one-answer', 'your-own-files', 'from-code']),
  )
  const [, image = ''] = /<img src="([^"]+)"/.exec(payload) ?? []
  expect((await get(image)).headers).toMatchObject({ 'content-type': 'image/png' })
  expect(payload).toContain('<span>sh</span><pre tabindex="0"><code>npm start\n')
  expect(payload).not.toMatch(/<!--|&lt;!-- /)
})

it('the search index finds sections of all pages by their words', async () => {
  const { payload, headers } = await get('/guide/search.json')
  expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' })
  const index = MiniSearch.loadJSON(payload, { fields: ['heading', 'path', 'text'], storeFields: ['heading', 'path'] })
  const [found] = index.search('tenants next to each other', { boost: { heading: 4 } })
  expect(found).toMatchObject({ id: '/guide/measurements#tenants-next-to-each-other', path: 'Measurements' })
  for (const { page } of PAGES) expect(payload).toContain(`"/guide/${page}`)
})

it('the plots are up to date with the tables: `npm run plots` after a change', () => {
  for (const [name, drawn] of Object.entries(plots()))
    expect(readFileSync(join(ROOT, 'docs/plots', name), 'utf8')).toBe(drawn)
})
