import type { Id, MemberRole } from '@cairnstore/contract'
import { sql as sqlText } from 'kysely'
import { createAllowances } from '../../base/allowances.ts'
import { sameDigest, sha256 } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import { hasValues } from '../../db/of-sandbox.ts'
import type { Caller } from '../caller.ts'
import type { Planes } from '../planes.ts'
import { looksLike } from './key-format.ts'
import { endOfSession, USE_INTERVAL_MS } from './session-times.ts'
import type { FoundCaller, TokenAccounts } from './token-account.ts'

/** Selector of the cached credentials to drop: those of a key, a connection, a session, or an account or member. */
type RevokedCredentials = { keyId: string } | { connectionId: string } | { sessionId: string } | { accountId: string }

/** Authenticates callers by their credentials and counts the uses of each key. */
export interface Authenticator {
  /**
   * Returns the caller of a bearer token. Returns undefined if the token is unknown, revoked, expired or suspended. A
   * token of the configured issuer may also name one of `audiences`, the addresses of the endpoint that received it.
   * Throws `unavailable` if the token cannot be checked at the moment. Throws `rate_limited` for an uncached key after
   * too many failed attempts from this address. Counts a use of the key unless `isUse` is false.
   */
  authenticate(
    token: string,
    address: string,
    audiences?: readonly string[],
    isUse?: boolean,
  ): Promise<Caller | undefined>
  /** Returns the caller of a valid session token, and records the use. Throws `unavailable` and `rate_limited`. */
  session(token: string, address: string): Promise<Caller | undefined>
  /**
   * Counts a possible guess at a credential from an address. The returned function undoes the count; call it if the
   * credential was valid or could not be checked. Throws `rate_limited` after too many failed attempts from this
   * address.
   */
  countGuess(address: string): () => void
  /** Removes these credentials from this process's cache, after a revocation or suspension. */
  forget(which: RevokedCredentials): void
  /** Writes the pending use counts. */
  close(): Promise<void>
}

/** Ways to check a token other than the keys in the database. */
interface TrustedIssuers {
  /** SHA-256 of the admin key; null if there is none. */
  adminKeyHash: Uint8Array | null
  /** Accounts of the configured token issuer; null if none is configured. */
  tokens: TokenAccounts | null
}

/** A credential to look up, and the key of the cache entry for the result. */
interface CredentialLookup {
  token: string
  name: string
  address: string
  audiences: readonly string[]
}

/** Lifetime of a cached credential, in milliseconds. It bounds how long another process may accept a revoked one. */
const CACHED_MS = 1_000
/** Maximum number of cached credentials. */
const CACHED_MAX = 10_000
/** Maximum length of a token that is cached as it is. Longer tokens are cached by their digest to bound memory. */
const PLAIN_TOKEN_CHARS_MAX = 128

type CachedCaller = FoundCaller & { untilMs: number }

/** Opens an authenticator. Tests pass a guess limit with their own clock. */
export function openAuthenticator(
  planes: Pick<Planes, 'sql' | 'clock' | 'log'>,
  { adminKeyHash, tokens }: TrustedIssuers,
  guesses = openGuessCap(),
): Authenticator {
  const uses = openKeyUses(planes)
  const known = new Map<string, CachedCaller>()
  // Counts the calls of `forget`. A look-up that began before such a call may return a stale result, so it is not
  // cached.
  let revocations = 0
  // A cached key does not count as a guess. Wrong keys from the same address therefore cannot lock it out.
  const lookUp = async (token: string, name: string, address: string): Promise<FoundCaller | undefined> => {
    const isSession = looksLike('session', token)
    const isGuess = (isSession || isKeyLike(token)) && !known.has(name)
    const undo = isGuess ? guesses.count(address) : undefined
    try {
      const found = isSession ? await findSession(planes, token) : await findKey(planes, token)
      if (found) undo?.()
      else known.delete(name)
      return found
    } catch (cause) {
      undo?.()
      throw cause
    }
  }
  const find = async ({ token, name, address, audiences }: CredentialLookup): Promise<FoundCaller | undefined> => {
    const before = revocations
    const found =
      findAdmin(adminKeyHash, token) ?? (await tokens?.find(token, audiences)) ?? (await lookUp(token, name, address))
    if (found && before === revocations) addToCache(known, name, { ...found, untilMs: performance.now() + CACHED_MS })
    return found
  }
  return {
    authenticate: async (token, address, audiences = [], isUse = true) => {
      // A session token is valid only in its cookie.
      if (looksLike('session', token)) return undefined
      const cacheKey = token.length > PLAIN_TOKEN_CHARS_MAX ? sha256(token).toString('base64') : token
      // A token for one endpoint's audience must not be accepted at another, so the cache key includes the audiences.
      const name = isKeyLike(token) ? cacheKey : [cacheKey, ...audiences].join(' ')
      const found = findCached(known, name) ?? (await find({ token, name, address, audiences }))
      const now = planes.clock.now()
      if (!found || (found.expiresAt !== null && found.expiresAt <= now)) return undefined
      if (isUse && found.holderId !== null) uses.count(found.caller.credential.id, found.holderId, now)
      return found.caller
    },
    session: async (token, address) => {
      if (!looksLike('session', token)) return undefined
      const before = revocations
      const found = findCached(known, token) ?? (await lookUp(token, token, address))
      if (!found || found.expiresAt === null || found.expiresAt <= planes.clock.now()) return undefined
      const untilMs = performance.now() + CACHED_MS
      if (!('untilMs' in found) && before === revocations) addToCache(known, token, { ...found, untilMs })
      return found.caller
    },
    countGuess: (address) => guesses.count(address),
    forget: (which) => {
      revocations += 1
      for (const [name, found] of known) if (isOf(found, which)) known.delete(name)
    },
    close: () => uses.close(),
  }
}

