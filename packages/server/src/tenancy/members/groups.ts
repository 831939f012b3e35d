import type { CreateGroup, Done, Group, GroupPage, Id, UpdateGroup } from '@cairnstore/contract'
import { openPage, type PageRequest } from '../../base/cursor.ts'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { hasValues } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { type AuditContext, recordEvent } from '../audit/record-event.ts'
import { tenantOf } from '../caller.ts'
import type { TenancyCtx } from '../context.ts'
import { type IdempotencyContext, storeReply } from '../idempotency/keyed-request.ts'

type ChangeContext = Pick<TenancyCtx, 'sql'> & AuditContext

/** Throws `unknown_member` if an id has no row in the account. */
export async function assertKnown(
  tx: Tx,
  table: 'member' | 'team_group',
  userId: string,
  ids: readonly string[],
  loc: string[],
): Promise<void> {
  if (ids.length === 0) return
  const { known } = await tx
    .selectFrom(table)
    .select((is) => is.fn.countAll<number>().as('known'))
    .where('user_id', '=', userId)
    .where('id', 'in', ids)
    .executeTakeFirstOrThrow()
  if (known === ids.length) return
  const msg = table === 'member' ? 'An id is not a member of this account.' : 'An id is not a group of this account.'
  throw new Fault('unknown_member', { problems: [{ loc, msg, type: 'value_error' }] })
}

/** Returns one page of groups with their members, newest first. */
export async function listGroups(
  ctx: Pick<TenancyCtx, 'caller' | 'cursors' | 'sql'>,
  pageQuery: PageRequest,
): Promise<GroupPage> {
  const userId = tenantOf(ctx.caller)
  const page = openPage(ctx.cursors, ['groups', userId], pageQuery)
  return ctx.sql.transact(userId, async (tx) => {
    const all = tx.selectFrom('team_group').selectAll().where('user_id', '=', userId)
    const after = page.after ? all.where('id', '<', String(page.after[0])) : all
    const { rows, end } = page.cut(await after.orderBy('id', 'desc').limit(page.rowsMax).execute(), (last) => [last.id])
    return { groups: await wireGroups(tx, rows), ...end }
  })
}

/** Creates a group. Throws `duplicate_name` if its name or claim is taken, and `unknown_member`. */
export async function createGroup(ctx: ChangeContext & IdempotencyContext, input: CreateGroup): Promise<Group> {
  const userId = tenantOf(ctx.caller)
  const id = newId('group', ctx.clock)
  return ctx.sql.transact(userId, async (tx) => {
    const row = await tx
      .insertInto('team_group')
      .values({ user_id: userId, id, name: input.name, claim: input.claim ?? null, created_at: ctx.clock.now() })
      .returningAll()
      .executeTakeFirstOrThrow()
    await setMembers(tx, row, input.member_ids ?? [])
    await recordEvent(ctx, tx, { holderId: userId, subjectId: id })
    const [made] = await wireGroups(tx, [row])
    await storeReply(ctx, tx, made!)
    return made!
  })
}

/** Updates a group. An omitted field stays; null removes the claim. Throws `not_found` and like `createGroup`. */
export async function updateGroup(ctx: ChangeContext, id: Id<'group'>, change: UpdateGroup): Promise<Group> {
  const userId = tenantOf(ctx.caller)
  return ctx.sql.transact(userId, async (tx) => {
    const old = await tx
      .selectFrom('team_group')
      .selectAll()
      .where(hasValues({ user_id: userId, id }))
      .forUpdate()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    const row = await tx
      .updateTable('team_group')
      .set({ name: change.name ?? old.name, claim: change.claim === undefined ? old.claim : change.claim })
      .where(hasValues({ user_id: userId, id }))
      .returningAll()
      .executeTakeFirstOrThrow()
    if (change.member_ids) await setMembers(tx, row, change.member_ids)
    await recordEvent(ctx, tx, { holderId: userId, subjectId: id })
    const [changed] = await wireGroups(tx, [row])
    return changed!
  })
}

/** Deletes a group and its grants. Throws `not_found`. */
export async function deleteGroup(ctx: ChangeContext, id: Id<'group'>): Promise<Done> {
  const userId = tenantOf(ctx.caller)
  await ctx.sql.transact(userId, async (tx) => {
    await tx
      .deleteFrom('team_group')
      .where(hasValues({ user_id: userId, id }))
      .returning('id')
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    await recordEvent(ctx, tx, { holderId: userId, subjectId: id })
  })
  return { success: true, message: 'The group and its grants are deleted.' }
}

async function setMembers(tx: Tx, group: Row<'team_group'>, given: readonly string[]): Promise<void> {
  const memberIds = [...new Set(given)]
  const { user_id, id: group_id } = group
  await assertKnown(tx, 'member', user_id, memberIds, ['body', 'member_ids'])
  await tx.deleteFrom('team_group_member').where('user_id', '=', user_id).where('group_id', '=', group_id).execute()
  if (memberIds.length === 0) return
  await tx
    .insertInto('team_group_member')
    .values(memberIds.map((member_id) => ({ user_id, group_id, member_id })))
    .execute()
}

async function wireGroups(tx: Tx, rows: readonly Row<'team_group'>[]): Promise<Group[]> {
  const [first] = rows
  if (!first) return []
  const members = await tx
    .selectFrom('team_group_member')
    .select(['group_id', 'member_id'])
    .where('user_id', '=', first.user_id)
    .where(
      'group_id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('member_id')
    .execute()
  return rows.map((row) => ({
    group_id: row.id as Id<'group'>,
    name: row.name,
    claim: row.claim,
    member_ids: members.filter((each) => each.group_id === row.id).map((each) => each.member_id),
    created_at: row.created_at.toISOString(),
  }))
}
