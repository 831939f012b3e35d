import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { cacheEncodings } from './public-pages.ts'

/** HTML page at `/docs` that shows the OpenAPI document. It loads everything from this service. */
export const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cairn API</title>
</head>
<body>
<div id="reference"></div>
<script src="/docs/reference.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

/**
 * Script of the page. Features that would contact other hosts are off; the content security policy also blocks them.
 */
const START = `Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
  documentDownloadType: 'direct',
})
`

const CACHED = 'public, max-age=3600'
const SCRIPT = 'text/javascript; charset=utf-8'

export function serveDocsParts(server: FastifyInstance, read: (path: string) => Promise<Buffer> = readFile): void {
  const main = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference')
  let script: ReturnType<typeof cacheEncodings> | undefined
  server.get('/docs/reference.js', async (request, reply) => {
    script ??= cacheEncodings(await read(join(dirname(main), 'js', 'standalone.js')))
    const { body, headers } = await script(request.headers['accept-encoding'])
    return reply.type(SCRIPT).header('cache-control', CACHED).headers(headers).send(body)
  })
  server.get('/docs/start.js', async (_, reply) => reply.type(SCRIPT).header('cache-control', CACHED).send(START))
}