function findCached(known: Map<string, CachedCaller>, name: string): CachedCaller | undefined {
  const found = known.get(name)
  return found && found.untilMs > performance.now() ? found : undefined
}

function addToCache(known: Map<string, CachedCaller>, name: string, found: CachedCaller): void {
  known.delete(name)
  known.set(name, found)
  if (known.size > CACHED_MAX) known.delete(known.keys().next().value as string)
}

function isOf(
  { caller: { accountId, credential, member }, holderId }: FoundCaller,
  which: RevokedCredentials,
): boolean {
  if ('keyId' in which) return credential.id === which.keyId
  if ('sessionId' in which) return credential.id === which.sessionId
  if ('accountId' in which) {
    return [accountId, holderId, member?.tenantId].includes(which.accountId)
  }
  return credential.kind === 'connection_key' && credential.connectionId === which.connectionId
}

/** Caller of the operator. It has no account, so it cannot read a tenant's rows by mistake. */
const OPERATOR: FoundCaller = {
  caller: { accountId: '', credential: { kind: 'admin_key', id: 'admin_key' } },
  holderId: null,
  expiresAt: null,
}

/** Returns the operator if the token is the admin key. */
function findAdmin(adminKeyHash: Uint8Array | null, token: string): FoundCaller | undefined {
  return adminKeyHash !== null && sameDigest(sha256(token), adminKeyHash) ? OPERATOR : undefined
}

/** Limits of invalid keys, in attempts per client address. A client that retries a revoked key stays below them. */
const LIMITS = { burst: 100, perSecond: 5, addresses: 10_000 } as const

/** Creates the guess limit. Tests pass `nowMs`. */
export function openGuessCap(nowMs?: () => number) {
  const allowances = createAllowances(LIMITS, nowMs)
  return {
    /**
     * Counts a look-up of a key that is not cached. The returned function undoes the count; call it if the key was
     * valid or could not be checked. Throws `rate_limited` after too many failed look-ups from this address.
     */
    count: (address: string) => {
      const undo = () => allowances.giveBack(address)
      if (allowances.take(address) >= 0) return undo
      undo()
      throw new Fault('rate_limited', {
        detail: 'Too many invalid credentials from this address. Wait for the seconds in Retry-After.',
        retryAfterSeconds: 1,
      })
    },
  }
}

/** Returns true if the token has the form of a key. Only such tokens are looked up. */
function isKeyLike(token: string): boolean {
  return looksLike('apiKey', token) || looksLike('connectionKey', token)
}

/**
 * Returns the caller of a key: its account, or the grantee for a connection key. Returns undefined if the token is no
 * key, or if the key, its account or its connection is not active. All keys cost one look-up, so the response time
 * reveals nothing. The calling function must check the expiry.
 */
async function findKey({ sql }: Pick<Planes, 'sql'>, token: string): Promise<FoundCaller | undefined> {
  if (!isKeyLike(token)) return undefined
  const keyHash = sha256(token)
  const [row, other] = await sql.look({ keyHash }, (tx) =>
    tx
      .selectFrom('api_key as key')
      .leftJoin('connection', (join) =>
        join
          .onRef('connection.user_id', '=', 'key.user_id')
          .onRef('connection.sandbox_id', '=', 'key.sandbox_id')
          .onRef('connection.id', '=', 'key.connection_id')
          .on('connection.revoked_at', 'is', null)
          .on((is) =>
            is.or([is('connection.expires_at', 'is', null), is('connection.expires_at', '>', sqlText<Date>`now()`)]),
          ),
      )
      .innerJoin('account', (join) =>
        join.on('account.user_id', '=', sqlText<string>`coalesce(connection.grantee_user_id, "key".user_id)`),
      )
      .leftJoin('member', (join) =>
        join.onRef('member.user_id', '=', 'key.user_id').onRef('member.id', '=', 'key.member_id'),
      )
      .leftJoin('account as holder', 'holder.user_id', 'key.user_id')
      .select(['key.user_id as holderId', 'key.id', 'key.expires_at', 'key.sandbox_id', 'key.connection_id'])
      .select(['account.user_id as accountId', 'connection.id as liveConnectionId', 'connection.grantee_user_id'])
      .select(['key.member_id', 'member.role', 'member.status as memberStatus'])
      .select(['account.member_of', 'holder.status as holderStatus'])
      .where('key.key_hash', '=', keyHash)
      .where('key.revoked_at', 'is', null)
      .where('account.status', '=', 'active'),
  )
  // Key hashes are unique. If two rows ever had the same hash, the owner of the key would be ambiguous.
  if (!row || other || (row.connection_id !== null && row.liveConnectionId === null)) return undefined
  const id = row.id as Id<'key'>
  const { holderId, accountId, expires_at: expiresAt } = row
  if (row.connection_id === null) {
    const who = callerOf(holderId, row)
    return who && { caller: { ...who, credential: { kind: 'api_key', id } }, holderId, expiresAt }
  }
  // A sandbox grant has no single grantee, so its key has no account to act as. It must never act as the owner.
  if (row.grantee_user_id === null) return undefined
  // Suspending an account also ends the keys of its members.
  if (row.member_of !== null && row.holderStatus !== 'active') return undefined
  const connectionId = row.connection_id as Id<'connection'>
  const sandboxId = row.sandbox_id as Id<'sandbox'>
  const credential = { kind: 'connection_key', id, connectionId, sandboxId } as const
  return { caller: { accountId, credential }, holderId, expiresAt }
}

