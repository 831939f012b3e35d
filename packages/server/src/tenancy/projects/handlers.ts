import type { Done, Project, ProjectPage, ProjectState, projectOperations, UpdateProject } from '@cairnstore/contract'
import { openPage, type PageRequest } from '../../base/cursor.ts'
import { Fault } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import { assertMatches } from '../../db/versions.ts'
import { type Recording, recordEvent } from '../audit/record-event.ts'
import type { TenancyCtx, TenancyHandlers } from '../context.ts'
import type { Reach } from '../reach/reach.ts'
import { assertWritable } from '../sandboxes/assert-writable.ts'
import { isLive, lockSource } from '../sources/source-rows.ts'
import { assertUnarchived, createProject, lockProject, projectsIn, sourceIdsOf, wireProject } from './store.ts'

/** Handlers of the project operations. */
export const handlers: TenancyHandlers<typeof projectOperations> = {
  createProject: (ctx, { reach, body }) => createProject(ctx, reach, body),
  listProjects: (ctx, { reach, query }) => listProjects(ctx, reach, query),
  getProject: (ctx, { reach, params }) => getProject(ctx, reach, params.project_id),
  updateProject: (ctx, { reach, params, body }) => updateProject(ctx, reach, params.project_id, body),
  archiveProject: (ctx, { reach, params }) => archiveProject(ctx, reach, params.project_id),
  deleteProject: (ctx, { reach, params }) => deleteProject(ctx, reach, params.project_id),
  linkSource: (ctx, { reach, params }) =>
    linkSource(ctx, reach, { projectId: params.project_id, sourceId: params.source_id }),
  unlinkSource: (ctx, { reach, params }) =>
    unlinkSource(ctx, reach, { projectId: params.project_id, sourceId: params.source_id }),
}

interface ProjectsQuery extends PageRequest {
  status?: ProjectState | undefined
}

/** Returns one page of the projects in the access scope, newest first. */
async function listProjects(
  ctx: Pick<TenancyCtx, 'caller' | 'cursors' | 'sql'>,
  reach: Reach,
  { status, ...asked }: ProjectsQuery,
): Promise<ProjectPage> {
  const scope = ['projects', ctx.caller.accountId, reach.sandboxId, reach.projectId, status]
  const page = openPage(ctx.cursors, scope, asked)
  return ctx.sql.transact(reach.holderId, async (tx) => {
    let query = projectsIn(tx, reach).selectAll().orderBy('id', 'desc').limit(page.rowsMax)
    if (status !== undefined) query = query.where('status', '=', status)
    if (page.after) query = query.where('id', '<', String(page.after[0]))
    const { rows, end } = page.cut(await query.execute(), (last) => [last.id])
    const ids = rows.map((row) => row.id)
    const sourceIds = await sourceIdsOf(tx, reach, ids)
    return { projects: rows.map((row) => wireProject(row, sourceIds.get(row.id) ?? [])), ...end }
  })
}

/** Returns a project in the access scope. Throws `not_found` for any other. */
async function getProject(ctx: Pick<TenancyCtx, 'sql'>, reach: Reach, projectId: string): Promise<Project> {
  return ctx.sql.transact(reach.holderId, (tx) => readProject(tx, reach, projectId))
}

/** Returns a project in the access scope, inside a transaction. Throws `not_found` for any other. */
export async function readProject(tx: Tx, reach: Reach, projectId: string): Promise<Project> {
  const row = await projectsIn(tx, reach)
    .selectAll()
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow(() => new Fault('not_found'))
  return wireProject(row, (await sourceIdsOf(tx, reach, [projectId])).get(projectId) ?? [])
}

/**
 * Updates a project. An omitted field keeps its value. A null description clears it; any other null is ignored. Throws
 * `sandbox_not_active` and `project_archived`.
 */
async function updateProject(
  ctx: Pick<TenancyCtx, 'ifMatch' | 'sql'> & Recording,
  reach: Reach,
  projectId: string,
  change: UpdateProject,
): Promise<Project> {
  return ctx.sql.transact(reach.holderId, async (tx) => {
    const old = await lockProject(tx, reach, projectId)
    assertWritable(reach)
    assertMatches(ctx.ifMatch, old.version)
    assertUnarchived(old)
    if (Object.keys(change).length === 0) return readProject(tx, reach, projectId)
    await tx
      .updateTable('project')
      .set({
        name: change.name ?? old.name,
        description: change.description === undefined ? old.description : change.description,
        metadata: change.metadata ?? old.metadata,
        updated_at: ctx.clock.now(),
      })
      .where(ofSandbox(reach, { id: projectId }))
      .execute()
    await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: projectId })
    return readProject(tx, reach, projectId)
  })
}

