import type { Id, Member, MemberRole } from '@cairnstore/contract'
import { sql as sqlText } from 'kysely'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { asTenant } from '../../db/as-tenant.ts'
import { hasValues } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { Caller } from '../caller.ts'
import type { TenancyCtx } from '../context.ts'

/** Returns true if the caller is an owner or the account itself. */
export function isOwner({ member }: Pick<Caller, 'member'>): boolean {
  return member === undefined || member.role === 'owner'
}

/** Throws `owner_only` if an admin would add, change or remove an owner. */
export function assertMayGrant(caller: Caller, ...roles: readonly MemberRole[]): void {
  if (roles.includes('owner') && !isOwner(caller)) throw new Fault('owner_only')
}

/** A person who joins an account. */
export interface NewMember {
  readonly userId: string
  readonly role: MemberRole
  readonly displayName: string
  readonly email: string | null
  readonly groupIds: readonly string[]
  /** Id of the inviting account or member, or `identity_provider`. */
  readonly createdBy: string
}

/** Stores a member with its groups and assigns the pending grants for its email address. */
export async function insertMember(
  tx: Tx,
  { clock }: Pick<TenancyCtx, 'clock'>,
  { userId, role, displayName, email, groupIds, createdBy }: NewMember,
): Promise<Id<'member'>> {
  const id = newId('member', clock)
  const now = clock.now()
  await asTenant(tx, userId, id, () =>
    tx
      .insertInto('account')
      .values({ user_id: id, display_name: displayName, created_at: now, member_of: userId })
      .execute(),
  )
  await tx
    .insertInto('member')
    .values({
      user_id: userId,
      id,
      role,
      display_name: displayName,
      email,
      created_by: createdBy,
      created_at: now,
      last_seen_at: now,
    })
    .execute()
  await joinGroups(tx, userId, id, groupIds)
  if (email !== null) await claimPendingGrants(tx, userId, id, email)
  return id
}

/** Deletes a member with its sessions, keys, grants and stored answers. */
export async function deleteMember(tx: Tx, userId: string, id: string): Promise<void> {
  await asTenant(tx, userId, id, () => tx.deleteFrom('account').where('user_id', '=', id).execute())
}

/** Adds a member to groups. Groups that were deleted in the meantime are skipped. */
async function joinGroups(tx: Tx, userId: string, memberId: string, groupIds: readonly string[]): Promise<void> {
  if (groupIds.length === 0) return
  const groups = await tx
    .selectFrom('team_group')
    .select('id')
    .where('user_id', '=', userId)
    .where('id', 'in', groupIds)
    .execute()
  if (groups.length === 0) return
  await tx
    .insertInto('team_group_member')
    .values(groups.map(({ id }) => ({ user_id: userId, group_id: id, member_id: memberId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Assigns the pending grants of an email address to a member. */
export async function claimPendingGrants(tx: Tx, userId: string, memberId: string, email: string): Promise<void> {
  await tx
    .updateTable('connection')
    .set({ grantee_user_id: memberId, email: null })
    .where('user_id', '=', userId)
    .where('email', 'is not', null)
    .where(sqlText<string>`lower(email)`, '=', foldAddress(email))
    .execute()
}

/**
 * Returns an address with its ASCII letters in lower case. Other letters stay: the Kelvin sign, for example, would
 * become the ASCII letter k, and a different address would match.
 */
export function foldAddress(email: string): string {
  return email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Returns a member and locks its row. Throws `not_found`. */
export function lockMember(tx: Tx, userId: string, memberId: string): Promise<Row<'member'>> {
  return tx
    .selectFrom('member')
    .selectAll()
    .where(hasValues({ user_id: userId, id: memberId }))
    .forUpdate()
    .executeTakeFirstOrThrow(() => new Fault('not_found'))
}

/**
 * Throws `last_owner` if the account would have no other active owner. Locks the account row, so that two owners who
 * demote each other at the same time are serialized.
 */
export async function assertOtherOwner(tx: Tx, { user_id: userId, id, role }: Row<'member'>): Promise<void> {
  if (role !== 'owner') return
  await tx.selectFrom('account').select('user_id').where('user_id', '=', userId).forNoKeyUpdate().execute()
  const other = await tx
    .selectFrom('member')
    .select('id')
    .where(hasValues({ user_id: userId, role: 'owner', status: 'active' }))
    .where('id', '!=', id)
    .limit(1)
    .executeTakeFirst()
  if (!other) throw new Fault('last_owner')
}

export async function wireMembers(tx: Tx, rows: readonly Row<'member'>[]): Promise<Member[]> {
  const [first] = rows
  if (!first) return []
  const ids = rows.map(({ id }) => id)
  const groups = await tx
    .selectFrom('team_group_member')
    .select(['member_id', 'group_id'])
    .where('user_id', '=', first.user_id)
    .where('member_id', 'in', ids)
    .orderBy('group_id')
    .execute()
  const identities = await tx
    .selectFrom('member_identity')
    .select(['member_id', 'issuer'])
    .where('user_id', '=', first.user_id)
    .where('member_id', 'in', ids)
    .orderBy('created_at')
    .execute()
  return rows.map((row) => ({
    member_id: row.id as Id<'member'>,
    display_name: row.display_name,
    email: row.email,
    role: row.role,
    status: row.status,
    group_ids: groups.filter((each) => each.member_id === row.id).map((each) => each.group_id),
    issuer: identities.find((each) => each.member_id === row.id)?.issuer ?? null,
    joined_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at?.toISOString() ?? null,
  }))
}
