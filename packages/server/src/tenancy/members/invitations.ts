import type { CreatedInvitation, CreateInvitation, Done, Id, Invitation, InvitationPage } from '@cairnstore/contract'
import { MS_PER_DAY } from '../../base/clock.ts'
import { openPage, type PageRequest } from '../../base/cursor.ts'
import { sha256 } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { hasValues } from '../../db/of-sandbox.ts'
import type { Row } from '../../db/tables.ts'
import { newToken } from '../accounts/key-format.ts'
import { type AuditContext, recordEvent } from '../audit/record-event.ts'
import { tenantOf } from '../caller.ts'
import type { TenancyCtx } from '../context.ts'
import { type IdempotencyContext, storeReply } from '../idempotency/keyed-request.ts'
import { assertKnown } from './groups.ts'
import { assertMayGrant } from './store.ts'

const INVITATION_DAYS = 7
/** Maximum number of open invitations of an account. */
const OPEN_MAX = 1000

type InvitationContext = Pick<TenancyCtx, 'consoleUrl' | 'oidc' | 'publicUrl' | 'sql'> &
  AuditContext &
  IdempotencyContext

/** Creates an invitation with its only link. Throws `owner_only`, `unknown_member` and `quota_exceeded`. */
export async function createInvitation(ctx: InvitationContext, input: CreateInvitation): Promise<CreatedInvitation> {
  assertMayGrant(ctx.caller, input.role)
  const userId = tenantOf(ctx.caller)
  const code = newToken('invitation')
  const id = newId('invitation', ctx.clock)
  const now = ctx.clock.now()
  const groupIds = [...new Set(input.groups ?? [])]
  return ctx.sql.transact(userId, async (tx) => {
    await assertKnown(tx, 'team_group', userId, groupIds, ['body', 'groups'])
    const { open } = await tx
      .selectFrom('invitation')
      .select((is) => is.fn.countAll<number>().as('open'))
      .where('user_id', '=', userId)
      .where('accepted_at', 'is', null)
      .where('expires_at', '>', now)
      .executeTakeFirstOrThrow()
    if (open >= OPEN_MAX) {
      throw new Fault('quota_exceeded', { detail: `An account may have ${OPEN_MAX} open invitations. Withdraw some.` })
    }
    const row = await tx
      .insertInto('invitation')
      .values({
        user_id: userId,
        id,
        code_hash: sha256(code),
        role: input.role,
        email: input.email ?? null,
        group_ids: groupIds.join(' '),
        created_by: ctx.caller.accountId,
        created_at: now,
        expires_at: new Date(now.getTime() + INVITATION_DAYS * MS_PER_DAY),
        accepted_at: null,
        accepted_by: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordEvent(ctx, tx, { holderId: userId, subjectId: id })
    const made = { ...wire(row), url: linkOf(ctx, code) }
    await storeReply(ctx, tx, made)
    return made
  })
}

/**
 * Returns the link of an invitation. With an identity provider, the link starts the sign-in there. Otherwise the code
 * is in the fragment, which browsers do not send and proxies do not log.
 */
function linkOf({ consoleUrl, oidc, publicUrl }: Omit<InvitationContext, 'sql'>, code: string): string {
  if (oidc) return `${publicUrl}/api/v1/auth/login?invitation=${code}`
  return `${consoleUrl ?? `${publicUrl}/console`}#i=${code}`
}

/** Returns one page of invitations, newest first. */
export async function listInvitations(
  ctx: Pick<TenancyCtx, 'caller' | 'clock' | 'cursors' | 'sql'>,
  pageQuery: PageRequest,
): Promise<InvitationPage> {
  const userId = tenantOf(ctx.caller)
  const page = openPage(ctx.cursors, ['invitations', userId], pageQuery)
  const found = await ctx.sql.transact(userId, (tx) => {
    const all = tx.selectFrom('invitation').selectAll().where('user_id', '=', userId)
    const after = page.after ? all.where('id', '<', String(page.after[0])) : all
    return after.orderBy('id', 'desc').limit(page.rowsMax).execute()
  })
  const { rows, end } = page.cut(found, (last) => [last.id])
  const now = ctx.clock.now()
  return { invitations: rows.map((row) => ({ ...wire(row), ...stateOf(row, now) })), ...end }
}

/** Withdraws an invitation, or deletes an accepted one. Throws `not_found`, and `owner_only` like `assertMayGrant`. */
export async function deleteInvitation(
  ctx: Pick<TenancyCtx, 'sql'> & AuditContext,
  id: Id<'invitation'>,
): Promise<Done> {
  const userId = tenantOf(ctx.caller)
  await ctx.sql.transact(userId, async (tx) => {
    const row = await tx
      .deleteFrom('invitation')
      .where(hasValues({ user_id: userId, id }))
      .returning('role')
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    assertMayGrant(ctx.caller, row.role)
    await recordEvent(ctx, tx, { holderId: userId, subjectId: id })
  })
  return { success: true, message: 'The invitation is withdrawn.' }
}

function wire(row: Row<'invitation'>) {
  return {
    invitation_id: row.id as Id<'invitation'>,
    role: row.role,
    email: row.email,
    group_ids: row.group_ids.split(' ').filter((id) => id !== ''),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }
}

function stateOf(row: Row<'invitation'>, now: Date): Pick<Invitation, 'status' | 'accepted_by'> {
  const status = row.accepted_at ? 'accepted' : row.expires_at <= now ? 'expired' : 'open'
  return { status, accepted_by: row.accepted_by }
}
