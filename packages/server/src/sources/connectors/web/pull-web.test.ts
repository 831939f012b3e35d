import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { htmlPage, openWebSite, sitemapOf, type WebSite } from '../../../../../../tests/harness/web-site.ts'
import { openSafeFetch, type SafeFetch } from '../../../base/safe-fetch.ts'
import { openDocumentReaders, readingLimits } from '../../../documents/processes/open-document-readers.ts'
import type { PullCursor, PulledPage } from '../connector.ts'
import { pullWeb } from './pull-web.ts'

const MEMORY_BYTES = 8 * 1024 * 1024 * 1024
const NOW = new Date('2026-05-04T10:00:00Z')
const readers = openDocumentReaders(readingLimits(MEMORY_BYTES))
let site: WebSite
let safe: SafeFetch
beforeAll(async () => {
  site = await openWebSite()
  safe = openSafeFetch({ allowLoopback: true, totalMs: 60_000 })
})
afterAll(async () => {
  await safe.close()
  await site.close()
  readers.close()
})
beforeEach(() => {
  site.resources.clear()
  site.asked.length = 0
})

interface Pulled {
  pages: PulledPage[]
  /** Ids of the records, those that are deleted with a minus. */
  ids: string[]
  failures: string[]
  cursor: PullCursor | undefined
  reason?: string
}

async function pull(config: Record<string, unknown>, cursor?: PullCursor, since?: Date): Promise<Pulled> {
  const pages: PulledPage[] = []
  let reason: string | undefined
  const { signal } = new AbortController()
  const settings = { config, accountId: null }
  const request = { settings, credential: undefined, cursor, since, now: NOW, fetch: safe.fetch, signal }
  try {
    for await (const page of pullWeb({ ...request, documents: readers.open('account') })) pages.push(page)
  } catch (error) {
    reason = (error as { reason: string }).reason
  }
  const short = (id: string | undefined) => (id ?? '').replace(site.url, '')
  return {
    pages,
    ids: pages.flatMap(({ records }) =>
      records.map(({ external_id: id, deleted }) => (deleted ? '-' : '') + short(id)),
    ),
    failures: pages.flatMap(({ failures = [] }) =>
      failures.map(({ external_id: id, reason: why }) => `${short(id)} ${why}`),
    ),
    cursor: pages.at(-1)?.cursor ?? cursor,
    ...(reason && { reason }),
  }
}

const at = (path: string) => site.url + path
const page = (path: string, text: string, more: object = {}) =>
  site.resources.set(path, { body: htmlPage(`Title of ${path}`, text), ...more })
const listPages = (...paths: string[]) =>
  site.resources.set('/sitemap.xml', { body: sitemapOf(...paths.map(at)), type: 'application/xml' })
const wholeSite = () => ({ sitemap: at('/sitemap.xml') })
const paths = () => site.asked.map(({ path }) => path)

it('a page becomes a record with its title, text, address and the time of its last change', async () => {
  const headers = { 'last-modified': 'Mon, 02 Mar 2026 09:00:00 GMT', etag: '"1"' }
  page('/ferry', 'The ferry sails at noon.', { headers })
  const { pages, cursor } = await pull({ url: at('/ferry') })
  expect(pages.flatMap(({ records }) => records)).toMatchObject([
    {
      external_id: at('/ferry'),
      title: 'Title of /ferry',
      text: expect.stringContaining('The ferry sails at noon.'),
      url: at('/ferry'),
      occurred_at: '2026-03-02T09:00:00.000Z',
    },
  ])
  expect(site.asked[0]).toMatchObject({ path: '/robots.txt', userAgent: 'Cairn' })
  site.asked.length = 0
  expect((await pull({ url: at('/ferry') }, cursor)).ids).toEqual([])
  expect(site.asked.at(-1)).toMatchObject({ path: '/ferry', status: 304 })
  // `since` asks for everything again.
  expect((await pull({ url: at('/ferry') }, cursor, NOW)).ids).toEqual(['/ferry'])
})

it('a changed page is sent again, and a page that is gone is deleted with all its parts', async () => {
  const long = `${'The harbour is long. '.repeat(80)}\n`
  const body = htmlPage('Long', ...Array.from({ length: 400 }, () => long))
  site.resources.set('/long', { body })
  const first = await pull({ url: at('/long') })
  expect(first.ids).toEqual(['/long', '/long#part 2', '/long#part 3'])
  page('/long', 'It is short now.')
  const second = await pull({ url: at('/long') }, first.cursor)
  expect(second.ids).toEqual(['/long', '-/long#part 2', '-/long#part 3'])
  site.resources.set('/long', { status: 410 })
  const third = await pull({ url: at('/long') }, second.cursor)
  expect(third).toMatchObject({ ids: ['-/long'], failures: [] })
  expect(third.reason).toBeUndefined()
  // It is reported once there is nothing left of it.
  expect(await pull({ url: at('/long') }, third.cursor)).toMatchObject({ ids: [], reason: 'not_found' })
})

it('a failure deletes nothing', async () => {
  page('/a', 'The quay is dry.')
  const { cursor } = await pull({ url: at('/a') })
  const failing = [
    [{ status: 500 }, 'provider_failed'],
    [{ status: 401 }, 'forbidden'],
    [{ isCut: true }, 'unreachable'],
    [{ body: '<html><body><script>load()</script></body></html>' }, 'no_text'],
    [{ status: 302, headers: { location: 'http://10.0.0.1/' } }, 'blocked_address'],
  ] as const
  for (const [resource, reason] of failing) {
    site.resources.set('/a', resource)
    const pulled = await pull({ url: at('/a') }, cursor)
    expect(pulled.ids, reason).toEqual([])
    expect(pulled.reason).toBe(reason)
    expect(JSON.stringify(pulled.cursor)).toContain(at('/a'))
  }
})

