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

/**
 * Content security policy of the page at `/docs`: scripts and requests only from and to this service. Inline styles are
 * allowed, because the page's library needs them.
 */
export const DOCS_POLICY = headersOf({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
})['content-security-policy'] as string

/**
 * Content security policy of the console and the guide. It allows files of this service and requests to it, but no
 * inline styles or scripts.
 */
export const PAGE_POLICY = headersOf({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
})['content-security-policy'] as string

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