/** Member columns of a credential's row. */
interface FoundMember {
  member_id: string | null
  role: MemberRole | null
  memberStatus: 'active' | 'suspended' | null
}

/** Returns the acting account or member. Returns undefined if the member was suspended or removed. */
function callerOf(holderId: string, { member_id: memberId, role, memberStatus }: FoundMember) {
  if (memberId === null) return { accountId: holderId }
  if (role === null || memberStatus !== 'active') return undefined
  const id = memberId as Id<'member'>
  return { accountId: id, member: { id, tenantId: holderId, role } }
}

/** Returns the caller of a session token and records the use, at most once a minute. */
async function findSession({ sql, clock }: Pick<Planes, 'sql' | 'clock'>, token: string) {
  const sessionHash = sha256(token)
  const [row] = await sql.look({ sessionHash }, (tx) =>
    tx
      .selectFrom('session')
      .innerJoin('account', 'account.user_id', 'session.user_id')
      .leftJoin('member', (join) =>
        join.onRef('member.user_id', '=', 'session.user_id').onRef('member.id', '=', 'session.member_id'),
      )
      .select(['session.user_id', 'session.id', 'session.member_id', 'session.last_used_at', 'session.expires_at'])
      .select(['member.role', 'member.status as memberStatus'])
      .where('session.token_hash', '=', sessionHash)
      .where('account.status', '=', 'active'),
  )
  const who = row && callerOf(row.user_id, row)
  const now = clock.now()
  const expiresAt = row && endOfSession(row)
  if (!who || !expiresAt || expiresAt <= now) return undefined
  const id = row.id as Id<'session'>
  if (now.getTime() - row.last_used_at.getTime() >= USE_INTERVAL_MS) await recordUse(sql, row.user_id, id, now)
  // If this use was just recorded, the session ends later than `expiresAt`. The cache entry expires sooner than both.
  return { caller: { ...who, credential: { kind: 'session', id } as const }, holderId: null, expiresAt }
}

async function recordUse(sql: Planes['sql'], userId: string, id: string, now: Date): Promise<void> {
  await sql.write(userId, (tx) =>
    tx.updateTable('session').set({ last_used_at: now }).where('user_id', '=', userId).where('id', '=', id),
  )
}

interface Use {
  holderId: string
  count: number
  lastUsedAt: Date
}

/** Milliseconds between writes of the counts. */
const FLUSH_INTERVAL_MS = 5_000

/** Starts the counter and its periodic writes. */
function openKeyUses(planes: Pick<Planes, 'sql' | 'log'>) {
  const uses = new Map<string, Use>()
  let flushing = Promise.resolve()
  const flush = () => {
    flushing = flushing
      .then(() => writeUses(planes, uses))
      .catch((error: unknown) => {
        planes.log.warn('writing key use counts failed', { error })
      })
    return flushing
  }
  const timer = setInterval(flush, FLUSH_INTERVAL_MS).unref()
  return {
    /** Counts a use of a key of this account. */
    count: (keyId: string, holderId: string, lastUsedAt: Date) => {
      uses.set(keyId, { holderId, count: (uses.get(keyId)?.count ?? 0) + 1, lastUsedAt })
    },
    /** Writes the pending counts. */
    close: async () => {
      clearInterval(timer)
      await flush()
    },
  }
}

/** Writes the counts, one transaction per key. Counts that cannot be written are retried with the next flush. */
async function writeUses({ sql }: Pick<Planes, 'sql'>, uses: Map<string, Use>): Promise<void> {
  for (const [id, { holderId, count, lastUsedAt }] of [...uses]) {
    await sql.transact(holderId, (tx) =>
      tx
        .updateTable('api_key')
        .set({
          use_count: sqlText<number>`use_count + ${count}`,
          last_used_at: sqlText<Date>`greatest(last_used_at, ${lastUsedAt})`,
        })
        .where(hasValues({ user_id: holderId, id }))
        .execute(),
    )
    const left = (uses.get(id)?.count ?? 0) - count
    if (left > 0) uses.set(id, { ...uses.get(id)!, count: left })
    else uses.delete(id)
  }
}
