import type { ConsoleCode, ConsoleSignedIn, ConsoleSignIn, Id } from '@cairnstore/contract'
import { sql as sqlText } from 'kysely'
import { MS_PER_MINUTE } from '../../base/clock.ts'
import { hmacSha256, sameDigest } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import { isId, newId } from '../../base/id.ts'
import { hasRow, hasValues } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { TenancyApp, TenancyCtx } from '../context.ts'
import { type Reply, reply } from '../handler.ts'
import { newApiKey } from './key-format.ts'
import { assertCookiesWork, assertOwnPage } from './session-cookie.ts'
import { openSession, replaceSession, sessionHeader } from './sessions.ts'
import { insertKeyOnce, lockAccount, oldestAccount } from './store.ts'

const CODE_MS = 10 * MS_PER_MINUTE
const KEY_MS = 12 * 60 * MS_PER_MINUTE
const KEY_NAME = 'Console, by a link'
const OK = 200
const UNUSABLE = 'This link was used, has expired or is from another service. Run `cairn console` for a new one.'

/** Creates a single-use code that can be exchanged for a key or session of the account or member. Stores nothing. */
export function makeConsoleCode(
  { clock, consoleUrl, signInKey }: Pick<TenancyApp, 'clock' | 'consoleUrl' | 'signInKey'>,
  userId: string,
  memberId?: Id<'member'>,
): ConsoleCode & { code: string } {
  const expiresAt = new Date(clock.now().getTime() + CODE_MS)
  const code = writeCode(signInKey, { keyId: newId('key', clock), userId, expiresAt, memberId })
  return { code, url: consoleUrl && `${consoleUrl}#k=${code}`, expires_at: expiresAt.toISOString() }
}

/** Returns a sign-in link for the oldest active account. Returns undefined without an account or console URL. */
export async function linkOfFirst(
  app: Pick<TenancyApp, 'clock' | 'consoleUrl' | 'signInKey' | 'sql'>,
): Promise<string | undefined> {
  const userId = await oldestAccount(app)
  return userId === undefined ? undefined : (makeConsoleCode(app, userId).url ?? undefined)
}

/** Creates a sign-in code of an account for the operator. Throws `not_found`. */
export async function makeAccountConsoleCode(
  ctx: Pick<TenancyCtx, 'clock' | 'consoleUrl' | 'signInKey' | 'sql'>,
  userId: string,
): Promise<ConsoleCode> {
  await ctx.sql.transact({ operator: true }, (tx) =>
    tx
      .selectFrom('account')
      .select('user_id')
      .where('user_id', '=', userId)
      .where('member_of', 'is', null)
      .executeTakeFirstOrThrow(() => new Fault('not_found')),
  )
  return makeConsoleCode(ctx, userId)
}

/**
 * Exchanges a code for a key of its account, or for a session in the browser's cookie. Throws `unauthorized` if the
 * code is forged, used or expired, if a key of the account was revoked since, or if the account or member is inactive.
 * Throws `rate_limited` after too many such failures from this address. Throws `https_required` if the browser cannot
 * store the cookie safely, and `csrf` for a request from another site's page.
 */
export async function signInToConsole(
  ctx: Omit<TenancyCtx, 'caller'>,
  { code: given, cookie: wantsCookie = false }: ConsoleSignIn,
): Promise<ConsoleSignedIn | Reply<ConsoleSignedIn>> {
  if (wantsCookie) {
    assertCookiesWork(ctx.publicUrl)
    assertOwnPage(ctx)
  }
  const undoGuess = ctx.authenticator.countGuess(ctx.address)
  const code = readCode(ctx.signInKey, given)
  if (!code || code.expiresAt <= ctx.clock.now()) throw unusableCode()
  try {
    const signedIn = wantsCookie ? await exchangeForSession(ctx, code) : await exchangeForKey(ctx, code)
    undoGuess()
    return signedIn
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.code !== 'unauthorized') undoGuess()
    throw cause
  }
}

async function exchangeForKey(ctx: Omit<TenancyCtx, 'caller'>, code: SignInCode): Promise<ConsoleSignedIn> {
  const createdAt = ctx.clock.now()
  const key = newApiKey()
  const expiresAt = new Date(createdAt.getTime() + KEY_MS)
  const { userId, keyId, memberId } = code
  const caller = { accountId: memberId ?? userId, credential: { kind: 'api_key', id: keyId } } as const
  await ctx.sql.transact(userId, async (tx) => {
    await assertUsable(tx, code)
    const row = { userId, id: keyId, name: KEY_NAME, key, createdAt, expiresAt, memberId }
    if (!(await insertKeyOnce(tx, row))) throw unusableCode()
    await recordSeen(tx, code, createdAt)
    await recordEvent({ ...ctx, caller }, tx, { holderId: userId, subjectId: keyId })
  })
  return { api_key: key, expires_at: expiresAt.toISOString() }
}

