import type { Id, MemberRole } from '@cairnstore/contract'
import { sql as sqlText } from 'kysely'
import { createAllowances } from '../../base/allowances.ts'
import { sameDigest, sha256 } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import type { Caller } from '../caller.ts'
import type { Planes } from '../planes.ts'
import { looksLike } from './key-format.ts'
import { endOfSession, NOTED_EVERY_MS } from './session-times.ts'
import type { FoundCaller, TokenAccounts } from './token-account.ts'

/** Whose credentials are looked up again: those of a key, a connection, a session, or an account or member. */
type Forgotten = { keyId: string } | { connectionId: string } | { sessionId: string } | { accountId: string }

/** Finds callers by their credentials, and counts how often each key is used. */
export interface Authenticator {
  /**
   * The caller that a bearer token stands for, which for a token of an issuer may also be meant for one of `audiences`
   * alone, the addresses of the door it came to; undefined for one that is unknown, revoked, expired or suspended.
   * Throws `unavailable` when that cannot be known at the moment, and `rate_limited` for a key that was never good here
   * when too many others from this address were not.
   */
  authenticate(token: string, address: string, audiences?: readonly string[]): Promise<Caller | undefined>
  /**
   * The caller that a session's token stands for; undefined for one that is unknown, has ended or expired. A use of it
   * is noted. Throws `unavailable`, and `rate_limited` as for a key.
   */
  session(token: string, address: string): Promise<Caller | undefined>
  /**
   * Counts something from an address that may be a guess at a credential. The result takes it back, when it was good
   * or that could not be known. Throws `rate_limited` when too many from this address were not.
   */
  countGuess(address: string): () => void
  /** Makes the next use of these credentials look them up again: for what was revoked or suspended here. */
  forget(which: Forgotten): void
  /** Writes the counts of use that are not written yet. */
  close(): Promise<void>
}

/** What a token can be checked against, beside the keys in the database. */
interface Trusted {
  /** The sha256 of the admin key; null when there is none. */
  adminKeyHash: Uint8Array | null
  /** The accounts of tokens of a configured issuer; null when none is configured. */
  tokens: TokenAccounts | null
}

/** A credential to look up, and the name under which the result is cached. */
interface CredentialLookup {
  token: string
  name: string
  address: string
  audiences: readonly string[]
}

/** A credential that was found is believed for so long; another process sees a revocation after it at the latest. */
const BELIEVED_MS = 1_000
/** Credentials remembered at once. */
const REMEMBERED_MAX = 10_000
/** Longer tokens are remembered by their digest, so that memory holds none of them whole. */
const KEPT_CHARS_MAX = 128

type CachedCaller = FoundCaller & { untilMs: number }

/** Starts an authenticator. Tests give it a cap with a clock of theirs. */
export function openAuthenticator(
  planes: Pick<Planes, 'sql' | 'clock' | 'log'>,
  { adminKeyHash, tokens }: Trusted,
  guesses = openGuessCap(),
): Authenticator {
  const uses = openKeyUses(planes)
  const known = new Map<string, CachedCaller>()
  // What was looked up before something was forgotten may be what was forgotten, so it is not remembered.
  let forgettings = 0
  // A key that was good is looked up however many wrong ones come from where it comes from, as long as it is good.
  const look = async (token: string, name: string, address: string): Promise<FoundCaller | undefined> => {
    const isSession = looksLike('session', token)
    const isGuess = (isSession || isKeyLike(token)) && !known.has(name)
    const takeBack = isGuess ? guesses.count(address) : undefined
    try {
      const found = isSession ? await findSession(planes, token) : await findKey(planes, token)
      if (found) takeBack?.()
      else known.delete(name)
      return found
    } catch (cause) {
      takeBack?.()
      throw cause
    }
  }
  const find = async ({ token, name, address, audiences }: CredentialLookup): Promise<FoundCaller | undefined> => {
    const before = forgettings
    const found =
      findAdmin(adminKeyHash, token) ?? (await tokens?.find(token, audiences)) ?? (await look(token, name, address))
    if (found && before === forgettings) remember(known, name, { ...found, untilMs: performance.now() + BELIEVED_MS })
    return found
  }
  return {
    authenticate: async (token, address, audiences = []) => {
      // A session's token is good in its cookie only.
      if (looksLike('session', token)) return undefined
      const kept = token.length > KEPT_CHARS_MAX ? sha256(token).toString('base64') : token
      // What is meant for one door alone is not believed at another.
      const name = isKeyLike(token) ? kept : [kept, ...audiences].join(' ')
      const found = believed(known, name) ?? (await find({ token, name, address, audiences }))
      const now = planes.clock.now()
      if (!found || (found.expiresAt !== null && found.expiresAt <= now)) return undefined
      if (found.holderId !== null) uses.count(found.caller.credential.id, found.holderId, now)
      return found.caller
    },
    session: async (token, address) => {
      if (!looksLike('session', token)) return undefined
      const before = forgettings
      const found = believed(known, token) ?? (await look(token, token, address))
      if (!found || found.expiresAt === null || found.expiresAt <= planes.clock.now()) return undefined
      const untilMs = performance.now() + BELIEVED_MS
      if (!('untilMs' in found) && before === forgettings) remember(known, token, { ...found, untilMs })
      return found.caller
    },
    countGuess: (address) => guesses.count(address),
    forget: (which) => {
      forgettings += 1
      for (const [name, found] of known) if (isOf(found, which)) known.delete(name)
    },
    close: () => uses.close(),
  }
}

