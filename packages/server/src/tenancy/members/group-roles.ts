import type { Done, GroupRole, GroupRolePage, Id, PutGroupRole } from '@cairnstore/contract'
import { openPage, type PageRequest } from '../../base/cursor.ts'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { hasValues } from '../../db/of-sandbox.ts'
import type { Row } from '../../db/tables.ts'
import { type AuditContext, recordEvent } from '../audit/record-event.ts'
import { tenantOf } from '../caller.ts'
import type { TenancyCtx } from '../context.ts'
import { assertMayGrant } from './store.ts'

type ChangeContext = Pick<TenancyCtx, 'sql'> & AuditContext

/** Returns one page of the mappings from groups-claim values to roles, newest first. */
export async function listGroupRoles(
  ctx: Pick<TenancyCtx, 'caller' | 'cursors' | 'sql'>,
  pageQuery: PageRequest,
): Promise<GroupRolePage> {
  const userId = tenantOf(ctx.caller)
  const page = openPage(ctx.cursors, ['group-roles', userId], pageQuery)
  const found = await ctx.sql.transact(userId, (tx) => {
    const all = tx.selectFrom('group_role').selectAll().where('user_id', '=', userId)
    const after = page.after ? all.where('id', '<', String(page.after[0])) : all
    return after.orderBy('id', 'desc').limit(page.rowsMax).execute()
  })
  const { rows, end } = page.cut(found, (last) => [last.id])
  return { group_roles: rows.map(wire), ...end }
}

/** Maps a value of the groups claim to a role. Throws `owner_only` if an admin sets or replaces the role `owner`. */
export async function putGroupRole(ctx: ChangeContext, { claim, role }: PutGroupRole): Promise<GroupRole> {
  assertMayGrant(ctx.caller, role)
  const userId = tenantOf(ctx.caller)
  return ctx.sql.transact(userId, async (tx) => {
    const old = await tx
      .selectFrom('group_role')
      .select('role')
      .where(hasValues({ user_id: userId, claim }))
      .forUpdate()
      .executeTakeFirst()
    if (old) assertMayGrant(ctx.caller, old.role)
    const row = await tx
      .insertInto('group_role')
      .values({ user_id: userId, id: newId('groupRole', ctx.clock), claim, role, created_at: ctx.clock.now() })
      .onConflict((conflict) => conflict.constraint('group_role_claim').doUpdateSet({ role }))
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordEvent(ctx, tx, { holderId: userId, subjectId: row.id })
    return wire(row)
  })
}

/**
 * Removes the mapping of a groups-claim value. Members keep their role until their next sign-in. Throws `not_found`.
 * Throws `owner_only` if an admin removes a mapping to the role `owner`, because owners would lose that role.
 */
export async function deleteGroupRole(ctx: ChangeContext, id: Id<'groupRole'>): Promise<Done> {
  const userId = tenantOf(ctx.caller)
  await ctx.sql.transact(userId, async (tx) => {
    const { role } = await tx
      .deleteFrom('group_role')
      .where(hasValues({ user_id: userId, id }))
      .returning('role')
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    assertMayGrant(ctx.caller, role)
    await recordEvent(ctx, tx, { holderId: userId, subjectId: id })
  })
  return { success: true, message: 'The mapping is removed. Members keep their role until their next sign-in.' }
}

function wire(row: Row<'group_role'>): GroupRole {
  const { claim, role, created_at } = row
  return { group_role_id: row.id as Id<'groupRole'>, claim, role, created_at: created_at.toISOString() }
}