it('a site is read by its sitemap: pages that it drops are deleted, pages that fail are kept', async () => {
  listPages('/a', '/b', '/c')
  for (const path of ['/a', '/b', '/c']) page(path, `This is ${path}.`)
  const first = await pull(wholeSite())
  expect(first.ids).toEqual(['/a', '/b', '/c'])
  listPages('/b', '/d', '/e')
  site.resources.set('/b', { status: 500 })
  page('/d', 'This is new.')
  const second = await pull(wholeSite(), first.cursor)
  expect(second.ids).toEqual(['/d', '-/a', '-/c'])
  expect(second.failures).toEqual(['/b provider_failed', '/e not_found'])
  expect(second.reason).toBeUndefined()
  site.resources.set('/b', { status: 404 })
  const third = await pull(wholeSite(), second.cursor)
  expect(third.ids.toSorted()).toEqual(['-/b', '/d'])
})

it('an incomplete sitemap, an empty one or none deletes nothing', async () => {
  listPages('/a', '/b')
  for (const path of ['/a', '/b']) page(path, `This is ${path}.`, { headers: { etag: '"1"' } })
  const { cursor } = await pull(wholeSite())
  const files = ['/gone.xml', '/more.xml'].map((path) => `<sitemap><loc>${at(path)}</loc></sitemap>`)
  const index = `<sitemapindex>${files.join('')}</sitemapindex>`
  site.resources.set('/more.xml', { body: sitemapOf(at('/a')) })
  site.resources.set('/sitemap.xml', { body: index })
  expect(await pull(wholeSite(), cursor)).toMatchObject({ ids: [], failures: [] })
  site.resources.set('/sitemap.xml', { body: sitemapOf() })
  expect(await pull(wholeSite(), cursor)).toMatchObject({ ids: [], reason: 'unreadable' })
  site.resources.set('/sitemap.xml', { status: 404 })
  expect(await pull(wholeSite(), cursor)).toMatchObject({ ids: [], reason: 'not_found' })
})

it('robots.txt is respected, and a robots.txt that cannot be read forbids everything for now', async () => {
  listPages('/open', '/private/a')
  page('/open', 'This is open.')
  page('/private/a', 'This is private.')
  site.resources.set('/robots.txt', { body: 'User-agent: Cairn\nDisallow: /private/', type: 'text/plain' })
  const { ids, failures } = await pull(wholeSite())
  expect([ids, failures]).toEqual([['/open'], ['/private/a robots_disallowed']])
  expect(paths()).not.toContain('/private/a')
  site.resources.set('/robots.txt', { status: 503 })
  expect(await pull(wholeSite())).toMatchObject({ ids: [], reason: 'provider_failed' })
})

it('a page follows redirects within limits, a page of a site only on its host', async () => {
  site.resources.set('/old', { status: 301, headers: { location: '/new#part' } })
  page('/new', 'It has moved.')
  const { pages } = await pull({ url: at('/old') })
  expect(pages[0]?.records).toMatchObject([{ external_id: at('/old'), url: at('/new') }])
  site.resources.set('/loop', { status: 302, headers: { location: '/loop' } })
  expect(await pull({ url: at('/loop') })).toMatchObject({ reason: 'redirected' })
  const other = await openWebSite()
  other.resources.set('/a', { body: htmlPage('Other', 'It is elsewhere.') })
  listPages('/away', '/new')
  site.resources.set('/away', { status: 302, headers: { location: `${other.url}/a` } })
  expect(await pull(wholeSite())).toMatchObject({ ids: ['/new'], failures: ['/away redirected'] })
  expect(other.asked).toEqual([])
  await other.close()
})

it('a pull that the site stops continues with the pages that are left', async () => {
  listPages('/a', '/b', '/c')
  for (const path of ['/a', '/c']) page(path, `This is ${path}.`)
  site.resources.set('/b', { status: 429, headers: { 'retry-after': '60' } })
  const first = await pull(wholeSite())
  expect(first).toMatchObject({ ids: ['/a'], reason: 'rate_limited' })
  page('/b', 'This is /b.')
  site.asked.length = 0
  expect((await pull(wholeSite(), first.cursor)).ids).toEqual(['/b', '/c'])
  expect(paths()).not.toContain('/a')
})

it('a site that does not answer is not asked for all its pages', async () => {
  const all = Array.from({ length: 30 }, (_, index) => `/p${index}`)
  listPages(...all)
  for (const path of all) site.resources.set(path, { isCut: true })
  expect(await pull(wholeSite())).toMatchObject({ ids: [], reason: 'unreachable' })
  expect(paths().filter((path) => path.startsWith('/p'))).toHaveLength(5)
})

it('other documents are read as well, and a table is a failure', async () => {
  listPages('/notes.md', '/table.csv')
  site.resources.set('/notes.md', { body: '# Minutes\n\nThe pier was repaired.', type: 'text/markdown' })
  site.resources.set('/table.csv', { body: 'a,b\n1,2\n', type: 'text/csv' })
  const { pages, failures } = await pull(wholeSite())
  expect(pages.flatMap(({ records }) => records)).toMatchObject([{ title: 'Minutes' }])
  expect(failures).toEqual(['/table.csv unreadable'])
})

it('a page that is generated for each request has no time of its own', async () => {
  page('/now', 'It is now.', { headers: { 'last-modified': NOW.toUTCString() } })
  const { pages } = await pull({ url: at('/now') })
  expect(pages[0]?.records[0]?.occurred_at).toBeUndefined()
})
