import type { Id } from '@cairnstore/contract'
import { sha256 } from '../../base/digest.ts'
import { newId } from '../../base/id.ts'
import type { Tx } from '../../db/open.ts'
import type { TenancyCtx } from '../context.ts'
import { newToken } from './key-format.ts'
import { assertCookiesWork, readCookie, setCookie } from './session-cookie.ts'
import { SESSION_MS } from './session-times.ts'

/** Owner of a session, with digests of their identity and session at the identity provider. */
export interface SessionOwner {
  readonly userId: string
  readonly memberId: Id<'member'> | null
  readonly identityHash?: Uint8Array
  readonly providerSessionHash?: Uint8Array | undefined
}

/** A new session. Only the cookie contains its token. */
export interface NewSession {
  readonly id: Id<'session'>
  readonly token: string
  readonly expiresAt: Date
}

/** Maximum number of sessions of one owner. The oldest are removed first. */
const SESSIONS_MAX = 50

/** Stores a session. Removes the owner's expired sessions and the oldest ones over the limit. */
export async function openSession(
  tx: Tx,
  { clock }: Pick<TenancyCtx, 'clock'>,
  owner: SessionOwner,
): Promise<NewSession> {
  const now = clock.now()
  const expiresAt = new Date(now.getTime() + SESSION_MS)
  const session = { id: newId('session', clock), token: newToken('session'), expiresAt }
  const { userId, memberId, identityHash, providerSessionHash } = owner
  await tx
    .insertInto('session')
    .values({
      user_id: userId,
      id: session.id,
      token_hash: sha256(session.token),
      member_id: memberId,
      identity_hash: identityHash ? Buffer.from(identityHash) : null,
      provider_session_hash: providerSessionHash ? Buffer.from(providerSessionHash) : null,
      created_at: now,
      last_used_at: now,
      expires_at: expiresAt,
    })
    .execute()
  const newest = tx
    .selectFrom('session')
    .select('id')
    .where('user_id', '=', userId)
    .where('member_id', memberId === null ? 'is' : '=', memberId)
    .where('expires_at', '>', now)
    .orderBy('id', 'desc')
    .limit(SESSIONS_MAX)
  await tx
    .deleteFrom('session')
    .where('user_id', '=', userId)
    .where('member_id', memberId === null ? 'is' : '=', memberId)
    .where('id', 'not in', newest)
    .execute()
  return session
}

/** Removes all sessions of a member, or those of the account itself if `memberId` is null. Returns their ids. */
export async function removeSessions(tx: Tx, userId: string, memberId: string | null): Promise<string[]> {
  const removed = await tx
    .deleteFrom('session')
    .where('user_id', '=', userId)
    .where('member_id', memberId === null ? 'is' : '=', memberId)
    .returning('id')
    .execute()
  return removed.map(({ id }) => id)
}

/** The request context that a sign-in needs. */
export type SigningIn = Pick<TenancyCtx, 'authenticator' | 'cookie' | 'publicUrl' | 'sql'>

/**
 * Ends the browser's previous session before a new one begins. This prevents session fixation with a planted cookie.
 * Throws `https_required` if no cookie can be stored safely.
 */
export async function replaceSession(ctx: SigningIn): Promise<void> {
  assertCookiesWork(ctx.publicUrl)
  const token = readCookie(ctx.cookie, 'session', ctx.publicUrl)
  if (token === undefined) return
  const sessionHash = sha256(token)
  const [row] = await ctx.sql.look({ sessionHash }, (tx) =>
    tx.selectFrom('session').select(['user_id', 'id']).where('token_hash', '=', sessionHash),
  )
  if (!row) return
  await ctx.sql.transact(row.user_id, (tx) =>
    tx.deleteFrom('session').where('user_id', '=', row.user_id).where('id', '=', row.id).execute(),
  )
  ctx.authenticator.forget({ sessionId: row.id })
}

/** Returns the `Set-Cookie` header for a new session. */
export function sessionHeader({ publicUrl }: Pick<TenancyCtx, 'publicUrl'>, { token }: NewSession): string {
  return setCookie('session', publicUrl, token, SESSION_MS)
}