/**
 * Archives a project. Does nothing if it is already archived. Throws `not_found` for a project outside the access
 * scope. Throws `grant_limits` for a grant limited to this project, whose holder could then neither read nor restore
 * it.
 */
async function archiveProject(
  ctx: Pick<TenancyCtx, 'sql'> & Recording,
  reach: Reach,
  projectId: string,
): Promise<Done> {
  return ctx.sql.transact(reach.holderId, async (tx) => {
    const { status } = await lockProject(tx, reach, projectId)
    if (reach.projectId !== null) throw new Fault('grant_limits')
    assertWritable(reach)
    if (status !== 'archived') {
      await tx
        .updateTable('project')
        .set({ status: 'archived', updated_at: ctx.clock.now() })
        .where(ofSandbox(reach, { id: projectId }))
        .execute()
      await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: projectId })
    }
    return { success: true, message: 'The project is archived.' }
  })
}

/**
 * Deletes a project with its source links and the grants limited to it. Its sources are kept. Throws `not_found` for a
 * project outside the access scope. Throws `grant_limits` for a grant limited to this project, because only a grant on
 * the whole sandbox may delete projects.
 */
async function deleteProject(
  ctx: Pick<TenancyCtx, 'authenticator' | 'ifMatch' | 'sql'> & Recording,
  reach: Reach,
  projectId: string,
): Promise<Done> {
  const done = await ctx.sql.transact<Done>(reach.holderId, async (tx) => {
    const { version } = await lockProject(tx, reach, projectId)
    if (reach.projectId !== null) throw new Fault('grant_limits')
    assertWritable(reach)
    assertMatches(ctx.ifMatch, version)
    await tx
      .deleteFrom('project')
      .where(ofSandbox(reach, { id: projectId }))
      .execute()
    await tx
      .updateTable('account')
      .set({ default_project_id: null })
      .where('user_id', '=', reach.holderId)
      .where('default_project_id', '=', projectId)
      .execute()
    await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: projectId })
    return { success: true, message: 'The project is deleted; its sources remain.' }
  })
  // The keys of the deleted grants must not stay in the cache.
  ctx.authenticator.forget({ accountId: reach.holderId })
  return done
}

interface Pair {
  projectId: string
  sourceId: string
}

/** Links an active source to a project. A source that is already linked stays linked. */
async function linkSource(ctx: Pick<TenancyCtx, 'sql'> & Recording, reach: Reach, pair: Pair): Promise<Done> {
  return ctx.sql.transact(reach.holderId, async (tx) => {
    const source = await readPair(tx, reach, pair)
    if (!isLive(source)) throw new Fault('source_not_active', { detail: `The source is ${source.status}.` })
    const { numInsertedOrUpdatedRows: inserted } = await tx
      .insertInto('project_source')
      .values({
        user_id: reach.holderId,
        sandbox_id: reach.sandboxId,
        project_id: pair.projectId,
        source_id: pair.sourceId,
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    if (inserted === 1n) await noteChange(ctx, tx, reach, pair)
    return { success: true, message: 'The source is linked to the project.' }
  })
}

/** Removes a source from a project. A source that is not linked is no error. */
async function unlinkSource(ctx: Pick<TenancyCtx, 'sql'> & Recording, reach: Reach, pair: Pair): Promise<Done> {
  return ctx.sql.transact(reach.holderId, async (tx) => {
    await readPair(tx, reach, pair)
    const { numDeletedRows: deleted } = await tx
      .deleteFrom('project_source')
      .where(ofSandbox(reach, { project_id: pair.projectId }))
      .where('source_id', '=', pair.sourceId)
      .executeTakeFirstOrThrow()
    if (deleted === 1n) await noteChange(ctx, tx, reach, pair)
    return { success: true, message: 'The source is unlinked from the project.' }
  })
}

/** Counts and records a change of the sources of a project. */
async function noteChange(ctx: Recording, tx: Tx, reach: Reach, pair: Pair): Promise<void> {
  const { holderId, sandboxId } = reach
  await countChange(tx, reach, pair.projectId)
  await recordEvent(ctx, tx, { holderId, sandboxId, subjectId: pair.sourceId })
}

async function readPair(tx: Tx, reach: Reach, { projectId, sourceId }: Pair) {
  const project = await lockProject(tx, reach, projectId)
  const source = await lockSource(tx, reach, sourceId)
  assertWritable(reach)
  assertUnarchived(project)
  return source
}

/** Increments the project's version, because a project's response lists its sources. */
async function countChange(tx: Tx, reach: Reach, projectId: string): Promise<void> {
  await tx
    .updateTable('project')
    .set((is) => ({ version: is('version', '+', 1) }))
    .where(ofSandbox(reach, { id: projectId }))
    .execute()
}
