import type { Id, Profile, UpdateProfile } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { asTenant } from '../../db/as-tenant.ts'
import { hasValues } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { AccessScope, findPrimarySandbox } from '../access/access-scope.ts'
import { type AuditContext, recordEvent } from '../audit/record-event.ts'
import { type Caller, tenantOf } from '../caller.ts'
import type { TenancyCtx } from '../context.ts'
import { projectStatus } from '../projects/store.ts'

type Account = Row<'account'>

/** Returns the profile of the caller's account or member. */
export async function getProfile({ caller, sql }: Pick<TenancyCtx, 'caller' | 'sql'>): Promise<Profile> {
  return sql.transact(caller.accountId, async (tx) => wireProfile(tx, await readAccount(tx, caller.accountId), caller))
}

/**
 * Changes the caller's profile. The caller must be able to write to the primary sandbox, and the default project must
 * belong to it. A new primary sandbox clears the default project unless the request sets one. If the caller has one
 * sandbox and sets only a default project, that sandbox becomes the primary one.
 */
export async function updateProfile(
  ctx: Pick<TenancyCtx, 'sql'> & AuditContext,
  change: UpdateProfile,
): Promise<Profile> {
  const { accountId } = ctx.caller
  const { account, only } = await ctx.sql.transact(accountId, async (tx) => ({
    account: await readAccount(tx, accountId),
    only: change.project_id ? await findPrimarySandbox(tx, accountId) : null,
  }))
  const primary = change.sandbox_id === undefined ? (account.primary_sandbox_id ?? only) : change.sandbox_id
  const current = primary === account.primary_sandbox_id ? account.default_project_id : null
  const project = change.project_id === undefined ? current : change.project_id
  if (change.sandbox_id || change.project_id) await assertWritableScope(ctx, primary, change.project_id ?? null)
  const display_name = change.display_name ?? account.display_name
  const holderId = tenantOf(ctx.caller)
  return ctx.sql.transact(holderId, async (tx) => {
    if (ctx.caller.member) await renameMember(tx, ctx.caller, display_name)
    await recordEvent(ctx, tx, { holderId, subjectId: accountId })
    return asTenant(tx, holderId, accountId, async () => {
      const row = await tx
        .updateTable('account')
        .set({ display_name, primary_sandbox_id: primary, default_project_id: project })
        .where('user_id', '=', accountId)
        .returningAll()
        .executeTakeFirstOrThrow(() => new Fault('not_found'))
      return wireProfile(tx, row, ctx.caller)
    })
  })
}

async function renameMember(tx: Tx, { accountId, member }: Caller, display_name: string): Promise<void> {
  await tx
    .updateTable('member')
    .set({ display_name })
    .where(hasValues({ user_id: member?.tenantId ?? '', id: accountId }))
    .execute()
}

function readAccount(tx: Tx, accountId: string): Promise<Account> {
  return tx
    .selectFrom('account')
    .selectAll()
    .where('user_id', '=', accountId)
    .executeTakeFirstOrThrow(() => new Fault('not_found'))
}

async function assertWritableScope(
  ctx: Pick<TenancyCtx, 'caller' | 'sql'>,
  sandboxId: string | null,
  projectId: string | null,
): Promise<void> {
  if (sandboxId === null) throw new Fault('no_primary_sandbox')
  const access = await AccessScope.of(ctx.sql, ctx.caller, sandboxId)
  if (!access.allows('editor')) throw new Fault('forbidden')
  if (projectId === null) return
  const status = await projectStatus(ctx, access, projectId)
  if (!status || (access.projectId !== null && access.projectId !== projectId)) throw new Fault('not_found')
  if (status === 'archived') throw new Fault('project_archived')
}

async function wireProfile(tx: Tx, row: Account, caller: Caller): Promise<Profile> {
  return {
    user_id: tenantOf(caller),
    member_id: caller.member?.id ?? null,
    display_name: row.display_name,
    sandbox_id: (await findPrimarySandbox(tx, row.user_id)) as Id<'sandbox'> | null,
    project_id: row.default_project_id as Id<'project'> | null,
  }
}
