import type { Scope } from '@cairnstore/engine/rank'
import { Fault } from '../base/fault.ts'
import type { Head } from '../db/head.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import { AccessScope } from '../tenancy/access/access-scope.ts'
import type { StoreCtx } from './planes.ts'
import { HeadGone } from './port.ts'
import type { SandboxView } from './sandbox-view.ts'

/** The read snapshot of a question: its scope and committed state. */
export interface ReadSnapshot {
  head: Head
  /** Null for the whole sandbox. */
  scope: Scope | null
  projectId: string | null
}

/**
 * Returns the read snapshot for the caller's access scope and the requested project. A grant on one project restricts
 * the scope implicitly. Throws `not_found` for a project outside the access scope, and `project_archived` for an
 * archived one.
 */
async function readHeadAndScope(
  ctx: Pick<StoreCtx, 'sql'>,
  access: AccessScope,
  requestedProjectId: string | null | undefined,
): Promise<ReadSnapshot> {
  const projectId = requestedProjectId ?? access.projectId
  if (access.projectId && projectId !== access.projectId) throw new Fault('not_found')
  if (!projectId) return { head: access.head, scope: null, projectId: null }
  return ctx.sql.transact(access.holderId, async (tx) => {
    const project = await tx
      .selectFrom('project')
      .select('status')
      .where(ofSandbox(access, { id: projectId }))
      .executeTakeFirst()
    if (!project) throw new Fault('not_found')
    if (project.status === 'archived') throw new Fault('project_archived')
    const sources = await tx
      .selectFrom('project_source')
      .select('source_id')
      .where(ofSandbox(access, { project_id: projectId }))
      .execute()
    const sourceIds = new Set(sources.map((source) => source.source_id))
    return { head: access.head, scope: { projectId, sourceIds }, projectId }
  })
}

/** Returns a question's read snapshot and view. Retries once at the current head if the first is no longer stored. */
export async function openSnapshot(
  ctx: Pick<StoreCtx, 'caller' | 'key' | 'knowledge' | 'sql'>,
  access: AccessScope,
  requestedProjectId: string | null | undefined,
): Promise<{ snapshot: ReadSnapshot; view: SandboxView }> {
  const sandbox = { userId: access.holderId, sandboxId: access.sandboxId, seal: ctx.key?.seal }
  const snapshot = await readHeadAndScope(ctx, access, requestedProjectId)
  try {
    return { snapshot, view: await ctx.knowledge.view(sandbox, snapshot.head) }
  } catch (error) {
    if (!(error instanceof HeadGone)) throw error
    const { head } = (await AccessScope.find(ctx.sql, ctx.caller, access.sandboxId)) ?? access
    return { snapshot: { ...snapshot, head }, view: await ctx.knowledge.view(sandbox, head) }
  }
}

/**
 * Returns the source of a record if the caller may see it, else null. A record can belong to a project through its
 * `project_id` although its source does not. Callers limited to the project must not see that source.
 */
export function visibleSource(access: AccessScope, { scope }: ReadSnapshot, sourceId: string | null): string | null {
  if (access.projectId === null || sourceId === null) return sourceId
  return scope?.sourceIds?.has(sourceId) ? sourceId : null
}
