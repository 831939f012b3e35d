import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'

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
 * Lets pages of these sites use the API in a browser. A credential is what a page sends by itself, never a cookie. Who
 * comes from elsewhere, or is no page, is answered as if there were no such sites.
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
