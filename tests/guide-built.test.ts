import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PAGES } from '../guide/pages.mjs'
import { sumsOf } from '../scripts/console.mjs'
import { BUILT, inlineScripts, notedGuide } from '../scripts/guide.mjs'
import { plots } from '../scripts/plots.mjs'

const BYTES_MAX = 3 * 1024 * 1024
const ROOT = join(import.meta.dirname, '..')
/** Paths that the service serves in addition to the guide. */
const BESIDE = ['/docs', '/console', '/console/icon.svg']

const files = Object.keys(sumsOf(BUILT)).filter((name) => name !== 'checksums.json')
const pages = new Map(
  files.filter((name) => name.endsWith('.html')).map((name) => [name, readFileSync(join(BUILT, name), 'utf8')]),
)
const idsOf = (page: string) => new Set([...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => decodeURI(id as string)))

it('the served guide has the files and scripts recorded at its build', () => {
  expect(sumsOf(BUILT)).toEqual(notedGuide().files)
  expect(inlineScripts(BUILT)).toEqual(notedGuide().scripts)
  const bytes = files.reduce((sum, name) => sum + readFileSync(join(BUILT, name)).length, 0)
  expect(bytes).toBeLessThan(BYTES_MAX)
})

it('every listed page exists, and every page of docs/ is listed', () => {
  expect(PAGES.filter(({ page }) => !pages.has(`${page}.html`))).toEqual([])
  const listed = new Set(PAGES.map(({ from }) => from))
  const docs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'))
  expect(docs.filter((name) => !listed.has(`docs/${name}`))).toEqual([])
})

it('every link of a page has a target', () => {
  const broken = [...pages].flatMap(([name, page]) =>
    [...page.matchAll(/\s(?:href|src)="([^"]+)"/g)].flatMap(([, link = '']) => {
      if (/^https?:\/\//.test(link)) return []
      const { pathname, hash } = new URL(link, `http://guide/guide/${name.replace(/(?:index)?\.html$/, '')}`)
      if (BESIDE.includes(pathname) || pathname === '/openapi.json') return []
      const path = decodeURI(pathname).replace(/^\/guide\//, '') || 'index'
      const target = files.includes(path) ? path : `${path}.html`
      if (!files.includes(target)) return [`${name}: ${link}`]
      const id = decodeURIComponent(hash.slice(1))
      const isThere = id === '' || !pages.has(target) || idsOf(pages.get(target) as string).has(id)
      return isThere ? [] : [`${name}: ${link}`]
    }),
  )
  expect([...new Set(broken)]).toEqual([])
})

it('the plots are up to date with the tables: `npm run plots` after a change', () => {
  for (const [name, drawn] of Object.entries(plots()))
    expect(readFileSync(join(ROOT, 'docs/plots', name), 'utf8')).toBe(drawn)
})
