import type { ConsoleCode, Id, MemberPage, memberOperations } from '@cairnstore/contract'
import { openPage, type PageRequest } from '../../base/cursor.ts'
import { Fault } from '../../base/fault.ts'
import { makeConsoleCode } from '../accounts/console-sign-in.ts'
import { type AuditContext, recordEvent } from '../audit/record-event.ts'
import { tenantOf } from '../caller.ts'
import type { TenancyCtx, TenancyHandlers } from '../context.ts'
import { deleteGroupRole, listGroupRoles, putGroupRole } from './group-roles.ts'
import { createGroup, deleteGroup, listGroups, updateGroup } from './groups.ts'
import { createInvitation, deleteInvitation, listInvitations } from './invitations.ts'
import { assertMayGrant, lockMember, wireMembers } from './store.ts'

/** Operations handled here. Updating and removing members also changes sources, so `lifecycle` handles those two. */
type AnsweredBy = Omit<typeof memberOperations, 'updateMember' | 'removeMember'>

/** Handlers of the operations on members, invitations and groups. */
export const handlers: TenancyHandlers<AnsweredBy> = {
  listMembers: (ctx, { query }) => listMembers(ctx, query),
  createMemberCode: (ctx, { params }) => createMemberCode(ctx, params.member_id),

  createInvitation: (ctx, { body }) => createInvitation(ctx, body),
  listInvitations: (ctx, { query }) => listInvitations(ctx, query),
  deleteInvitation: (ctx, { params }) => deleteInvitation(ctx, params.invitation_id),

  listGroups: (ctx, { query }) => listGroups(ctx, query),
  createGroup: (ctx, { body }) => createGroup(ctx, body),
  updateGroup: (ctx, { params, body }) => updateGroup(ctx, params.group_id, body),
  deleteGroup: (ctx, { params }) => deleteGroup(ctx, params.group_id),

  listGroupRoles: (ctx, { query }) => listGroupRoles(ctx, query),
  putGroupRole: (ctx, { body }) => putGroupRole(ctx, body),
  deleteGroupRole: (ctx, { params }) => deleteGroupRole(ctx, params.group_role_id),
}

/** Returns one page of the members of the caller's account, newest first. */
async function listMembers(
  ctx: Pick<TenancyCtx, 'caller' | 'cursors' | 'sql'>,
  pageQuery: PageRequest,
): Promise<MemberPage> {
  const userId = tenantOf(ctx.caller)
  const page = openPage(ctx.cursors, ['members', userId], pageQuery)
  return ctx.sql.transact(userId, async (tx) => {
    const all = tx.selectFrom('member').selectAll().where('user_id', '=', userId)
    const after = page.after ? all.where('id', '<', String(page.after[0])) : all
    const { rows, end } = page.cut(await after.orderBy('id', 'desc').limit(page.rowsMax).execute(), (last) => [last.id])
    return { members: await wireMembers(tx, rows), ...end }
  })
}

/** Creates a sign-in link for a member. Throws `not_found`, and `owner_only` if an admin requests one for an owner. */
async function createMemberCode(
  ctx: Pick<TenancyCtx, 'consoleUrl' | 'oidc' | 'signInKey' | 'sql'> & AuditContext,
  memberId: Id<'member'>,
): Promise<ConsoleCode> {
  if (ctx.oidc) throw new Fault('provider_signs_in')
  const userId = tenantOf(ctx.caller)
  return ctx.sql.transact(userId, async (tx) => {
    const member = await lockMember(tx, userId, memberId)
    assertMayGrant(ctx.caller, member.role)
    if (member.status !== 'active') throw new Fault('not_found')
    await recordEvent(ctx, tx, { holderId: userId, subjectId: memberId })
    return makeConsoleCode(ctx, userId, memberId)
  })
}
