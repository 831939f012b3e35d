import type { CreateProject, Id, Problem, Project } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { ofSandbox, sandboxColumns } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { withVersion } from '../../db/versions.ts'
import type { AccessScope } from '../access/access-scope.ts'
import { type AuditContext, recordEvent } from '../audit/record-event.ts'
import type { TenancyCtx } from '../context.ts'
import { type IdempotencyContext, storeReply } from '../idempotency/keyed-request.ts'
import { assertBelow, assertWritable, lockForGrowth } from '../sandboxes/assert-writable.ts'
import { RETIRED } from '../sources/source-rows.ts'

/** Selects the projects in an access scope: all of the sandbox, or the one that the grant is limited to. */
export function projectsIn(tx: Tx, access: AccessScope) {
  const all = tx.selectFrom('project').where(ofSandbox(access))
  return access.projectId === null ? all : all.where('id', '=', access.projectId)
}

/** Returns a project in the access scope and locks its row. Throws `not_found` for any other. */
export function lockProject(tx: Tx, access: AccessScope, projectId: string): Promise<Row<'project'>> {
  return projectsIn(tx, access)
    .selectAll()
    .where('id', '=', projectId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => new Fault('not_found'))
}

/** Throws `project_archived` for an archived project. */
export function assertUnarchived({ status }: Pick<Row<'project'>, 'status'>): void {
  if (status === 'archived') throw new Fault('project_archived')
}

/** Returns the source ids of each project, in ascending order. */
export async function sourceIdsOf(tx: Tx, access: AccessScope, projectIds: string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>(projectIds.map((id) => [id, []]))
  if (projectIds.length === 0) return found
  const links = await tx
    .selectFrom('project_source')
    .select(['project_id', 'source_id'])
    .where(ofSandbox(access))
    .where('project_id', 'in', projectIds)
    .orderBy('source_id')
    .execute()
  for (const { project_id, source_id } of links) found.get(project_id)?.push(source_id)
  return found
}

/** Returns the wire form of a project's row. */
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

/** Returns the project's status; null if the sandbox has no such project. */
export async function projectStatus(
  ctx: Pick<TenancyCtx, 'sql'>,
  access: AccessScope,
  projectId: string,
): Promise<'active' | 'archived' | null> {
  const row = await ctx.sql.transact(access.holderId, (tx) =>
    tx
      .selectFrom('project')
      .select('status')
      .where(ofSandbox(access, { id: projectId }))
      .executeTakeFirst(),
  )
  return row?.status ?? null
}

/** Maximum ids in one statement. PostgreSQL allows 65,535 parameters, and a link uses four. */
const IDS_PER_STATEMENT = 5_000

/**
 * Creates a project with its first sources. Throws `unknown_source` for an id that is not a live source of the sandbox,
 * and `grant_limits` if the grant is limited to a project. Throws `sandbox_not_active` and `quota_exceeded`.
 */
export async function createProject(
  ctx: Pick<TenancyCtx, 'limits' | 'sql'> & AuditContext & IdempotencyContext,
  access: AccessScope,
  input: CreateProject,
): Promise<Project> {
  if (access.projectId !== null) throw new Fault('grant_limits')
  assertWritable(access)
  const place = sandboxColumns(access)
  const id = newId('project', ctx.clock)
  const now = ctx.clock.now()
  const requested = input.data_source_ids ?? []
  return ctx.sql.transact(access.holderId, async (tx) => {
    const limits = await lockForGrowth(tx, access, ctx.limits)
    await assertLive(tx, access, requested)
    assertBelow(limits.max_projects, await countProjects(tx, access), 'projects')
    const row = await tx
      .insertInto('project')
      .values({
        ...place,
        id,
        name: input.name,
        description: input.description ?? null,
        metadata: input.metadata ?? {},
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const sourceIds = [...new Set(requested)].sort()
    for (const ids of inParts(sourceIds)) {
      const links = ids.map((sourceId) => ({ ...place, project_id: id, source_id: sourceId }))
      await tx.insertInto('project_source').values(links).execute()
    }
    await recordEvent(ctx, tx, { holderId: access.holderId, sandboxId: access.sandboxId, subjectId: id })
    const project = wireProject(row, sourceIds)
    await storeReply(ctx, tx, project)
    return project
  })
}

async function countProjects(tx: Tx, access: AccessScope): Promise<number> {
  const { count } = await tx
    .selectFrom('project')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where(ofSandbox(access))
    .executeTakeFirstOrThrow()
  return count
}

async function assertLive(tx: Tx, access: AccessScope, requested: string[]): Promise<void> {
  const live = new Set<string>()
  for (const ids of inParts([...new Set(requested)])) {
    const rows = await tx
      .selectFrom('source')
      .select('id')
      .where(ofSandbox(access))
      .where('id', 'in', ids)
      .where('status', 'not in', RETIRED)
      .forKeyShare()
      .execute()
    for (const { id } of rows) live.add(id)
  }
  const problems = requested.flatMap((id, at): Problem[] =>
    live.has(id)
      ? []
      : [
          {
            loc: ['body', 'data_source_ids', at],
            msg: 'This is not a live source of this sandbox.',
            type: 'unknown_source',
          },
        ],
  )
  if (problems.length > 0) throw new Fault('unknown_source', { problems: problems.slice(0, PROBLEMS_MAX) })
}

/** Maximum number of problems in one response. */
const PROBLEMS_MAX = 20

function inParts(ids: string[]): string[][] {
  const parts: string[][] = []
  for (let from = 0; from < ids.length; from += IDS_PER_STATEMENT) parts.push(ids.slice(from, from + IDS_PER_STATEMENT))
  return parts
}
