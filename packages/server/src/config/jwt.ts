import { createPublicKey, type KeyObject } from 'node:crypto'
import { ConfigError } from './config-error.ts'
import type { Env } from './env.ts'
import { isSecureUrl } from './secure-url.ts'

/** Accepted JWTs and their required claims. */
export interface JwtConfig {
  /** The issuer's JWKS URL, its public key, or a shared secret. */
  readonly key: { readonly jwksUrl: string } | { readonly publicKey: KeyObject } | { readonly secret: Uint8Array }
  readonly issuer: string
  readonly audience: string
  /** Accepted signature algorithms. Symmetric and asymmetric ones are never accepted together. */
  readonly algorithms: readonly string[]
  /** Claim with the account's id. */
  readonly accountClaim: string
}

const SECRET_ALGORITHMS = ['HS256', 'HS384', 'HS512']
const RSA_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
const CURVE_ALGORITHMS: Record<string, string> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' }
const PAIR_ALGORITHMS = [...RSA_ALGORITHMS, ...Object.values(CURVE_ALGORITHMS), 'EdDSA', 'Ed25519']
const JWKS_DEFAULT = ['RS256', 'ES256', 'EdDSA']
/** Minimum length of a secret in bytes: that of the shortest accepted digest (RFC 7518 §3.2). */
const SECRET_BYTES_MIN = 32
/** Minimum length of an RSA key in bits (RFC 7518 §3.3). */
const RSA_BITS_MIN = 2048

/**
 * Returns the JWT configuration; null if no key is configured. Throws ConfigError for contradictory settings. Issuer
 * and audience are required too, so that tokens for another service are rejected.
 */
export function readJwt(env: Env, readFile: (path: string) => string): JwtConfig | null {
  const settingsCount = [env.CAIRN_JWT_JWKS_URL, env.CAIRN_JWT_PUBLIC_KEY, env.CAIRN_JWT_SECRET].filter(Boolean).length
  if (settingsCount === 0) return null
  if (settingsCount > 1) {
    throw new ConfigError('Set one of CAIRN_JWT_JWKS_URL, CAIRN_JWT_PUBLIC_KEY and CAIRN_JWT_SECRET, not several.')
  }
  const { CAIRN_JWT_ISSUER: issuer, CAIRN_JWT_AUDIENCE: audience } = env
  if (!issuer || !audience) {
    throw new ConfigError(
      'Tokens need CAIRN_JWT_ISSUER and CAIRN_JWT_AUDIENCE, so that tokens for other services are rejected.',
    )
  }
  const accountClaim = env.CAIRN_JWT_ACCOUNT_CLAIM ?? 'sub'
  return { ...keyAndAlgorithms(env, readFile), issuer, audience, accountClaim }
}

function keyAndAlgorithms(env: Env, readFile: (path: string) => string): Pick<JwtConfig, 'key' | 'algorithms'> {
  const requested = env.CAIRN_JWT_ALGORITHMS?.split(',').map((name) => name.trim())
  if (env.CAIRN_JWT_SECRET) {
    const secret = new TextEncoder().encode(env.CAIRN_JWT_SECRET)
    if (secret.length < SECRET_BYTES_MIN) {
      throw new ConfigError(`CAIRN_JWT_SECRET must be at least ${SECRET_BYTES_MIN} bytes long.`)
    }
    return { key: { secret }, algorithms: allowed(requested ?? ['HS256'], SECRET_ALGORITHMS, 'a shared secret') }
  }
  if (env.CAIRN_JWT_JWKS_URL) {
    const jwksUrl = toJwksUrl(env.CAIRN_JWT_JWKS_URL)
    return { key: { jwksUrl }, algorithms: allowed(requested ?? JWKS_DEFAULT, PAIR_ALGORITHMS, 'published keys') }
  }
  const publicKey = toPublicKey(env.CAIRN_JWT_PUBLIC_KEY ?? '', readFile)
  const suited = algorithmsFor(publicKey)
  return { key: { publicKey }, algorithms: allowed(requested ?? suited.slice(0, 1), suited, 'this public key') }
}

function allowed(requested: string[], suited: string[], what: string): string[] {
  const wrong = requested.find((name) => !suited.includes(name))
  if (wrong === undefined) return requested
  throw new ConfigError(`CAIRN_JWT_ALGORITHMS: with ${what} use ${suited.join(', ')}, separated by commas.`)
}

function toJwksUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !isSecureUrl(url) || url.username || url.password) {
    throw new ConfigError('CAIRN_JWT_JWKS_URL must be an https URL; http is allowed only for this machine.')
  }
  return url.href
}

/** Parses a PEM or JWK, or a file with one. */
function toPublicKey(setting: string, readFile: (path: string) => string): KeyObject {
  try {
    const text = /^\s*(\{|-----BEGIN)/.test(setting) ? setting : readFile(setting)
    const jwk = text.trim().startsWith('{') ? JSON.parse(text) : undefined
    if (/PRIVATE KEY/.test(text) || jwk?.d !== undefined) throw new ConfigError(PRIVATE_KEY_GIVEN)
    // In environment variables, line breaks are often written as a backslash and an n.
    return createPublicKey(jwk ? { key: jwk, format: 'jwk' } : text.replaceAll('\\n', '\n'))
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    throw new ConfigError('CAIRN_JWT_PUBLIC_KEY must be a public key as PEM or JWK, or the path of a file with one.')
  }
}

const PRIVATE_KEY_GIVEN = 'CAIRN_JWT_PUBLIC_KEY is a private key. Set the public key, and keep the private key secret.'

/** Returns the algorithms that a public key can verify, the most common one first. */
function algorithmsFor(key: KeyObject): string[] {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'rsa' && modulusLength >= RSA_BITS_MIN) return RSA_ALGORITHMS
  if (key.asymmetricKeyType === 'ed25519') return ['EdDSA', 'Ed25519']
  const curve = CURVE_ALGORITHMS[namedCurve]
  if (key.asymmetricKeyType === 'ec' && curve) return [curve]
  throw new ConfigError(`CAIRN_JWT_PUBLIC_KEY must be RSA of ${RSA_BITS_MIN} bits, P-256, P-384, P-521 or Ed25519.`)
}
