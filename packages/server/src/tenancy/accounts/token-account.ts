import { isAccountId, type OAuthScope, SCOPES } from '@cairnstore/contract'
import { createLocalJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { MS_PER_DAY, MS_PER_SECOND } from '../../base/clock.ts'
import { sha256 } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import { timeoutSignal } from '../../base/timeout-signal.ts'
import type { JwtConfig } from '../../config/jwt.ts'
import { appendAudit } from '../../db/audit.ts'
import type { Caller } from '../caller.ts'
import type { Planes } from '../planes.ts'
import { createAccountOnce } from './store.ts'

/** Maps the tokens of the configured issuer to accounts. */
export type TokenAccounts = ReturnType<typeof openTokenAccounts>

/** Tolerated clock difference between the issuer and this machine, in seconds. */
const SKEW_SECONDS = 60
const TOKEN_BYTES_MAX = 8 * 1024
const NAME_CHARS_MAX = 255
const CREDENTIAL_CHARS = 32
const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/** Opens the account look-up for the configured issuer. */
export function openTokenAccounts(config: JwtConfig, planes: Pick<Planes, 'sql' | 'clock' | 'log'>) {
  const verify = verifierOf(config, planes)
  return {
    /**
     * Returns the account of a token and creates it on first use. Returns undefined if the token is not valid now or
     * the account is suspended. The token's audience must be the configured one or one of `audiences`. Throws
     * `unavailable` if the issuer's keys are needed and cannot be fetched.
     */
    find: async (token: string, audiences: readonly string[]): Promise<FoundCaller | undefined> => {
      if (token.length > TOKEN_BYTES_MAX || !COMPACT_JWS.test(token)) return undefined
      const claims = await verify(token, audiences)
      const accountId = claims?.[config.accountClaim]
      if (claims === undefined || typeof accountId !== 'string' || !isAccountId(accountId)) return undefined
      if (!(await isActive(planes, accountId, claims))) return undefined
      return {
        caller: { accountId, credential: { kind: 'jwt', id: credentialId(accountId), ...scopesIn(claims) } },
        holderId: null,
        expiresAt: new Date((claims.exp! + SKEW_SECONDS) * MS_PER_SECOND),
      }
    },
  }
}

/** Returns a function that verifies a token. It returns the claims; undefined if the token is not valid now. */
function verifierOf({ key, issuer, audience, algorithms }: JwtConfig, planes: Pick<Planes, 'clock' | 'log'>) {
  const published = 'jwksUrl' in key ? openPublishedKeys(key.jwksUrl, planes) : undefined
  const fixed = 'secret' in key ? key.secret : 'publicKey' in key ? key.publicKey : undefined
  return async (token: string, audiences: readonly string[]): Promise<JWTPayload | undefined> => {
    const now = planes.clock.now()
    const options = {
      issuer,
      audience: [audience, ...audiences],
      algorithms: [...algorithms],
      requiredClaims: ['sub', 'exp', 'iat'],
      clockTolerance: SKEW_SECONDS,
      currentDate: now,
    }
    try {
      const { payload } = published
        ? await jwtVerify(token, published, options)
        : await jwtVerify(token, fixed!, options)
      const isFromTheFuture = payload.iat! > now.getTime() / MS_PER_SECOND + SKEW_SECONDS
      return isFromTheFuture ? undefined : payload
    } catch (error) {
      if (error instanceof Fault) throw error
      // jose also throws a TypeError for invalid tokens, such as one whose header does not fit the key's type.
      if (!(error instanceof errors.JOSEError || error instanceof TypeError)) throw error
      planes.log.debug('token rejected', { reason: error instanceof errors.JOSEError ? error.code : 'key type' })
      return undefined
    }
  }
}

/** Returns the scopes of this service in a token, from `scope` (RFC 9068) or `scp`. */
function scopesIn({ scope, scp }: JWTPayload): { scopes?: OAuthScope[] } {
  const named = [scope, scp].flatMap((each) =>
    typeof each === 'string' ? each.split(' ') : Array.isArray(each) ? each : [],
  )
  const scopes = SCOPES.filter((each) => named.includes(each))
  return scopes.length > 0 ? { scopes } : {}
}

/** Returns true if the account may act. Creates the account on first use; concurrent first uses create it once. */
async function isActive(
  { sql, clock }: Pick<Planes, 'sql' | 'clock'>,
  accountId: string,
  claims: JWTPayload,
): Promise<boolean> {
  const find = () =>
    sql.transact(accountId, (tx) =>
      tx.selectFrom('account').select(['status', 'member_of']).where('user_id', '=', accountId).executeTakeFirst(),
    )
  const known = await find()
  // A token's subject is an account. A subject that equals a member's id must not act as that member.
  if (known) return known.status === 'active' && known.member_of === null
  const at = clock.now()
  await sql.transact(accountId, async (tx) => {
    if (!(await createAccountOnce(tx, accountId, displayName(accountId, claims), at))) return
    const event = {
      event: 'account.created',
      subject_id: accountId,
      credential_id: credentialId(accountId),
      request_id: null,
    }
    await appendAudit(tx, { user_id: accountId, chain: accountId, at, actor_user_id: accountId, ...event })
  })
  return (await find())?.status === 'active'
}

/** Returns the credential id of an account's tokens, for logs and stored responses. */
function credentialId(accountId: string): `jwt_${string}` {
  return `jwt_${sha256(accountId).toString('hex').slice(0, CREDENTIAL_CHARS)}`
}

function displayName(accountId: string, { name }: JWTPayload): string {
  const isName = typeof name === 'string' && /\S/.test(name) && !/[\0\ud800-\udfff]/u.test(name)
  return isName ? [...name].slice(0, NAME_CHARS_MAX).join('') : accountId
}

/** Age in milliseconds after which published keys are fetched again. It bounds how long a withdrawn key is accepted. */
const FRESH_MS = 5 * 60 * 1000
/** Maximum age in milliseconds of cached keys while the issuer is unavailable. */
const STALE_MS_MAX = MS_PER_DAY
/** Minimum milliseconds between two requests to the issuer, even if tokens name unknown keys. */
const COOLDOWN_MS = 10_000
const FETCH_TIMEOUT_MS = 5_000
const BYTES_MAX = 256 * 1024

type PublishedKeys = ReturnType<typeof createLocalJWKSet>

/**
 * Returns a function that finds a token's key in the issuer's JWKS at one fixed URL. Key material and URLs in the
 * token's header are ignored. The function throws jose's errors if there is no such key, and `unavailable` if the keys
 * cannot be fetched.
 */
function openPublishedKeys(url: string, { clock, log }: Pick<Planes, 'clock' | 'log'>): JWTVerifyGetKey {
  let keys: { find: PublishedKeys; at: number } | undefined
  let lastFetch = { at: Number.NEGATIVE_INFINITY, failed: false }
  let fetching: Promise<void> | undefined
  const now = () => clock.now().getTime()
  const fetchOnce = async () => {
    try {
      keys = { find: createLocalJWKSet(await fetchKeys(url)), at: now() }
      lastFetch = { at: now(), failed: false }
    } catch (error) {
      lastFetch = { at: now(), failed: true }
      log.warn('the token issuer’s keys cannot be fetched', { error })
    }
  }
  const refresh = async () => {
    if (now() - lastFetch.at < COOLDOWN_MS) return
    fetching ??= fetchOnce().finally(() => {
      fetching = undefined
    })
    await fetching
  }
  return async (header, token) => {
    if (!keys || now() - keys.at >= FRESH_MS) await refresh()
    if (!keys || now() - keys.at >= STALE_MS_MAX) throw unreachable()
    try {
      return await keys.find(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      await refresh()
      // The key may be valid, but the latest key set could not be fetched.
      if (lastFetch.failed) throw unreachable()
      return keys.find(header, token)
    }
  }
}

function unreachable(): Fault {
  return new Fault('unavailable', { detail: 'The token issuer’s keys cannot be fetched. Try again shortly.' })
}

async function fetchKeys(url: string): Promise<Parameters<typeof createLocalJWKSet>[0]> {
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/json' },
    signal: timeoutSignal(FETCH_TIMEOUT_MS),
  })
  if (response.status !== 200 || !response.body) throw new Error(`the issuer responded ${response.status}`)
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body) {
    bytes += part.byteLength
    if (bytes > BYTES_MAX) throw new Error(`the issuer’s keys are larger than ${BYTES_MAX} bytes`)
    parts.push(part)
  }
  return JSON.parse(Buffer.concat(parts).toString('utf8'))
}

export interface FoundCaller {
  caller: Caller
  /** The account that owns the key, for its use count; null if uses are not counted. */
  holderId: string | null
  expiresAt: Date | null
}
