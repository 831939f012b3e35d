import { createLocalJWKSet, jwtVerify } from 'jose'
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  ResponseBodyError,
} from 'openid-client'
import { type Clock, MS_PER_MINUTE, MS_PER_SECOND } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import { findPullFailure } from '../../base/pull-failure.ts'
import type { SafeFetch } from '../../base/safe-fetch.ts'
import type { OidcConfig } from '../../config/oidc.ts'

/** Claims of the identity provider about the signed-in person. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string }

/** Secrets of one sign-in. Only the browser that started it has them. */
export interface SignInSecrets {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface LogoutClaims {
  readonly sub: string | undefined
  readonly sid: string | undefined
  readonly jti: string
}

/** Client of the configured OpenID Connect provider. */
export interface Oidc {
  readonly config: OidcConfig
  /** Returns the authorization URL for the browser. Throws `provider_unreachable`. */
  authorizationUrl(redirectUri: string, secrets: SignInSecrets): Promise<string>
  /** Exchanges the code for claims. Throws `access_denied`, `exchange_failed` and `provider_unreachable`. */
  redeem(callback: URL, secrets: SignInSecrets): Promise<Claims>
  /** Verifies a logout token. Throws `logout_token_invalid` and `provider_unreachable`. */
  readLogoutToken(token: string): Promise<LogoutClaims>
}

const REPLY_BYTES_MAX = 256 * 1024
const REPLY_MS_MAX = 10_000
/** Milliseconds for which metadata and keys are cached. */
const FRESH_MS = 10 * MS_PER_MINUTE
/** Tolerated clock difference between the provider and this machine, in seconds. */
const SKEW_SECONDS = 60
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const LOGOUT_AGE_SECONDS = 600
/** Accepted signature algorithms of logout tokens. They are all asymmetric: the client secret never signs one. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** Opens the client on the guarded network. It sends no request before the first sign-in. */
export function openOidc(
  config: OidcConfig,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  network: Pick<SafeFetch, 'streaming' | 'assertCallable'>,
): Oidc {
  const fetch = network.streaming({ bytesMax: REPLY_BYTES_MAX, totalMs: REPLY_MS_MAX })
  const now = () => clock.now().getTime()
  const discovered = memoizeFresh(now, () => discover(config, fetch))
  const keys = memoizeFresh(now, async () => fetchKeys((await discovered()).serverMetadata().jwks_uri, fetch))
  const callProvider = <T>(work: Promise<T>): Promise<T> =>
    work.catch((cause: unknown) => {
      log.warn('the identity provider cannot be used', { error: cause })
      throw cause instanceof Fault ? cause : new Fault('provider_unreachable', { cause })
    })
  return {
    config,
    authorizationUrl: (redirectUri, { state, nonce, verifier }) =>
      callProvider(
        discovered().then(async (provider) => {
          const url = buildAuthorizationUrl(provider, {
            redirect_uri: redirectUri,
            scope: config.scopes,
            state,
            nonce,
            code_challenge: await calculatePKCECodeChallenge(verifier),
            code_challenge_method: 'S256',
          })
          // The browser is redirected only to addresses that this service may call itself.
          await network.assertCallable(url)
          return url.href
        }),
      ),
    redeem: async (callback, secrets) => {
      const provider = await callProvider(discovered())
      return redeem(provider, config, callback, secrets).catch((cause: unknown) => {
        log.warn('a sign-in failed at the identity provider', { error: cause })
        throw faultOf(cause)
      })
    },
    readLogoutToken: async (token) => {
      const issuer = (await callProvider(discovered())).serverMetadata().issuer
      const set = await callProvider(keys())
      return readLogoutToken(token, { issuer, clientId: config.clientId, set })
    },
  }
}

/** Returns a function that caches its result for `FRESH_MS`. A failure is not cached. */
function memoizeFresh<T>(now: () => number, make: () => Promise<T>): () => Promise<T> {
  let made: { atMs: number; value: Promise<T> } | undefined
  return () => {
    if (made && now() - made.atMs < FRESH_MS) return made.value
    const making = { atMs: now(), value: make() }
    made = making
    making.value.catch(() => {
      if (made === making) made = undefined
    })
    return making.value
  }
}

async function discover(config: OidcConfig, fetch: typeof globalThis.fetch): Promise<Configuration> {
  const { issuer, clientId, clientSecret } = config
  const url = new URL(issuer)
  const provider = await discovery(
    url,
    clientId,
    { ...(clientSecret && { client_secret: clientSecret }), [clockTolerance]: SKEW_SECONDS },
    clientSecret ? secretAuth(clientSecret) : None(),
    {
      [customFetch]: (address, init) => fetch(address, init as RequestInit),
      timeout: REPLY_MS_MAX / MS_PER_SECOND,
      execute: [enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [allowInsecureRequests] : [])],
    },
  )
  const found = provider.serverMetadata().issuer
  if (found !== issuer) throw new Error(`the provider names the issuer ${found}, which differs from CAIRN_OIDC_ISSUER`)
  return provider
}

