import type { Id, Profile, UpdateProfile } from '@cairn/contract'
import { Fault } from '../../base/fault.ts'
import type { Row } from '../../db/tables.ts'
import { type Recording, recordEvent } from '../audit/record-event.ts'
import type { Ctx } from '../context.ts'
import { projectStatus } from '../projects/project-status.ts'
import { Reach } from '../reach/reach.ts'

type Account = Row<'account'>

/** The caller's account. */
export async function getProfile(ctx: Pick<Ctx, 'caller' | 'sql'>): Promise<Profile> {
  return wireProfile(await readAccount(ctx))
}

/**
 * Changes the caller's account. The primary sandbox must be one that the caller can write to, the default project one
 * of that sandbox; another sandbox drops the default project unless one is given with it.
 */
export async function updateProfile(ctx: Pick<Ctx, 'sql'> & Recording, change: UpdateProfile): Promise<Profile> {
  const { accountId } = ctx.caller
  const account = await readAccount(ctx)
  const primary = change.sandbox_id === undefined ? account.primary_sandbox_id : change.sandbox_id
  const kept = primary === account.primary_sandbox_id ? account.default_project_id : null
  const project = change.project_id === undefined ? kept : change.project_id
  if (change.sandbox_id || change.project_id) await checkPlace(ctx, primary, change.project_id ?? null)
  return ctx.sql.transact(accountId, async (tx) => {
    const row = await tx
      .updateTable('account')
      .set({
        display_name: change.display_name ?? account.display_name,
        primary_sandbox_id: primary,
        default_project_id: project,
      })
      .where('user_id', '=', accountId)
      .returningAll()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    await recordEvent(ctx, tx, { holderId: accountId, subjectId: accountId })
    return wireProfile(row)
  })
}

function readAccount(ctx: Pick<Ctx, 'caller' | 'sql'>): Promise<Account> {
  const { accountId } = ctx.caller
  return ctx.sql.transact(accountId, (tx) =>
    tx
      .selectFrom('account')
      .selectAll()
      .where('user_id', '=', accountId)
      .executeTakeFirstOrThrow(() => new Fault('not_found')),
  )
}

async function checkPlace(
  ctx: Pick<Ctx, 'caller' | 'sql'>,
  sandboxId: string | null,
  projectId: string | null,
): Promise<void> {
  if (sandboxId === null) throw new Fault('no_primary_sandbox')
  const reach = await Reach.of(ctx.sql, ctx.caller, sandboxId)
  if (!reach.allows('editor')) throw new Fault('forbidden')
  if (projectId === null) return
  const status = await projectStatus(ctx, reach, projectId)
  if (!status || (reach.projectId !== null && reach.projectId !== projectId)) throw new Fault('not_found')
  if (status === 'archived') throw new Fault('project_archived')
}

function wireProfile(row: Account): Profile {
  return {
    user_id: row.user_id,
    display_name: row.display_name,
    sandbox_id: row.primary_sandbox_id as Id<'sandbox'> | null,
    project_id: row.default_project_id as Id<'project'> | null,
  }
}
