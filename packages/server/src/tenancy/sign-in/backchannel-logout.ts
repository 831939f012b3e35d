import type { Done, Id } from '@cairnstore/contract'
import { MS_PER_MINUTE } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { TenancyCtx } from '../context.ts'
import type { RawBody } from '../handler.ts'
import { providerHash } from './joining.ts'
import { assertConfigured, consumeOnce } from './sign-in.ts'

type LogoutContext = Omit<TenancyCtx, 'caller'>

const BODY_BYTES_MAX = 16 * 1024
const FORM = 'application/x-www-form-urlencoded'
/** Milliseconds for which a token id is stored. It exceeds the maximum age of a token. */
const TOKEN_MS = 15 * MS_PER_MINUTE

/** Ends the sessions of a logout token's `sid` or `sub`. Throws `logout_token_invalid`, also for a repeated token. */
export async function receiveBackchannelLogout(ctx: LogoutContext, raw: RawBody): Promise<Done> {
  const oidc = assertConfigured(ctx)
  const undoGuess = ctx.authenticator.countGuess(ctx.address)
  const bytes = await raw.bytes()
  const { sub, sid, jti } = await oidc.readLogoutToken(tokenIn(raw, bytes))
  undoGuess()
  const { issuer } = oidc.config
  const expiresAt = new Date(ctx.clock.now().getTime() + TOKEN_MS)
  await consumeOnce(ctx, providerHash('sub', `${issuer} logout`, jti), expiresAt).catch((cause: unknown) => {
    const isUsed = cause instanceof Fault && cause.reason === 'state_invalid'
    throw isUsed ? new Fault('logout_token_invalid') : cause
  })
  const hash = sid === undefined ? providerHash('sub', issuer, sub ?? '') : providerHash('sid', issuer, sid)
  const rows = await ctx.sql.look({ identity: hash }, (tx) =>
    tx
      .selectFrom('session')
      .select(['user_id', 'id', 'member_id'])
      .where((is) => is.or([is('identity_hash', '=', hash), is('provider_session_hash', '=', hash)])),
  )
  for (const row of rows) {
    await ctx.sql.transact(row.user_id, async (tx) => {
      await tx.deleteFrom('session').where('user_id', '=', row.user_id).where('id', '=', row.id).execute()
      const id = row.id as Id<'session'>
      const caller = { accountId: row.member_id ?? row.user_id, credential: { kind: 'session', id } } as const
      await recordEvent({ ...ctx, caller }, tx, { holderId: row.user_id, subjectId: row.id })
    })
    ctx.authenticator.forget({ sessionId: row.id })
  }
  return { success: true, message: 'The sessions are ended.' }
}

function tokenIn({ headers }: RawBody, bytes: Buffer): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== FORM || bytes.length > BODY_BYTES_MAX) throw new Fault('logout_token_invalid')
  const [token, ...others] = new URLSearchParams(bytes.toString('utf8')).getAll('logout_token')
  if (token === undefined || others.length > 0) throw new Fault('logout_token_invalid')
  return token
}
