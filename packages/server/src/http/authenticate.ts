import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { Fault } from '../base/fault.ts'
import { isLoopback } from '../base/safe-fetch.ts'
import type { Caller } from '../tenancy/caller.ts'

/**
 * Returns the caller of a bearer token for this service or for one of the audiences; undefined if the token is not
 * valid. Records that the key was used, unless `isUse` is false.
 */
export type Authenticate = (
  token: string,
  address: string,
  audiences?: readonly string[],
  isUse?: boolean,
) => Promise<Caller | undefined>

const BEARER = /^Bearer ([\x21-\x7e]{1,8192})$/i

const KEY_HEADERS = ['x-encryption-token', 'x-encryption-key', 'x-new-encryption-token', 'x-new-encryption-key']
/** Headers that may occur only once. If one is duplicated, a proxy could use another value than this service. */
const ONCE: ReadonlySet<string> = new Set(['authorization', 'host', ...KEY_HEADERS])
const ONCE_LENGTHS: ReadonlySet<number> = new Set([...ONCE].map((name) => name.length))

/** Returns the caller. Throws `unauthorized`, and `rate_limited` after too many failures from its address. */
export async function authenticateRequest(
  { raw, ip }: Pick<FastifyRequest, 'raw' | 'ip'>,
  authenticate: Authenticate,
  audiences: readonly string[] = [],
  isUse = true,
): Promise<Caller> {
  const token = bearerOf(raw)
  const caller = token === undefined ? undefined : await authenticate(token, ip, audiences, isUse)
  if (caller === undefined) throw new Fault('unauthorized')
  return caller
}

export function bearerOf(raw: IncomingMessage): string | undefined {
  return BEARER.exec(raw.headers.authorization ?? '')?.[1]
}

/** Returns true if the request arrived over TLS or came from this machine. */
export function isPrivate(request: FastifyRequest): boolean {
  if (request.protocol === 'https') return true
  const { 'x-forwarded-proto': forwarded } = request.headers
  return forwarded !== 'http' && isLoopback(request.ip) && isLoopback(request.socket.remoteAddress ?? '')
}

/** Returns true if one of these headers occurs twice, even with equal values. */
export function hasDuplicate(raw: IncomingMessage): boolean {
  let seen: string[] | undefined
  for (let at = 0; at < raw.rawHeaders.length; at += 2) {
    const name = raw.rawHeaders[at]!
    if (!ONCE_LENGTHS.has(name.length)) continue
    const lowered = name.toLowerCase()
    if (!ONCE.has(lowered)) continue
    seen ??= []
    if (seen.includes(lowered)) return true
    seen.push(lowered)
  }
  return false
}
