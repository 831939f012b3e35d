import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../base/fault.ts'
import { ASKED_EACH_TIME, NEVER_CHANGES, type ServedFile, sendServed, servedAs, servedFrom } from './public-pages.ts'
import { PAGE_POLICY } from './safe-headers.ts'

/** Output folder of `npm run console:build`, packaged next to the code. */
const CONSOLE_FOLDER = fileURLToPath(new URL('../../console/', import.meta.url))

/** JSON response at the service's root. */
const LINKS = { service: 'cairn', reference: '/docs', openapi: '/openapi.json', mcp: '/mcp', console: '/console' }

const UNAVAILABLE = 503
const AGAIN_SECONDS = 3
const NOT_BUILT = `<!doctype html><html lang="en"><head><meta charset="utf-8" />
<meta http-equiv="refresh" content="${AGAIN_SECONDS}" /><title>Cairn</title></head><body>
<p>The console is not built yet. <code>npm start</code> builds it in about half a minute, and this page reloads.</p>
<p>If you started the service in another way, run <code>npm run console:build</code>.</p></body></html>`

/** The files of the console, ready to send: its page, and the other files by path. */
interface ConsoleFiles {
  page: ServedFile
  files: ReadonlyMap<string, ServedFile>
}

/** Meta tag with the sign-in method: a link or an identity provider. */
const BY_LINK = '<meta name="cairn-sign-in" content="link" />'
const BY_PROVIDER = '<meta name="cairn-sign-in" content="provider" />'

/**
 * Serves the console under `/console`: its files by name, and its page at every other path that a browser opens. `/`
 * redirects a browser to the console and returns links to a program. After `npm start` in a clone, the console may not
 * be built yet; until then the page says so.
 */
export function serveConsole(server: FastifyInstance, hasProvider: boolean, folder = CONSOLE_FOLDER): void {
  let read: ConsoleFiles | undefined
  const built = () => {
    read ??= existsSync(join(folder, 'index.html')) ? readConsole(folder, hasProvider) : undefined
    return read
  }
  server.get('/', async (request, reply) => {
    reply.header('vary', 'Accept')
    if (isPerson(request)) return reply.redirect('/console', 302)
    return reply.send(LINKS)
  })
  server.get('/console', async (request, reply) => sendPage(built(), request, reply))
  server.get('/console/*', async (request, reply) => {
    const { '*': path = '' } = request.params as { '*'?: string }
    const file = built()?.files.get(path)
    if (file) return sendServed(file, request, reply)
    // For a missing file the page must not be returned, because a browser could run it as a script.
    if (extname(path) !== '' || !isPerson(request)) throw new Fault('not_found')
    return sendPage(built(), request, reply)
  })
}

function readConsole(folder: string, hasProvider: boolean): ConsoleFiles {
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  const shown = hasProvider ? html.replace(BY_LINK, BY_PROVIDER) : html
  const assets = readdirSync(join(folder, 'assets')).map((name) => `assets/${name}`)
  return {
    page: servedAs('index.html', Buffer.from(shown), ASKED_EACH_TIME, PAGE_POLICY),
    files: new Map([
      ...assets.map((path) => [path, servedFrom(folder, path, NEVER_CHANGES, PAGE_POLICY)] as const),
      ...['icon.svg', 'scheme.js'].map(
        (path) => [path, servedFrom(folder, path, ASKED_EACH_TIME, PAGE_POLICY)] as const,
      ),
    ]),
  }
}

function sendPage(
  found: ConsoleFiles | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> | FastifyReply {
  if (found) return sendServed(found.page, request, reply)
  return reply
    .status(UNAVAILABLE)
    .headers({ 'content-security-policy': PAGE_POLICY, 'retry-after': AGAIN_SECONDS })
    .type('text/html; charset=utf-8')
    .send(NOT_BUILT)
}

function isPerson({ headers: { accept } }: FastifyRequest): boolean {
  return accept?.includes('text/html') === true
}
