import type { OAuthTokens } from '@modelcontextprotocol/client'
import { MS_PER_SECOND } from '../../base/clock.ts'
import type { TokenSet } from './consent-rows.ts'

/** Fraction of a token's lifetime after which it is refreshed. */
const REFRESH_AFTER = 0.8
/** Maximum lifetime in seconds. A longer one is an error of the server. */
const LIFETIME_SECONDS_MAX = 10 * 365 * 24 * 60 * 60
const TOKEN = /^[\x21-\x7e]{1,6000}$/
const SCOPE_CHARS_MAX = 4_096

/**
 * Validates the response of a token endpoint and computes when the token is refreshed. Returns undefined if it contains
 * no usable bearer token. Without a usable `expires_in` the lifetime is that of the JWT, or unknown.
 */
export function toTokenSet(reply: OAuthTokens, now: Date): TokenSet | undefined {
  const { access_token: accessToken, refresh_token: refreshToken, token_type: type, scope } = reply
  if (type.toLowerCase() !== 'bearer' || !TOKEN.test(accessToken)) return undefined
  if (refreshToken !== undefined && !TOKEN.test(refreshToken)) return undefined
  const seconds = lifetimeOf(reply, now)
  const after = (part: number) => new Date(now.getTime() + seconds! * MS_PER_SECOND * part).toISOString()
  return {
    accessToken,
    refreshToken,
    scope: scope !== undefined && scope.length <= SCOPE_CHARS_MAX ? scope : undefined,
    expiresAt: seconds === undefined ? undefined : after(1),
    refreshAt: seconds === undefined ? undefined : after(REFRESH_AFTER),
  }
}

function lifetimeOf({ expires_in: seconds, access_token: token }: OAuthTokens, now: Date): number | undefined {
  if (isLifetime(seconds)) return Math.min(seconds, LIFETIME_SECONDS_MAX)
  const expiry = expiryOfJwt(token)
  const left = expiry === undefined ? undefined : expiry - now.getTime() / MS_PER_SECOND
  return isLifetime(left) ? Math.min(left, LIFETIME_SECONDS_MAX) : undefined
}

function isLifetime(seconds: number | undefined): seconds is number {
  return seconds !== undefined && Number.isFinite(seconds) && seconds > 0
}

/** Reads `exp` of a JWT. The signature is not checked: the value only decides when to refresh. */
function expiryOfJwt(token: string): number | undefined {
  const [, payload, signature] = token.split('.')
  if (payload === undefined || signature === undefined) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const exp = (claims as { exp?: unknown } | null)?.exp
    return typeof exp === 'number' ? exp : undefined
  } catch {
    return undefined
  }
}
