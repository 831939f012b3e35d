import type { authOperations, Done, Session } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { hasValues } from '../../db/of-sandbox.ts'
import { clearCookie } from '../accounts/session-cookie.ts'
import { idleEnd } from '../accounts/session-times.ts'
import { removeSessions } from '../accounts/sessions.ts'
import { type AuditContext, recordEvent } from '../audit/record-event.ts'
import { tenantOf } from '../caller.ts'
import type { TenancyCtx, TenancyHandlers } from '../context.ts'
import { type Reply, reply } from '../handler.ts'
import { acceptInvitation } from '../members/accept-invitation.ts'
import { receiveBackchannelLogout } from './backchannel-logout.ts'
import { beginSignIn, receiveSignIn } from './sign-in.ts'

export const handlers: TenancyHandlers<typeof authOperations> = {
  beginSignIn: (ctx, { query, headers }) => beginSignIn(ctx, query, headers.accept),
  receiveSignIn: (ctx, { query, headers }) => receiveSignIn(ctx, query, headers.accept),
  receiveBackchannelLogout: (ctx, { raw }) => receiveBackchannelLogout(ctx, raw),
  acceptInvitation: (ctx, { body }) => acceptInvitation(ctx, body),
  getSession: (ctx) => getSession(ctx),
  signOut: (ctx) => signOut(ctx),
  endSessions: (ctx) => endSessions(ctx),
}

const OK = 200

/** Returns the caller and, for a signed-in browser, its session. */
async function getSession({ caller, sql }: Pick<TenancyCtx, 'caller' | 'sql'>): Promise<Session> {
  const userId = tenantOf(caller)
  const { credential } = caller
  return sql.transact(userId, async (tx) => {
    const account = await tx
      .selectFrom('account')
      .select('display_name')
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    const member = caller.member
      ? await tx
          .selectFrom('member')
          .select(['display_name', 'email'])
          .where(hasValues({ user_id: userId, id: caller.member.id }))
          .executeTakeFirst()
      : undefined
    const session =
      credential.kind === 'session'
        ? await tx
            .selectFrom('session')
            .selectAll()
            .where(hasValues({ user_id: userId, id: credential.id }))
            .executeTakeFirst()
        : undefined
    return {
      session_id: credential.kind === 'session' ? credential.id : null,
      user_id: userId,
      display_name: member?.display_name ?? account.display_name,
      member_id: caller.member?.id ?? null,
      role: caller.member?.role ?? null,
      email: member?.email ?? null,
      signed_in_at: session?.created_at.toISOString() ?? null,
      expires_at: session?.expires_at.toISOString() ?? null,
      idle_expires_at: session ? idleEnd(session).toISOString() : null,
    }
  })
}

type Ending = Pick<TenancyCtx, 'authenticator' | 'publicUrl' | 'sql'> & AuditContext

async function signOut(ctx: Ending): Promise<Done | Reply<Done>> {
  const { credential } = ctx.caller
  if (credential.kind !== 'session') return { success: true, message: 'There was no session to end.' }
  const userId = tenantOf(ctx.caller)
  await ctx.sql.transact(userId, async (tx) => {
    await tx.deleteFrom('session').where('user_id', '=', userId).where('id', '=', credential.id).execute()
    await recordEvent(ctx, tx, { holderId: userId, subjectId: credential.id })
  })
  ctx.authenticator.forget({ sessionId: credential.id })
  return cleared(ctx, 'You are signed out.')
}

async function endSessions(ctx: Ending): Promise<Reply<Done>> {
  const userId = tenantOf(ctx.caller)
  const memberId = ctx.caller.member?.id ?? null
  await ctx.sql.transact(userId, async (tx) => {
    const removed = await removeSessions(tx, userId, memberId)
    await recordEvent(ctx, tx, { holderId: userId, subjectId: memberId ?? userId })
    return removed
  })
  ctx.authenticator.forget({ accountId: memberId ?? userId })
  return cleared(ctx, 'You are signed out in every browser.')
}

function cleared({ publicUrl }: Pick<TenancyCtx, 'publicUrl'>, message: string): Reply<Done> {
  return reply(OK, { success: true as const, message }, { 'set-cookie': clearCookie('session', publicUrl) })
}
