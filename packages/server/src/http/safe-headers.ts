import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import helmet, { type HelmetOptions } from 'helmet'

/** The headers of every reply: nothing may be guessed, framed, run, embedded elsewhere or kept. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  ...headersOf({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  }),
}

/** The policy of the page at `/docs`: scripts and calls to this service alone; the page's library styles inline. */
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

/** The policy of the console: its own files and calls to this service alone; no style or script stands in its page. */
export const CONSOLE_POLICY = headersOf({
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

/** The policy of the guide: its own files, the scripts inside its pages that have these digests, and its signs. */
export function guidePolicy(scripts: readonly string[]): string {
  return headersOf({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'", ...scripts.map((digest) => `'${digest}'`)],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
  })['content-security-policy'] as string
}

/** What is added to a reply over TLS: the browser comes back over TLS for a year. */
export const TLS_HEADERS = { 'strict-transport-security': 'max-age=31536000' } as const

/** The headers that helmet sets. They are the same for every request, so they are asked for once. */
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

/** For how long a browser need not ask again whether it may send a request. */
const PREFLIGHT_SECONDS = 600

/** The request headers that mean something here. */
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

/** The reply headers that a program reads, beside those that every page may. */
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
 * Lets pages of these sites use the API in a browser. A credential is what a page sends by itself, never a cookie. A
 * request from another site, or from no page, is answered as if no sites were allowed.
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
