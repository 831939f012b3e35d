import type { Scope } from '@cairnstore/engine/rank'
import { Fault } from '../base/fault.ts'
import type { Head } from '../db/head.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import { Reach } from '../tenancy/reach/reach.ts'
import type { StoreCtx } from './planes.ts'
import { HeadGone } from './port.ts'
import type { SandboxView } from './sandbox-view.ts'

/** Where a question may look, and at which committed state. */
export interface Ground {
  head: Head
  /** Null: the whole sandbox. */
  scope: Scope | null
  projectId: string | null
}

/**
 * What the caller's reach and the project it asks for come to. A grant on one project scopes silently. Throws not_found
 * for a project that the caller cannot reach and project_archived for one that is put away.
 */
async function readGround(ctx: Pick<StoreCtx, 'sql'>, reach: Reach, asked: string | null | undefined): Promise<Ground> {
  const projectId = asked ?? reach.projectId
  if (reach.projectId && projectId !== reach.projectId) throw new Fault('not_found')
  if (!projectId) return { head: reach.head, scope: null, projectId: null }
  return ctx.sql.transact(reach.holderId, async (tx) => {
    const project = await tx
      .selectFrom('project')
      .select('status')
      .where(ofSandbox(reach, { id: projectId }))
      .executeTakeFirst()
    if (!project) throw new Fault('not_found')
    if (project.status === 'archived') throw new Fault('project_archived')
    const sources = await tx
      .selectFrom('project_source')
      .select('source_id')
      .where(ofSandbox(reach, { project_id: projectId }))
      .execute()
    const sourceIds = new Set(sources.map((source) => source.source_id))
    return { head: reach.head, scope: { projectId, sourceIds }, projectId }
  })
}

/**
 * The ground of a question with the sandbox as it stands there. A head that an erasure removed between the two is read
 * once more.
 */
export async function openGround(
  ctx: Pick<StoreCtx, 'caller' | 'key' | 'knowledge' | 'sql'>,
  reach: Reach,
  asked: string | null | undefined,
): Promise<{ ground: Ground; view: SandboxView }> {
  const sandbox = { userId: reach.holderId, sandboxId: reach.sandboxId, seal: ctx.key?.seal }
  const ground = await readGround(ctx, reach, asked)
  try {
    return { ground, view: await ctx.knowledge.view(sandbox, ground.head) }
  } catch (error) {
    if (!(error instanceof HeadGone)) throw error
    const { head } = (await Reach.find(ctx.sql, ctx.caller, reach.sandboxId)) ?? reach
    return { ground: { ...ground, head }, view: await ctx.knowledge.view(sandbox, head) }
  }
}

/**
 * The source of a record, as far as the reach shows it: a record that belongs to a project by its own `project_id` can
 * come from a source that is not in it, and who is limited to the project knows nothing of that source.
 */
export function shownSource(reach: Reach, { scope }: Ground, sourceId: string | null): string | null {
  if (reach.projectId === null || sourceId === null) return sourceId
  return scope?.sourceIds?.has(sourceId) ? sourceId : null
}
