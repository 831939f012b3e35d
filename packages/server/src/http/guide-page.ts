import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { Fault } from '../base/fault.ts'
import { guidePolicy } from './safe-headers.ts'
import { ASKED_EACH_TIME, NEVER_CHANGES, sendServed, servedFrom } from './shown-pages.ts'

/** Where `npm run guide:build` writes the guide; it is packed beside the code. */
export const GUIDE_FOLDER = fileURLToPath(new URL('../../guide/', import.meta.url))

interface Noted {
  /** The scripts that stand inside the pages, by digest. */
  scripts: string[]
  /** Every file, by its path. */
  files: Record<string, string>
}

/** Serves the guide under `/guide`: each page by its name, and what pages load. Files are read when first asked for. */
export function serveGuide(server: FastifyInstance, folder = GUIDE_FOLDER): void {
  const notedAt = join(folder, 'checksums.json')
  if (!existsSync(notedAt)) return
  const { scripts, files } = JSON.parse(readFileSync(notedAt, 'utf8')) as Noted
  const policy = guidePolicy(scripts)
  const read = new Map<string, ReturnType<typeof servedFrom>>()
  const fileAt = (path: string) => {
    if (!Object.hasOwn(files, path)) throw new Fault('not_found')
    const caching = path.startsWith('assets/') ? NEVER_CHANGES : ASKED_EACH_TIME
    const file = read.get(path) ?? servedFrom(folder, path, caching, policy)
    read.set(path, file)
    return file
  }
  server.get('/guide', (_, reply) => reply.redirect('/guide/', 308))
  server.get('/guide/*', async (request, reply) => {
    const path = (request.params as { '*'?: string })['*'] || 'index'
    return sendServed(fileAt(extname(path) === '' ? `${path}.html` : path), request, reply)
  })
}
