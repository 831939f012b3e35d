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

/** Accounts by the tokens of a configured issuer. */
export interface TokenAccounts {
  /**
   * The account of a token, made on its first use; undefined for a token that is not valid now, and for an account that
   * is suspended. Beside the configured audience a token may be meant for one of `audiences`. Throws `unavailable` when
   * the issuer's keys are needed and cannot be fetched.
   */
  find(token: string, audiences: readonly string[]): Promise<FoundCaller | undefined>
}

/** What the clocks of the issuer and of this machine may differ by. */
const SKEW_SECONDS = 60
const TOKEN_BYTES_MAX = 8 * 1024
const NAME_CHARS_MAX = 255
const CREDENTIAL_CHARS = 32
const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/** Starts believing the tokens that the configuration describes. */
export function openTokenAccounts(config: JwtConfig, planes: Pick<Planes, 'sql' | 'clock' | 'log'>): TokenAccounts {
  const verify = verifierOf(config, planes)
  return {
    find: async (token, audiences) => {
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

/** Checks a token's signature and claims; undefined for one that is not valid now. */
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
      // What jose cannot make sense of, such as a key of another type than the token says, is no valid token either.
      if (!(error instanceof errors.JOSEError || error instanceof TypeError)) throw error
      planes.log.debug('token refused', { reason: error instanceof errors.JOSEError ? error.code : 'key type' })
      return undefined
    }
  }
}

/** The scopes of this service that a token names, as RFC 9068 has them or as a list; nothing when it names none. */
function scopesIn({ scope, scp }: JWTPayload): { scopes?: OAuthScope[] } {
  const named = [scope, scp].flatMap((each) =>
    typeof each === 'string' ? each.split(' ') : Array.isArray(each) ? each : [],
  )
  const scopes = SCOPES.filter((each) => named.includes(each))
  return scopes.length > 0 ? { scopes } : {}
}

/** Whether the account may act; one that a token names for the first time is made, however many come at once. */
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
  // A token names an account. A subject with the id of a member must not act as that member.
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

/** Names the account's tokens, and no other account's, in logs and stored replies. */
function credentialId(accountId: string): `jwt_${string}` {
  return `jwt_${sha256(accountId).toString('hex').slice(0, CREDENTIAL_CHARS)}`
}

function displayName(accountId: string, { name }: JWTPayload): string {
  const isName = typeof name === 'string' && /\S/.test(name) && !/[\0\ud800-\udfff]/u.test(name)
  return isName ? [...name].slice(0, NAME_CHARS_MAX).join('') : accountId
}

/** Published keys are asked for again when they are older, so that a withdrawn one is not believed for longer. */
const FRESH_MS = 5 * 60 * 1000
/** While the issuer cannot be reached its last keys are believed for so long. */
const STALE_MS_MAX = MS_PER_DAY
/** The least time between two requests to the issuer, even when tokens name unknown keys. */
const COOLDOWN_MS = 10_000
const FETCH_TIMEOUT_MS = 5_000
const BYTES_MAX = 256 * 1024

type KeySet = ReturnType<typeof createLocalJWKSet>

/**
 * Finds the key of a token among those that the issuer publishes at one fixed address; what a token itself says about
 * keys and where they are is not looked at. The finder throws jose's errors for a token without a key there, and
 * `unavailable` when the issuer cannot be asked and its last keys do not answer.
 */
function openPublishedKeys(url: string, { clock, log }: Pick<Planes, 'clock' | 'log'>): JWTVerifyGetKey {
  let keys: { find: KeySet; at: number } | undefined
  let asked = { at: Number.NEGATIVE_INFINITY, failed: false }
  let asking: Promise<void> | undefined
  const now = () => clock.now().getTime()
  const ask = async () => {
    try {
      keys = { find: createLocalJWKSet(await fetchKeys(url)), at: now() }
      asked = { at: now(), failed: false }
    } catch (error) {
      asked = { at: now(), failed: true }
      log.warn('the token issuer’s keys cannot be fetched', { error })
    }
  }
  const refresh = async () => {
    if (now() - asked.at < COOLDOWN_MS) return
    asking ??= ask().finally(() => {
      asking = undefined
    })
    await asking
  }
  return async (header, token) => {
    if (!keys || now() - keys.at >= FRESH_MS) await refresh()
    if (!keys || now() - keys.at >= STALE_MS_MAX) throw unreachable()
    try {
      return await keys.find(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      await refresh()
      // A key that we could not ask for may be a good one.
      if (asked.failed) throw unreachable()
      return keys.find(header, token)
    }
  }
}

function unreachable(): Fault {
  return new Fault('unavailable', { detail: 'The token issuer’s keys cannot be fetched; try again shortly.' })
}

async function fetchKeys(url: string): Promise<Parameters<typeof createLocalJWKSet>[0]> {
  const answer = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/json' },
    signal: timeoutSignal(FETCH_TIMEOUT_MS),
  })
  if (answer.status !== 200 || !answer.body) throw new Error(`the issuer answered ${answer.status}`)
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of answer.body) {
    bytes += part.byteLength
    if (bytes > BYTES_MAX) throw new Error(`the issuer’s keys are larger than ${BYTES_MAX} bytes`)
    parts.push(part)
  }
  return JSON.parse(Buffer.concat(parts).toString('utf8'))
}

/** A credential as it was found. */
export interface FoundCaller {
  caller: Caller
  /** The account whose key it is, to count its uses; null for what is not counted. */
  holderId: string | null
  expiresAt: Date | null
}
