import type { Done, Id, Member, UpdateMember } from '@cairnstore/contract'
import { asTenant } from '../../db/as-tenant.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { revokeConsentsOf } from '../../sources/tool-servers/revoke-consents.ts'
import { removeSessions } from '../../tenancy/accounts/sessions.ts'
import { type AuditContext, recordEvent } from '../../tenancy/audit/record-event.ts'
import { tenantOf } from '../../tenancy/caller.ts'
import { assertMayGrant, assertOtherOwner, deleteMember, lockMember, wireMembers } from '../../tenancy/members/store.ts'
import type { LifecycleCtx } from '../context.ts'

type MemberContext = Pick<LifecycleCtx, 'authenticator' | 'log' | 'oauth' | 'secrets' | 'sql'> & AuditContext

/**
 * Changes the role of a member, or suspends or reactivates the member. Suspending ends the member's sessions and
 * consents. Keys and grants of the member are rejected until reactivation. Other processes apply this within a second.
 * Throws `not_found`, `owner_only` and `last_owner`.
 */
export async function updateMember(ctx: MemberContext, id: Id<'member'>, change: UpdateMember): Promise<Member> {
  const userId = tenantOf(ctx.caller)
  const { member, isSuspended } = await ctx.sql.transact(userId, async (tx) => {
    const old = await lockMember(tx, userId, id)
    const role = change.role ?? old.role
    const status = change.status ?? old.status
    assertMayGrant(ctx.caller, old.role, role)
    if (role !== 'owner' || status !== 'active') await assertOtherOwner(tx, old)
    const row = await tx
      .updateTable('member')
      .set({ role, status, ...(change.role && { role_from_claim: false }) })
      .where('user_id', '=', userId)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await setStatus(tx, row)
    if (status === 'suspended') await endAccess(tx, userId, id)
    await recordEvent(ctx, tx, { holderId: userId, subjectId: id })
    const [wired] = await wireMembers(tx, [row])
    return { member: wired!, isSuspended: status === 'suspended' }
  })
  ctx.authenticator.forget({ accountId: id })
  if (isSuspended) await revokeConsentsOf(ctx, id)
  return member
}

/** Ends the sessions of a member and deletes the open invitations by which the member could return. */
async function endAccess(tx: Tx, userId: string, memberId: string): Promise<void> {
  await removeSessions(tx, userId, memberId)
  await tx
    .deleteFrom('invitation')
    .where('user_id', '=', userId)
    .where('created_by', '=', memberId)
    .where('accepted_at', 'is', null)
    .execute()
}

/** Copies the status to the member's row in `account`, where it is checked for keys of connections. */
async function setStatus(tx: Tx, { user_id: userId, id, status }: Row<'member'>): Promise<void> {
  await asTenant(tx, userId, id, () => tx.updateTable('account').set({ status }).where('user_id', '=', id).execute())
}

/**
 * Removes a member with sessions, keys, grants, stored answers and the consents that the member gave. The member is
 * suspended first, so an interrupted removal leaves no access, and calling it again completes it. Sandboxes that the
 * member created stay with the account. Other processes apply this within a second. Throws `not_found`, `owner_only`
 * and `last_owner`.
 */
export async function removeMember(ctx: MemberContext, id: Id<'member'>): Promise<Done> {
  const userId = tenantOf(ctx.caller)
  await ctx.sql.transact(userId, async (tx) => {
    const old = await lockMember(tx, userId, id)
    assertMayGrant(ctx.caller, old.role)
    await assertOtherOwner(tx, old)
    if (old.status === 'suspended') return
    await tx
      .updateTable('member')
      .set({ status: 'suspended' })
      .where('user_id', '=', userId)
      .where('id', '=', id)
      .execute()
    await setStatus(tx, { ...old, status: 'suspended' })
    await endAccess(tx, userId, id)
    const operation = { ...ctx.operation, audit: { event: 'member.suspended' } }
    await recordEvent({ ...ctx, operation }, tx, { holderId: userId, subjectId: id })
  })
  ctx.authenticator.forget({ accountId: id })
  await revokeConsentsOf(ctx, id)
  await ctx.sql.transact(userId, async (tx) => {
    await tx
      .updateTable('sandbox')
      .set({ member_id: null })
      .where('user_id', '=', userId)
      .where('member_id', '=', id)
      .execute()
    await deleteMember(tx, userId, id)
    await recordEvent(ctx, tx, { holderId: userId, subjectId: id })
  })
  ctx.authenticator.forget({ accountId: id })
  return { success: true, message: 'The member is removed.' }
}