function believed(known: Map<string, CachedCaller>, name: string): CachedCaller | undefined {
  const found = known.get(name)
  return found && found.untilMs > performance.now() ? found : undefined
}

function remember(known: Map<string, CachedCaller>, name: string, found: CachedCaller): void {
  known.delete(name)
  known.set(name, found)
  if (known.size > REMEMBERED_MAX) known.delete(known.keys().next().value as string)
}

function isOf({ caller: { accountId, credential, member }, holderId }: FoundCaller, which: Forgotten): boolean {
  if ('keyId' in which) return credential.id === which.keyId
  if ('sessionId' in which) return credential.id === which.sessionId
  if ('accountId' in which) {
    return [accountId, holderId, member?.tenantId].includes(which.accountId)
  }
  return credential.kind === 'connection_key' && credential.connectionId === which.connectionId
}

/** The operator as a caller. It has no account, so no tenant's rows can be reached in its name by mistake. */
const OPERATOR: FoundCaller = {
  caller: { accountId: '', credential: { kind: 'admin_key', id: 'admin_key' } },
  holderId: null,
  expiresAt: null,
}

/** The operator, when the token is the admin key. */
function findAdmin(adminKeyHash: Uint8Array | null, token: string): FoundCaller | undefined {
  return adminKeyHash !== null && sameDigest(sha256(token), adminKeyHash) ? OPERATOR : undefined
}

/** How many keys that nobody has may be looked up for one address. */
interface GuessCap {
  /**
   * Counts a look-up of a key that has not been good here. The result takes it back, when the key was good or could not
   * be looked up. Throws `rate_limited` when too many others from this address were not.
   */
  count(address: string): () => void
}

/** The wrong keys that are allowed at once, and a second afterwards; a fleet with a revoked key stays below. */
const LIMITS = { atOnce: 100, aSecond: 5, addresses: 10_000 } as const

/** Opens the counting; `nowMs` is given by tests. */
export function openGuessCap(nowMs?: () => number): GuessCap {
  const allowances = createAllowances(LIMITS, nowMs)
  return {
    count: (address) => {
      const takeBack = () => allowances.giveBack(address)
      if (allowances.take(address) >= 0) return takeBack
      takeBack()
      throw new Fault('rate_limited', {
        detail: 'Too many credentials from this address were not valid; send this one again after Retry-After.',
        retryAfterSeconds: 1,
      })
    },
  }
}

/** Whether a token is looked up: only what looks like a key is. */
function isKeyLike(token: string): boolean {
  return looksLike('apiKey', token) || looksLike('connectionKey', token)
}

