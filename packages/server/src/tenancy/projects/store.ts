import type { Id, Project } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { withVersion } from '../../db/versions.ts'
import type { Ctx } from '../context.ts'
import type { Reach } from '../reach/reach.ts'

/** The projects within a reach: of the sandbox, or the one that the grant is limited to. */
export function projectsIn(tx: Tx, reach: Reach) {
  const all = tx.selectFrom('project').where(ofSandbox(reach))
  return reach.projectId === null ? all : all.where('id', '=', reach.projectId)
}

/** A project within the reach, locked until the transaction ends; throws `not_found` for any other. */
export function lockProject(tx: Tx, reach: Reach, projectId: string): Promise<Row<'project'>> {
  return projectsIn(tx, reach)
    .selectAll()
    .where('id', '=', projectId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => new Fault('not_found'))
}

/** Throws `project_archived` for a project that is put away. */
export function assertUnarchived({ status }: Pick<Row<'project'>, 'status'>): void {
  if (status === 'archived') throw new Fault('project_archived')
}

/** The ids of the sources of each project, in order. */
export async function sourceIdsOf(tx: Tx, reach: Reach, projectIds: string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>(projectIds.map((id) => [id, []]))
  if (projectIds.length === 0) return found
  const links = await tx
    .selectFrom('project_source')
    .select(['project_id', 'source_id'])
    .where(ofSandbox(reach))
    .where('project_id', 'in', projectIds)
    .orderBy('source_id')
    .execute()
  for (const { project_id, source_id } of links) found.get(project_id)?.push(source_id)
  return found
}

/** A project's row as the contract shows it. */
export function wireProject(row: Row<'project'>, sourceIds: string[]): Project {
  const project: Project = {
    project_id: row.id as Id<'project'>,
    user_id: row.user_id,
    sandbox_id: row.sandbox_id as Id<'sandbox'>,
    name: row.name,
    status: row.status,
    description: row.description,
    data_source_ids: sourceIds,
    metadata: row.metadata,
    created_at: row.created_at.toISOString(),
  }
  return withVersion(project, row.version)
}

/** The project's status, or null when the sandbox has no such project. */
export async function projectStatus(
  ctx: Pick<Ctx, 'sql'>,
  reach: Reach,
  projectId: string,
): Promise<'active' | 'archived' | null> {
  const row = await ctx.sql.transact(reach.holderId, (tx) =>
    tx
      .selectFrom('project')
      .select('status')
      .where(ofSandbox(reach, { id: projectId }))
      .executeTakeFirst(),
  )
  return row?.status ?? null
}