async function exchangeForSession(ctx: Omit<TenancyCtx, 'caller'>, code: SignInCode): Promise<Reply<ConsoleSignedIn>> {
  const { userId, keyId, memberId = null } = code
  const session = await ctx.sql.transact(userId, async (tx) => {
    await assertUsable(tx, code)
    await useCode(tx, code)
    const made = await openSession(tx, ctx, { userId, memberId })
    await recordSeen(tx, code, ctx.clock.now())
    const caller = { accountId: memberId ?? userId, credential: { kind: 'session', id: made.id } } as const
    await recordEvent({ ...ctx, caller }, tx, { holderId: userId, subjectId: keyId })
    return made
  })
  await replaceSession(ctx)
  const signedIn = { api_key: null, expires_at: session.expiresAt.toISOString() }
  return reply(OK, signedIn, { 'set-cookie': sessionHeader(ctx, session) })
}

/** Marks a code as used and removes expired codes. */
async function useCode(tx: Tx, { userId, keyId, expiresAt }: SignInCode): Promise<void> {
  await tx
    .deleteFrom('used_code')
    .where('user_id', '=', userId)
    .where('expires_at', '<', createdAtOf(expiresAt))
    .execute()
  const { numInsertedOrUpdatedRows: rows } = await tx
    .insertInto('used_code')
    .values({ user_id: userId, id: keyId, expires_at: expiresAt })
    .onConflict((conflict) => conflict.constraint('used_code_pkey').doNothing())
    .executeTakeFirstOrThrow()
  if (rows !== 1n) throw unusableCode()
}

async function recordSeen(tx: Tx, { userId, memberId }: SignInCode, now: Date): Promise<void> {
  if (memberId === undefined) return
  await tx
    .updateTable('member')
    .set({ last_seen_at: now })
    .where(hasValues({ user_id: userId, id: memberId }))
    .execute()
}

function createdAtOf(expiresAt: Date): Date {
  return new Date(expiresAt.getTime() - CODE_MS)
}

/**
 * Throws if the account or member of a code is suspended or removed, if the code was used, or if one of its keys was
 * revoked since the code was made. Locks the account row, so that a concurrent reset of its keys is serialized.
 */
async function assertUsable(tx: Tx, { userId, keyId, expiresAt, memberId }: SignInCode): Promise<void> {
  if ((await lockAccount(tx, userId)) !== 'active') throw unusableCode()
  if (memberId !== undefined) await assertActiveMember(tx, userId, memberId)
  const key = await tx
    .selectFrom('api_key')
    .select(sqlText`1`.as('one'))
    .where('user_id', '=', userId)
    .where('connection_id', 'is', null)
    .where((is) =>
      is.or([
        is('id', '=', keyId),
        is.and([
          is('revoked_at', '>=', createdAtOf(expiresAt)),
          is('member_id', memberId === undefined ? 'is' : '=', memberId ?? null),
        ]),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  if (key || (await hasRow(tx, 'used_code', { user_id: userId, id: keyId }))) throw unusableCode()
}

async function assertActiveMember(tx: Tx, userId: string, memberId: string): Promise<void> {
  const isActive = await hasRow(tx, 'member', { user_id: userId, id: memberId, status: 'active' })
  if (!isActive) throw unusableCode()
}

function unusableCode(): Fault {
  return new Fault('unauthorized', { detail: UNUSABLE })
}

/** Content of a code: the account, the expiry and the id of the key that the exchange creates. */
interface SignInCode {
  keyId: Id<'key'>
  userId: string
  expiresAt: Date
  /** The member to sign in; undefined for the account itself. */
  memberId?: Id<'member'> | undefined
}

const DIGITS = 36
const BETWEEN_IDS = '+'

/**
 * Returns a self-contained code: its content in base64url and the HMAC-SHA-256 under the service's key. The exchanged
 * key gets the id in the code. A second exchange in any process therefore fails on the duplicate id.
 */
export function writeCode(signingKey: Uint8Array, code: SignInCode): string {
  const { keyId, userId, expiresAt, memberId } = code
  // The member id precedes the account id, because an account id may be any text.
  const ids = memberId === undefined ? keyId : `${keyId}${BETWEEN_IDS}${memberId}`
  const content = Buffer.from([ids, expiresAt.getTime().toString(DIGITS), userId].join(' ')).toString('base64url')
  return `${content}.${hmacSha256(signingKey, content).toString('base64url')}`
}

/** Returns the content of a code; undefined if it was not signed with this key. */
export function readCode(signingKey: Uint8Array, code: string): SignInCode | undefined {
  const [content = '', mac = '', ...rest] = code.split('.')
  if (rest.length > 0 || !sameDigest(Buffer.from(mac, 'base64url'), hmacSha256(signingKey, content))) return undefined
  const [ids = '', expires = '', ...userId] = Buffer.from(content, 'base64url').toString().split(' ')
  const [keyId = '', memberId] = ids.split(BETWEEN_IDS)
  if (!isId('key', keyId) || (memberId !== undefined && !isId('member', memberId))) return undefined
  const expiresAt = new Date(Number.parseInt(expires, DIGITS))
  return { keyId, expiresAt, userId: userId.join(' '), ...(memberId !== undefined && { memberId }) }
}
