import type { ConsoleCode, ConsoleSignedIn, Id } from '@cairnstore/contract'
import { sql as sqlText } from 'kysely'
import { MS_PER_MINUTE } from '../../base/clock.ts'
import { hmacSha256, sameDigest } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import { isId, newId } from '../../base/id.ts'
import type { Tx } from '../../db/open.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { TenancyApp, TenancyCtx } from '../context.ts'
import { newApiKey } from './key-format.ts'
import { insertKeyOnce } from './store.ts'

const CODE_MS = 10 * MS_PER_MINUTE
const KEY_MS = 12 * 60 * MS_PER_MINUTE
const KEY_NAME = 'Console, by a link'
const UNUSABLE = 'This link was used, has expired or is none of this service. `cairn console` prints another.'

/** Makes a code that can be exchanged once for a key of the account. Nothing is stored. */
export function makeConsoleCode(
  { clock, consoleUrl, signInKey }: Pick<TenancyApp, 'clock' | 'consoleUrl' | 'signInKey'>,
  userId: string,
): ConsoleCode & { code: string } {
  const expiresAt = new Date(clock.now().getTime() + CODE_MS)
  const code = writeCode(signInKey, { keyId: newId('key', clock), userId, expiresAt })
  return { code, url: consoleUrl && `${consoleUrl}#k=${code}`, expires_at: expiresAt.toISOString() }
}

/** A link of the account that was made first, for who starts an embedded service; undefined where it leads nowhere. */
export async function linkOfFirst(
  app: Pick<TenancyApp, 'clock' | 'consoleUrl' | 'signInKey' | 'sql'>,
): Promise<string | undefined> {
  const first = await app.sql.transact({ operator: true }, (tx) =>
    tx
      .selectFrom('account')
      .select('user_id')
      .where('status', '=', 'active')
      .orderBy('created_at')
      .orderBy('user_id')
      .limit(1)
      .executeTakeFirst(),
  )
  return (first && makeConsoleCode(app, first.user_id).url) ?? undefined
}

/** Makes a code of an account for the operator. Throws `not_found`. */
export async function makeAccountConsoleCode(
  ctx: Pick<TenancyCtx, 'clock' | 'consoleUrl' | 'signInKey' | 'sql'>,
  userId: string,
): Promise<ConsoleCode> {
  await ctx.sql.transact({ operator: true }, (tx) =>
    tx
      .selectFrom('account')
      .select('user_id')
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow(() => new Fault('not_found')),
  )
  return makeConsoleCode(ctx, userId)
}

/**
 * Exchanges a code for a key of its account. Throws `unauthorized` for one that was written elsewhere, was used, has
 * expired or was made before a key of the account was revoked, and when the account is suspended or gone; and
 * `rate_limited` when too many such came from this address.
 */
export async function signInToConsole(ctx: Omit<TenancyCtx, 'caller'>, given: string): Promise<ConsoleSignedIn> {
  const takeBack = ctx.authenticator.countGuess(ctx.address)
  const code = readCode(ctx.signInKey, given)
  const createdAt = ctx.clock.now()
  if (!code || code.expiresAt <= createdAt) throw unusable()
  const key = newApiKey()
  const expiresAt = new Date(createdAt.getTime() + KEY_MS)
  const { userId, keyId } = code
  const caller = { accountId: userId, credential: { kind: 'api_key', id: keyId } } as const
  try {
    await ctx.sql.transact(userId, async (tx) => {
      await assertGood(tx, code)
      const row = { userId, id: keyId, name: KEY_NAME, key, createdAt, expiresAt }
      if (!(await insertKeyOnce(tx, row))) throw unusable()
      await recordEvent({ ...ctx, caller }, tx, { holderId: userId, subjectId: keyId })
    })
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.code !== 'unauthorized') takeBack()
    throw cause
  }
  takeBack()
  return { api_key: key, expires_at: expiresAt.toISOString() }
}

/**
 * Throws when the account of a code is suspended or gone, or has revoked a key since the code was made. It locks the
 * account, so that a reset of its keys comes before or after.
 */
async function assertGood(tx: Tx, { userId, expiresAt }: SignInCode): Promise<void> {
  const madeAt = new Date(expiresAt.getTime() - CODE_MS)
  const account = await tx
    .selectFrom('account')
    .select('status')
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (account?.status !== 'active') throw unusable()
  const revoked = await tx
    .selectFrom('api_key')
    .select(sqlText`1`.as('one'))
    .where('user_id', '=', userId)
    .where('connection_id', 'is', null)
    .where('revoked_at', '>=', madeAt)
    .limit(1)
    .executeTakeFirst()
  if (revoked) throw unusable()
}

function unusable(): Fault {
  return new Fault('unauthorized', { detail: UNUSABLE })
}

/** What a code says: the key that it becomes, whose it is, and until when it is good. */
interface SignInCode {
  keyId: Id<'key'>
  userId: string
  expiresAt: Date
}

const DIGITS = 36

/**
 * A code that no table holds: what it says, in base64url, and its HMAC-SHA-256 under the service's key. The key that it
 * is exchanged for has the id that it names, so a second exchange finds that id taken, in whichever process it comes.
 */
export function writeCode(signingKey: Uint8Array, { keyId, userId, expiresAt }: SignInCode): string {
  const said = Buffer.from([keyId, expiresAt.getTime().toString(DIGITS), userId].join(' ')).toString('base64url')
  return `${said}.${hmacSha256(signingKey, said).toString('base64url')}`
}

/** The content of a code; undefined when its signature is not by this key. */
export function readCode(signingKey: Uint8Array, code: string): SignInCode | undefined {
  const [said = '', mac = '', ...rest] = code.split('.')
  if (rest.length > 0 || !sameDigest(Buffer.from(mac, 'base64url'), hmacSha256(signingKey, said))) return undefined
  const [keyId = '', expires = '', ...userId] = Buffer.from(said, 'base64url').toString().split(' ')
  if (!isId('key', keyId)) return undefined
  return { keyId, expiresAt: new Date(Number.parseInt(expires, DIGITS)), userId: userId.join(' ') }
}
