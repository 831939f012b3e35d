import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Fault } from '../base/fault.ts'
import { ASKED_EACH_TIME, NEVER_CHANGES, sendServed, servedAs, servedFrom } from './public-pages.ts'
import { PAGE_POLICY } from './safe-headers.ts'

/** Output folder of `npm run console:build`, packaged next to the code. */
const CONSOLE_FOLDER = fileURLToPath(new URL('../../console/', import.meta.url))

/** JSON response at the service's root. */
const SIGN_IN_META = { service: 'cairn', reference: '/docs', openapi: '/openapi.json', mcp: '/mcp' }

/** Returns true if the console was built into this folder. */
export function hasConsole(folder = CONSOLE_FOLDER): boolean {
  return existsSync(join(folder, 'index.html'))
}

/** Written into the page: people sign in by a link, or with an identity provider. */
const BY_LINK = '<meta name="cairn-sign-in" content="link" />'
const BY_PROVIDER = '<meta name="cairn-sign-in" content="provider" />'

/**
 * Serves the console under `/console`: its files by name, and the single page at every other path that a browser opens.
 * `/` redirects a browser to the console and returns links to a program.
 */
export function serveConsole(server: FastifyInstance, hasProvider: boolean, folder = CONSOLE_FOLDER): void {
  const isBuilt = hasConsole(folder)
  server.get('/', async (request, reply) => {
    reply.header('vary', 'Accept')
    if (isBuilt && isPerson(request)) return reply.redirect('/console', 302)
    return reply.send({ ...SIGN_IN_META, ...(isBuilt && { console: '/console' }) })
  })
  if (!isBuilt) return
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  const shown = hasProvider ? html.replace(BY_LINK, BY_PROVIDER) : html
  const page = servedAs('index.html', Buffer.from(shown), ASKED_EACH_TIME, PAGE_POLICY)
  const assets = readdirSync(join(folder, 'assets')).map((name) => `assets/${name}`)
  const files = new Map([
    ...assets.map((path) => [path, servedFrom(folder, path, NEVER_CHANGES, PAGE_POLICY)] as const),
    ...['icon.svg', 'scheme.js'].map((path) => [path, servedFrom(folder, path, ASKED_EACH_TIME, PAGE_POLICY)] as const),
  ])
  server.get('/console', (request, reply) => sendServed(page, request, reply))
  server.get('/console/*', async (request, reply) => {
    const { '*': path = '' } = request.params as { '*'?: string }
    const file = files.get(path)
    if (file) return sendServed(file, request, reply)
    // A missing file must not return the page, because a browser would run it as a script.
    if (extname(path) !== '' || !isPerson(request)) throw new Fault('not_found')
    return sendServed(page, request, reply)
  })
}

function isPerson({ headers: { accept } }: FastifyRequest): boolean {
  return accept?.includes('text/html') === true
}