/** Authenticates with HTTP Basic, the default method, unless the provider lists only other methods. */
function secretAuth(secret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)]
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (methods.includes('client_secret_basic') ? basic : post)(server, client, body, headers)
  }
}

async function redeem(
  provider: Configuration,
  { groupsClaim }: OidcConfig,
  callback: URL,
  { state, nonce, verifier }: SignInSecrets,
): Promise<Claims> {
  const tokens = await authorizationCodeGrant(provider, callback, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (!claims) throw new Fault('exchange_failed', { note: 'the provider sent no ID token' })
  const isComplete = ['email', 'name', groupsClaim].every((name) => name in claims)
  if (isComplete || !provider.serverMetadata().userinfo_endpoint) return claims
  const more = await fetchUserInfo(provider, tokens.access_token, claims.sub)
  return { ...more, ...claims }
}

/** Returns the fault for a failed exchange. Messages of the provider go only to the log. */
function faultOf(cause: unknown): Fault {
  if (cause instanceof Fault) return cause
  if (cause instanceof AuthorizationResponseError) {
    return new Fault(cause.error === 'access_denied' ? 'access_denied' : 'exchange_failed', { cause })
  }
  const isServerError = cause instanceof ResponseBodyError && cause.status >= SERVER_ERROR
  const isResponse = cause instanceof ResponseBodyError || cause instanceof ClientError
  const isUnreachable = isServerError || findPullFailure(cause) !== undefined || !isResponse
  return new Fault(isUnreachable ? 'provider_unreachable' : 'exchange_failed', { cause })
}

const SERVER_ERROR = 500

type KeySet = ReturnType<typeof createLocalJWKSet>

async function fetchKeys(url: string | undefined, fetch: typeof globalThis.fetch): Promise<KeySet> {
  if (url === undefined) throw new Error('the provider publishes no keys')
  const response = await fetch(url, { headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`the provider responded ${response.status} for its keys`)
  return createLocalJWKSet((await response.json()) as Parameters<typeof createLocalJWKSet>[0])
}

/** Verifies a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6). */
async function readLogoutToken(
  token: string,
  { issuer, clientId, set }: { issuer: string; clientId: string; set: KeySet },
): Promise<LogoutClaims> {
  const verified = await jwtVerify(token, set, {
    issuer,
    audience: clientId,
    algorithms: ALGORITHMS,
    requiredClaims: ['iat', 'jti', 'events'],
    maxTokenAge: LOGOUT_AGE_SECONDS,
    clockTolerance: SKEW_SECONDS,
  }).catch((cause: unknown) => {
    throw new Fault('logout_token_invalid', { cause })
  })
  const { sub, sid, jti, events, nonce } = verified.payload
  const hasEvent = typeof events === 'object' && events !== null && LOGOUT_EVENT in events
  const isNamed = typeof sub === 'string' || typeof sid === 'string'
  const isWellFormed = hasEvent && isNamed && nonce === undefined && typeof jti === 'string'
  if (!isWellFormed) throw new Fault('logout_token_invalid')
  return { sub, sid: typeof sid === 'string' ? sid : undefined, jti }
}
