import { setTimeout as sleep } from 'node:timers/promises'
import { type Operations, openApi, type ProtectedResource, SCOPES, type systemOperations } from '@cairnstore/contract'
import { sha256 } from '../base/digest.ts'
import { Fault } from '../base/fault.ts'
import { reply } from '../tenancy/handler.ts'
import type { HttpApp, HttpHandlers } from './context.ts'
import { DOCS_PAGE } from './docs-page.ts'
import type { Metrics } from './metrics.ts'
import { cacheEncodings, etagOf } from './public-pages.ts'
import { DOCS_POLICY } from './safe-headers.ts'

/** Milliseconds for which the metrics response is cached. */
const METRICS_MS = 1_000

export function systemHandlers(
  operations: Operations,
  version: string,
  metrics: Metrics,
  isReady: () => Promise<boolean>,
): HttpHandlers<typeof systemOperations> {
  // Built on the first request, because it takes longer than the rest of the start.
  const shown = memoize(async () => {
    const document = Buffer.from(JSON.stringify(openApi(operations, version)))
    return { digest: sha256(document).toString('base64url'), encoded: cacheEncodings(document) }
  }, Number.POSITIVE_INFINITY)
  const count = memoize(() => metrics.registry.metrics(), METRICS_MS)
  return {
    getHealth: async () => ({ status: 'ok' }),
    getReadiness: async ({ cluster }) => {
      if (!(await isReady())) throw new Fault('unavailable')
      const warnings = cluster?.warnings() ?? []
      return { status: 'ok', ...(warnings.length > 0 && { warnings }) }
    },
    getMetrics: count,
    getOpenApi: async (_, { headers: { 'if-none-match': known, 'accept-encoding': accepted } }) => {
      const { digest, encoded } = await shown()
      const { body, headers } = await encoded(accepted)
      const { 'content-encoding': encoding, vary } = headers
      const about = { etag: etagOf(digest, encoding), vary, 'cache-control': 'no-cache' }
      return known?.includes(digest) ? reply(304, undefined, about) : reply(200, body, { ...headers, ...about })
    },
    getMcpMetadata: async (ctx, { params }) => describe(ctx, `/mcp/${params.sandbox_id}`),
    getMcpMetadataPrimary: async (ctx) => describe(ctx, '/mcp'),
    getReference: async () => reply(200, DOCS_PAGE, { 'content-security-policy': DOCS_POLICY }),
  }
}

/** Returns a function that caches the result of `make` for `ms` milliseconds. Concurrent callers share one call. */
function memoize<T>(make: () => Promise<T>, ms: number): () => Promise<T> {
  let made: { atMs: number; value: Promise<T> } | undefined
  return () => {
    const atMs = performance.now()
    if (made === undefined || atMs - made.atMs >= ms) made = { atMs, value: make() }
    return made.value
  }
}

/** Returns the metadata of an agent endpoint, which is the same for every id. */
function describe(
  { publicUrl, tokenIssuer }: Pick<HttpApp, 'publicUrl' | 'tokenIssuer'>,
  path: string,
): ProtectedResource {
  return {
    resource: `${publicUrl}${path}`,
    resource_name: 'Cairn',
    ...(tokenIssuer && { authorization_servers: [tokenIssuer] }),
    scopes_supported: [...SCOPES],
    bearer_methods_supported: ['header'],
  }
}

const READINESS_MS = 1000
/** Maximum milliseconds for the readiness check. */
const READINESS_MS_MAX = 2000

/** Returns a readiness check that runs at most once per second. During shutdown it returns false. */
export function cachedReadiness(isReady: () => Promise<boolean>, stopping: AbortSignal): () => Promise<boolean> {
  const check = memoize(() => withTimeout(isReady()), READINESS_MS)
  return () => (stopping.aborted ? Promise.resolve(false) : check())
}

/** Returns the answer, or false if it fails or takes too long. */
async function withTimeout(answer: Promise<boolean>): Promise<boolean> {
  const timedOut = new AbortController()
  const late = sleep(READINESS_MS_MAX, false, { signal: timedOut.signal }).catch(() => false)
  const isReady = await Promise.race([answer.catch(() => false), late])
  timedOut.abort()
  return isReady
}
