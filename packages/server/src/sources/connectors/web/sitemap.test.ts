import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { sitemapOf } from '../../../../../../tests/harness/web-site.ts'
import { PullFailure } from '../../../base/pull-failure.ts'
import { readSitemap } from './sitemap.ts'

const SITE = 'https://docs.example.com'
const read = (files: Record<string, string | Uint8Array>) =>
  readSitemap(`${SITE}/sitemap.xml`, async (address) => {
    const found = files[address.slice(SITE.length)]
    if (found === undefined) throw new PullFailure('not_found')
    return typeof found === 'string' ? Buffer.from(found) : found
  })

it('an index leads to its files, packed or not, and only pages of the same host are listed once', async () => {
  const index = `<sitemapindex><sitemap><loc>${SITE}/a.xml</loc></sitemap>
    <sitemap><loc>${SITE}/b.xml.gz</loc></sitemap><sitemap><loc>https://evil.example/c.xml</loc></sitemap>
    <sitemap><loc>${SITE}/sitemap.xml</loc></sitemap></sitemapindex>`
  const images = `<image:image><image:loc>${SITE}/photo.png</image:loc></image:image>`
  const a = `<urlset><url><loc> ${SITE}/one#top </loc><lastmod>2026-03-02</lastmod>${images}</url></urlset>`
  const b = gzipSync(sitemapOf(`${SITE}/two`, `${SITE}/one`, 'https://evil.example/x', 'file:///etc/passwd', 'no'))
  const { pages, isComplete } = await read({ '/sitemap.xml': index, '/a.xml': a, '/b.xml.gz': b })
  expect([...pages.keys()]).toEqual([`${SITE}/one`, `${SITE}/two`])
  expect(isComplete).toBe(true)
})

it('a file that is missing, cut off or not a sitemap makes the list incomplete', async () => {
  const entry = (name: string) => `<sitemap><loc>${SITE}/${name}</loc></sitemap>`
  const index = (name: string) => `<sitemapindex>${entry('a.xml')}${entry(name)}</sitemapindex>`
  const a = sitemapOf(`${SITE}/one`)
  const files = { '/a.xml': a, '/cut.xml': a.slice(0, -9), '/page.html': '<html><body>No</body></html>' }
  for (const name of ['none.xml', 'cut.xml', 'page.html']) {
    const listed = await read({ ...files, '/sitemap.xml': index(name) })
    expect([[...listed.pages.keys()], listed.isComplete], name).toEqual([[`${SITE}/one`], false])
  }
})

it('an address that is no sitemap is a failure', async () => {
  await expect(read({ '/sitemap.xml': '<html></html>' })).rejects.toMatchObject({ reason: 'unreadable' })
  await expect(read({})).rejects.toMatchObject({ reason: 'not_found' })
})

it('a packed file that unpacks to more than the limit is not read', async () => {
  const bomb = gzipSync(Buffer.alloc(51 * 1024 * 1024, ' '))
  await expect(read({ '/sitemap.xml': bomb })).rejects.toMatchObject({ reason: 'unreadable' })
})

it('endless lists of files are bounded', async () => {
  let asked = 0
  const { isComplete } = await readSitemap(`${SITE}/sitemap.xml`, async () => {
    asked += 1
    const next = `<sitemap><loc>${SITE}/${asked}.xml</loc></sitemap>`
    return Buffer.from(`<sitemapindex>${next}</sitemapindex>`)
  })
  expect(asked).toBeLessThanOrEqual(50)
  expect(isComplete).toBe(false)
})
