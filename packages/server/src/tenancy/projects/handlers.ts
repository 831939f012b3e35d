import type { Done, Project, ProjectPage, ProjectState, projectOperations, UpdateProject } from '@cairnstore/contract'
import { openPage, type PageRequest } from '../../base/cursor.ts'
import { Fault } from '../../base/fault.ts'
import { hasValues, ofSandbox, sandboxColumns } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import { assertMatches } from '../../db/versions.ts'
import type { AccessScope } from '../access/access-scope.ts'
import { type AuditContext, recordEvent } from '../audit/record-event.ts'
import type { TenancyCtx, TenancyHandlers } from '../context.ts'
import { assertWritable } from '../sandboxes/assert-writable.ts'
import { isLive, lockSource } from '../sources/source-rows.ts'
import { assertUnarchived, createProject, lockProject, projectsIn, sourceIdsOf, wireProject } from './store.ts'

export const handlers: TenancyHandlers<typeof projectOperations> = {
  createProject: (ctx, { access, body }) => createProject(ctx, access, body),
  listProjects: (ctx, { access, query }) => listProjects(ctx, access, query),
  getProject: (ctx, { access, params }) => getProject(ctx, access, params.project_id),
  updateProject: (ctx, { access, params, body }) => updateProject(ctx, access, params.project_id, body),
  archiveProject: (ctx, { access, params }) => archiveProject(ctx, access, params.project_id),
  deleteProject: (ctx, { access, params }) => deleteProject(ctx, access, params.project_id),
  linkSource: (ctx, { access, params }) =>
    linkSource(ctx, access, { projectId: params.project_id, sourceId: params.source_id }),
  unlinkSource: (ctx, { access, params }) =>
    unlinkSource(ctx, access, { projectId: params.project_id, sourceId: params.source_id }),
}

interface ProjectsQuery extends PageRequest {
  status?: ProjectState | undefined
}

/** Returns one page of the projects in the access scope, newest first. */
async function listProjects(
  ctx: Pick<TenancyCtx, 'caller' | 'cursors' | 'sql'>,
  access: AccessScope,
  { status, ...pageQuery }: ProjectsQuery,
): Promise<ProjectPage> {
  const scope = ['projects', ctx.caller.accountId, access.sandboxId, access.projectId, status]
  const page = openPage(ctx.cursors, scope, pageQuery)
  return ctx.sql.transact(access.holderId, async (tx) => {
    let query = projectsIn(tx, access).selectAll().orderBy('id', 'desc').limit(page.rowsMax)
    if (status !== undefined) query = query.where('status', '=', status)
    if (page.after) query = query.where('id', '<', String(page.after[0]))
    const { rows, end } = page.cut(await query.execute(), (last) => [last.id])
    const ids = rows.map((row) => row.id)
    const sourceIds = await sourceIdsOf(tx, access, ids)
    return { projects: rows.map((row) => wireProject(row, sourceIds.get(row.id) ?? [])), ...end }
  })
}

/** Returns a project in the access scope. Throws `not_found` for any other. */
async function getProject(ctx: Pick<TenancyCtx, 'sql'>, access: AccessScope, projectId: string): Promise<Project> {
  return ctx.sql.transact(access.holderId, (tx) => readProject(tx, access, projectId))
}

/** Returns a project in the access scope, inside a transaction. Throws `not_found` for any other. */
export async function readProject(tx: Tx, access: AccessScope, projectId: string): Promise<Project> {
  const row = await projectsIn(tx, access)
    .selectAll()
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow(() => new Fault('not_found'))
  return wireProject(row, (await sourceIdsOf(tx, access, [projectId])).get(projectId) ?? [])
}

/**
 * Updates a project. An omitted field keeps its value. A null description clears it; any other null is ignored. Throws
 * `sandbox_not_active` and `project_archived`.
 */
async function updateProject(
  ctx: Pick<TenancyCtx, 'ifMatch' | 'sql'> & AuditContext,
  access: AccessScope,
  projectId: string,
  change: UpdateProject,
): Promise<Project> {
  return ctx.sql.transact(access.holderId, async (tx) => {
    const old = await lockProject(tx, access, projectId)
    assertWritable(access)
    assertMatches(ctx.ifMatch, old.version)
    assertUnarchived(old)
    if (Object.keys(change).length === 0) return readProject(tx, access, projectId)
    await tx
      .updateTable('project')
      .set({
        name: change.name ?? old.name,
        description: change.description === undefined ? old.description : change.description,
        metadata: change.metadata ?? old.metadata,
        updated_at: ctx.clock.now(),
      })
      .where(ofSandbox(access, { id: projectId }))
      .execute()
    await recordEvent(ctx, tx, { holderId: access.holderId, sandboxId: access.sandboxId, subjectId: projectId })
    return readProject(tx, access, projectId)
  })
}

