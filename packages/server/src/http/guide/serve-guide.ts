import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { sha256 } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import { ASKED_EACH_TIME, NEVER_CHANGES, type ServedFile, sendServed, servedAs } from '../public-pages.ts'
import { PAGE_POLICY } from '../safe-headers.ts'
import { frameHome, framePage } from './frame.ts'
import { PAGES } from './pages.ts'
import { type RenderedPage, renderPage } from './render-page.ts'
import { buildSearchIndex } from './search-index.ts'

/** Folder with the guide's styles and scripts. Its subfolder `pages/` has the build's copy of the documentation. */
const GUIDE_FOLDER = fileURLToPath(new URL('../../../guide/', import.meta.url))
const IMAGES = ['docs/plots', 'docs/screenshots']
/** Number of characters of the digest in a file name. */
const DIGEST_LENGTH = 10

/** Serves the guide under `/guide`. A page is rendered when it is first requested. */
export function serveGuide(server: FastifyInstance, folder = GUIDE_FOLDER): void {
  const copied = join(folder, 'pages')
  if (!existsSync(copied)) return
  const assets = loadAssets(folder, copied)
  const sources = {
    read: (path: string) => readFileSync(join(copied, path), 'utf8'),
    imageAt: (path: string) => assets.at(basename(path)),
  }
  const rendered = memoized((page: string): RenderedPage => {
    return renderPage(PAGES.find((each) => each.page === page) ?? missing(), sources)
  })
  const served = memoized((path: string) => {
    const html = path === '' ? frameHome(assets.at) : framePage(path, rendered(path), assets.at)
    return servedAs('page.html', Buffer.from(html), ASKED_EACH_TIME, PAGE_POLICY)
  })
  const index = memoized(async (path: string) => {
    return servedAs(path, Buffer.from(await buildSearchIndex(rendered)), ASKED_EACH_TIME, PAGE_POLICY)
  })
  server.get('/guide', (_, reply) => reply.redirect('/guide/', 308))
  server.get('/guide/search.json', async (request, reply) => sendServed(await index('search.json'), request, reply))
  server.get('/guide/*', async (request, reply) => {
    const path = (request.params as { '*'?: string })['*'] ?? ''
    return sendServed(assets.files.get(path) ?? served(path), request, reply)
  })
}

function missing(): never {
  throw new Fault('not_found')
}

/** Returns a function that computes each result once. If computing throws, nothing is stored. */
function memoized<T>(compute: (key: string) => T): (key: string) => T {
  const results = new Map<string, T>()
  return (key) => {
    const result = results.get(key) ?? compute(key)
    results.set(key, result)
    return result
  }
}

/** Loads the static files. The URL of a file contains a digest of its content. */
function loadAssets(folder: string, copied: string) {
  const images = IMAGES.flatMap((path) => readdirSync(join(copied, path)).map((name) => join(copied, path, name)))
  const own = ['guide.css', 'guide.js', 'scheme.js'].map((name) => join(folder, name))
  const library = fileURLToPath(import.meta.resolve('minisearch'))
  const paths = new Map([...own, ...images].map((path) => [basename(path), path])).set('minisearch.js', library)
  const files = new Map<string, ServedFile>()
  const addresses = new Map<string, string>()
  for (const [name, path] of paths) {
    const bytes = readFileSync(path)
    const digest = sha256(bytes).toString('hex').slice(0, DIGEST_LENGTH)
    const address = `assets/${basename(name, extname(name))}.${digest}${extname(name)}`
    files.set(address, servedAs(name, bytes, NEVER_CHANGES, PAGE_POLICY))
    addresses.set(name, `/guide/${address}`)
  }
  const at = (name: string) => addresses.get(name) ?? missing()
  return { files, at }
}
