import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import helmet, { type HelmetOptions } from 'helmet'

/** Headers of every response. They prevent caching, framing, MIME sniffing and script execution. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  ...headersOf({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  }),
}

/** Content security policy of `/docs`: only this service. The page's library needs inline styles. */
export const DOCS_POLICY = policyOf({ styleSrc: ["'self'", "'unsafe-inline'"], imgSrc: ["'self'", 'data:'] })

/** Content security policy of console and guide. It allows no inline styles or scripts. */
export const PAGE_POLICY = policyOf({ styleSrc: ["'self'"], imgSrc: ["'self'"] })

function policyOf(sources: { styleSrc: string[]; imgSrc: string[] }): string {
  const directives = {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    ...sources,
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  }
  return headersOf({ contentSecurityPolicy: { useDefaults: false, directives } })['content-security-policy'] as string
}

/** Additional header of responses over TLS (HSTS). It is valid for a year. */
export const TLS_HEADERS = { 'strict-transport-security': 'max-age=31536000' } as const

/** Returns the headers that helmet sets. They are the same for every request, so they are computed once. */
function headersOf({ contentSecurityPolicy }: HelmetOptions): Record<string, string> {
  const reply = new ServerResponse(new IncomingMessage(new Socket()))
  const setHeaders = helmet({
    contentSecurityPolicy,
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: false,
  })
  setHeaders(reply.req, reply, () => {})
  return reply.getHeaders() as Record<string, string>
}

/** Seconds for which a browser may cache a preflight response. */
const PREFLIGHT_SECONDS = 600

/** Request headers that the API uses. */
const SENT = [
  'Accept',
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Prefer',
  'X-Encryption-Key',
  'X-Encryption-Token',
  'X-New-Encryption-Key',
  'X-New-Encryption-Token',
  'X-Request-Id',
]

/** Response headers that scripts may read, in addition to the safelisted ones. */
const SHOWN = [
  'ETag',
  'Idempotent-Replayed',
  'Location',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Warning',
  'X-Interpret-Mode',
  'X-Request-Id',
]

/**
 * Allows pages of these sites to use the API in a browser (CORS). Cookies are not allowed, so a page must send its
 * credential itself. A request from any other site gets the same response as without this setting.
 */
export async function allowOrigins(server: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return
  await server.register(cors, {
    origin: (origin, done) => done(null, origin !== undefined && origins.includes(origin)),
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: SENT,
    exposedHeaders: SHOWN,
    maxAge: PREFLIGHT_SECONDS,
    credentials: false,
  })
}