/**
 * The caller that a key stands for: of an account, or of a connection as its grantee. Undefined for what does not look
 * like a key, and for one that is mistyped, unknown or revoked, whose account is suspended, or whose connection is no
 * more; all but the first take the same one look-up. Whether it has expired is left to the caller.
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
  // No two are equal; were two ever to be, neither would say whose it is.
  if (!row || other || (row.connection_id !== null && row.liveConnectionId === null)) return undefined
  const id = row.id as Id<'key'>
  const { holderId, accountId, expires_at: expiresAt } = row
  if (row.connection_id === null) {
    const who = whoIs(holderId, row)
    return who && { caller: { ...who, credential: { kind: 'api_key', id } }, holderId, expiresAt }
  }
  // A key never acts as the holder of the sandbox because its grant has no single grantee.
  if (row.grantee_user_id === null) return undefined
  // A member's keys end with the suspension of its account.
  if (row.member_of !== null && row.holderStatus !== 'active') return undefined
  const connectionId = row.connection_id as Id<'connection'>
  const sandboxId = row.sandbox_id as Id<'sandbox'>
  const credential = { kind: 'connection_key', id, connectionId, sandboxId } as const
  return { caller: { accountId, credential }, holderId, expiresAt }
}

/** A member as it was found with its credential. */
interface FoundMember {
  member_id: string | null
  role: MemberRole | null
  memberStatus: 'active' | 'suspended' | null
}

/** Returns the account or member that acts; undefined for a member who is suspended or was removed. */
function whoIs(holderId: string, { member_id: memberId, role, memberStatus }: FoundMember) {
  if (memberId === null) return { accountId: holderId }
  if (role === null || memberStatus !== 'active') return undefined
  const id = memberId as Id<'member'>
  return { accountId: id, member: { id, tenantId: holderId, role } }
}

/** Returns the caller of a session's token and notes its use, once a minute at most. */
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
  const who = row && whoIs(row.user_id, row)
  const now = clock.now()
  const expiresAt = row && endOfSession(row)
  if (!who || !expiresAt || expiresAt <= now) return undefined
  const id = row.id as Id<'session'>
  if (now.getTime() - row.last_used_at.getTime() >= NOTED_EVERY_MS) await noteUse(sql, row.user_id, id, now)
  // The use that was noted just now moved the end, which is looked up again before it comes.
  return { caller: { ...who, credential: { kind: 'session', id } as const }, holderId: null, expiresAt }
}

async function noteUse(sql: Planes['sql'], userId: string, id: string, now: Date): Promise<void> {
  await sql.write(userId, (tx) =>
    tx.updateTable('session').set({ last_used_at: now }).where('user_id', '=', userId).where('id', '=', id),
  )
}

/** Counts how often keys are used, in memory first, so that a request costs no write. */
interface KeyUses {
  /** Counts a use of a key, which is a row of this account. */
  count(keyId: string, holderId: string, at: Date): void
  /** Writes the counts that are not written yet. */
  close(): Promise<void>
}

interface Use {
  holderId: string
  count: number
  lastUsedAt: Date
}

/** Counts are written this often. */
const FLUSH_INTERVAL_MS = 5_000

/** Starts counting. */
function openKeyUses(planes: Pick<Planes, 'sql' | 'log'>): KeyUses {
  const uses = new Map<string, Use>()
  let flushing = Promise.resolve()
  const flush = () => {
    flushing = flushing
      .then(() => writeUses(planes, uses))
      .catch((error: unknown) => {
        planes.log.warn('key uses not written', { error })
      })
    return flushing
  }
  const timer = setInterval(flush, FLUSH_INTERVAL_MS).unref()
  return {
    count: (keyId, holderId, lastUsedAt) => {
      uses.set(keyId, { holderId, count: (uses.get(keyId)?.count ?? 0) + 1, lastUsedAt })
    },
    close: async () => {
      clearInterval(timer)
      await flush()
    },
  }
}

/** Writes counts account by account; what cannot be written is counted again with the next uses. */
async function writeUses({ sql }: Pick<Planes, 'sql'>, uses: Map<string, Use>): Promise<void> {
  for (const [id, { holderId, count, lastUsedAt }] of [...uses]) {
    await sql.transact(holderId, (tx) =>
      tx
        .updateTable('api_key')
        .set({
          use_count: sqlText<number>`use_count + ${count}`,
          last_used_at: sqlText<Date>`greatest(last_used_at, ${lastUsedAt})`,
        })
        .where('user_id', '=', holderId)
        .where('id', '=', id)
        .execute(),
    )
    const left = (uses.get(id)?.count ?? 0) - count
    if (left > 0) uses.set(id, { ...uses.get(id)!, count: left })
    else uses.delete(id)
  }
}
