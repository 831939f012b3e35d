import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'

/** The page at `/docs`: the document, browsable, with everything it needs served from here. */
export const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cairn API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
})
`

const PARTS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
}

const CACHED = 'public, max-age=3600'

/** Serves what the page at `/docs` loads. */
export function serveDocsParts(server: FastifyInstance): void {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  for (const [name, type] of Object.entries(PARTS)) {
    let bytes: Promise<Buffer> | undefined
    server.get(`/docs/${name}`, async (_, reply) => {
      bytes ??= readFile(join(folder, name))
      return reply
        .type(type)
        .header('cache-control', CACHED)
        .send(await bytes)
    })
  }
  server.get('/docs/start.js', async (_, reply) =>
    reply.type('text/javascript; charset=utf-8').header('cache-control', CACHED).send(START),
  )
}
