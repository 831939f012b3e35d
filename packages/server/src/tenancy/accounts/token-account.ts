import { isAccountId, type OAuthScope, SCOPES } from '@cairnstore/contract'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import { sha256 } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import type { JwtConfig } from '../../config/jwt.ts'
import { appendAudit } from '../../db/audit.ts'
import type { Planes } from '../planes.ts'
import type { Found } from './found-caller.ts'
import { openPublishedKeys } from './published-keys.ts'
import { createAccountOnce } from './store.ts'

/** Accounts by the tokens of a configured issuer. */
export interface TokenAccounts {
  /**
   * The account of a token, made on its first use; undefined for a token that is not valid now, and for an account that
   * is suspended. Beside the configured audience a token may be meant for one of `audiences`. Throws `unavailable` when
   * the issuer's keys are needed and cannot be fetched.
   */
  find(token: string, audiences: readonly string[]): Promise<Found | undefined>
}

/** What the clocks of the issuer and of this machine may differ by. */
const SKEW_SECONDS = 60
const TOKEN_BYTES_MAX = 8 * 1024
const NAME_CHARS_MAX = 255
const CREDENTIAL_CHARS = 32
const MS_PER_SECOND = 1000
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
      tx.selectFrom('account').select('status').where('user_id', '=', accountId).executeTakeFirst(),
    )
  const known = await find()
  if (known) return known.status === 'active'
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
