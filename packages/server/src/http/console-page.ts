import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sha256 } from '../base/digest.ts'
import { Fault } from '../base/fault.ts'
import { CONSOLE_POLICY } from './safe-headers.ts'
import { encodedOnce } from './shown-pages.ts'

/** Where `npm run console:build` writes the console; it is packed beside the code. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../console/', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** A name under `assets/` holds a digest of what is in the file, so that the file never changes. */
const NEVER_CHANGES = 'public, max-age=31536000, immutable'
const ASKED_EACH_TIME = 'no-cache'

/** What a program is told at the service's root. */
const WAYS_IN = { service: 'cairn', reference: '/docs', openapi: '/openapi.json', mcp: '/mcp' }

interface Served {
  type: string
  digest: string
  encoded: ReturnType<typeof encodedOnce>
  caching: string
}

/** Whether the console was built into this folder. */
export function hasConsole(folder = CONSOLE_FOLDER): boolean {
  return existsSync(join(folder, 'index.html'))
}

/**
 * Serves the console under `/console`: its files by their names, and its one page at every other address that a person
 * opens. `/` leads a browser there, and tells a program where the reference is.
 */
export function serveConsole(server: FastifyInstance, folder = CONSOLE_FOLDER): void {
  const isBuilt = hasConsole(folder)
  server.get('/', async (request, reply) => {
    reply.header('vary', 'Accept')
    if (isBuilt && isPerson(request)) return reply.redirect('/console', 302)
    return reply.send({ ...WAYS_IN, ...(isBuilt && { console: '/console' }) })
  })
  if (!isBuilt) return
  const page = servedFrom(folder, 'index.html', ASKED_EACH_TIME)
  const assets = readdirSync(join(folder, 'assets')).map((name) => `assets/${name}`)
  const files = new Map([
    ...assets.map((path) => [path, servedFrom(folder, path, NEVER_CHANGES)] as const),
    ...['icon.svg', 'scheme.js'].map((path) => [path, servedFrom(folder, path, ASKED_EACH_TIME)] as const),
  ])
  server.get('/console', (request, reply) => sendServed(page, request, reply))
  server.get('/console/*', async (request, reply) => {
    const { '*': path = '' } = request.params as { '*'?: string }
    const file = files.get(path)
    if (file) return sendServed(file, request, reply)
    // A file that is missing must not come as a page: a browser would run the page as its script.
    if (extname(path) !== '' || !isPerson(request)) throw new Fault('not_found')
    return sendServed(page, request, reply)
  })
}

function isPerson({ headers: { accept } }: FastifyRequest): boolean {
  return accept?.includes('text/html') === true
}

function servedFrom(folder: string, path: string, caching: string): Served {
  const bytes = readFileSync(join(folder, path))
  const type = TYPES[extname(path)] ?? 'application/octet-stream'
  return { type, caching, digest: sha256(bytes).toString('base64url'), encoded: encodedOnce(bytes) }
}

async function sendServed(file: Served, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { 'if-none-match': known, 'accept-encoding': accepted } = request.headers
  const { body, headers } = await file.encoded(accepted)
  const { vary, 'content-encoding': encoding } = headers
  // A strong tag names these very bytes, so each encoding has its own.
  const etag = `"${file.digest}${encoding ? `-${encoding}` : ''}"`
  reply.headers({ etag, vary, 'cache-control': file.caching, 'content-security-policy': CONSOLE_POLICY })
  if (known?.includes(file.digest)) return reply.status(304).send()
  return reply.type(file.type).headers(headers).send(body)
}