/**
 * Archives a project. Does nothing if it is already archived. Throws `not_found` for a project outside the access
 * scope. Throws `grant_limits` for a grant limited to this project, because its holder could not restore the project.
 */
async function archiveProject(
  ctx: Pick<TenancyCtx, 'sql'> & AuditContext,
  access: AccessScope,
  projectId: string,
): Promise<Done> {
  return ctx.sql.transact(access.holderId, async (tx) => {
    const { status } = await lockProject(tx, access, projectId)
    if (access.projectId !== null) throw new Fault('grant_limits')
    assertWritable(access)
    if (status !== 'archived') {
      await tx
        .updateTable('project')
        .set({ status: 'archived', updated_at: ctx.clock.now() })
        .where(ofSandbox(access, { id: projectId }))
        .execute()
      await recordEvent(ctx, tx, { holderId: access.holderId, sandboxId: access.sandboxId, subjectId: projectId })
    }
    return { success: true, message: 'The project is archived.' }
  })
}

/**
 * Deletes a project with its source links and the grants limited to it. Its sources remain. Throws `not_found` for a
 * project outside the access scope. Throws `grant_limits` for a grant limited to this project, because only a grant on
 * the whole sandbox may delete projects.
 */
async function deleteProject(
  ctx: Pick<TenancyCtx, 'authenticator' | 'ifMatch' | 'sql'> & AuditContext,
  access: AccessScope,
  projectId: string,
): Promise<Done> {
  const done = await ctx.sql.transact<Done>(access.holderId, async (tx) => {
    const { version } = await lockProject(tx, access, projectId)
    if (access.projectId !== null) throw new Fault('grant_limits')
    assertWritable(access)
    assertMatches(ctx.ifMatch, version)
    await tx
      .deleteFrom('project')
      .where(ofSandbox(access, { id: projectId }))
      .execute()
    await tx
      .updateTable('account')
      .set({ default_project_id: null })
      .where(hasValues({ user_id: access.holderId, default_project_id: projectId }))
      .execute()
    await recordEvent(ctx, tx, { holderId: access.holderId, sandboxId: access.sandboxId, subjectId: projectId })
    return { success: true, message: 'The project is deleted; its sources remain.' }
  })
  // The keys of the deleted grants must not stay in the cache.
  ctx.authenticator.forget({ accountId: access.holderId })
  return done
}

interface Pair {
  projectId: string
  sourceId: string
}

/** Links an active source to a project. A source that is already linked stays linked. */
async function linkSource(ctx: Pick<TenancyCtx, 'sql'> & AuditContext, access: AccessScope, pair: Pair): Promise<Done> {
  return ctx.sql.transact(access.holderId, async (tx) => {
    const source = await lockPair(tx, access, pair)
    if (!isLive(source)) throw new Fault('source_not_active', { detail: `The source is ${source.status}.` })
    const { numInsertedOrUpdatedRows: inserted } = await tx
      .insertInto('project_source')
      .values({
        ...sandboxColumns(access),
        project_id: pair.projectId,
        source_id: pair.sourceId,
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    await recordChange(ctx, tx, access, pair, inserted === 1n)
    return { success: true, message: 'The source is linked to the project.' }
  })
}

/** Removes a source from a project. Succeeds also if the source is not linked. */
async function unlinkSource(
  ctx: Pick<TenancyCtx, 'sql'> & AuditContext,
  access: AccessScope,
  pair: Pair,
): Promise<Done> {
  return ctx.sql.transact(access.holderId, async (tx) => {
    await lockPair(tx, access, pair)
    const { numDeletedRows: deleted } = await tx
      .deleteFrom('project_source')
      .where(ofSandbox(access, { project_id: pair.projectId, source_id: pair.sourceId }))
      .executeTakeFirstOrThrow()
    await recordChange(ctx, tx, access, pair, deleted === 1n)
    return { success: true, message: 'The source is unlinked from the project.' }
  })
}

/** Records the audit event. Increments the project's version if its sources changed, because responses list them. */
async function recordChange(
  ctx: AuditContext,
  tx: Tx,
  access: AccessScope,
  pair: Pair,
  isChanged: boolean,
): Promise<void> {
  const { holderId, sandboxId } = access
  if (isChanged) {
    await tx
      .updateTable('project')
      .set((is) => ({ version: is('version', '+', 1) }))
      .where(ofSandbox(access, { id: pair.projectId }))
      .execute()
  }
  await recordEvent(ctx, tx, { holderId, sandboxId, subjectId: pair.sourceId })
}

async function lockPair(tx: Tx, access: AccessScope, { projectId, sourceId }: Pair) {
  const project = await lockProject(tx, access, projectId)
  const source = await lockSource(tx, access, sourceId)
  assertWritable(access)
  assertUnarchived(project)
  return source
}
