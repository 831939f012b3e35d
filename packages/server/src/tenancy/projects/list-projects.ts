import type { ProjectPage, ProjectState } from '@cairn/contract'
import type { Ctx } from '../context.ts'
import type { Reach } from '../reach/reach.ts'
import { projectsIn, sourceIdsOf, wireProject } from './store.ts'

interface Listed {
  status?: ProjectState | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

const PAGE_ROWS = 1000

/** One page of the projects within the reach, newest first. */
export async function listProjects(
  ctx: Pick<Ctx, 'caller' | 'cursors' | 'sql'>,
  reach: Reach,
  { status, limit = PAGE_ROWS, cursor }: Listed,
): Promise<ProjectPage> {
  const scope = JSON.stringify(['projects', ctx.caller.accountId, reach.sandboxId, reach.projectId, status])
  const after = cursor === undefined ? undefined : String(ctx.cursors.unpack(scope, cursor)[0])
  return ctx.sql.transact(reach.holderId, async (tx) => {
    let query = projectsIn(tx, reach)
      .selectAll()
      .orderBy('id', 'desc')
      .limit(limit + 1)
    if (status !== undefined) query = query.where('status', '=', status)
    if (after !== undefined) query = query.where('id', '<', after)
    const rows = await query.execute()
    const page = rows.slice(0, limit)
    const sourceIds = await sourceIdsOf(
      tx,
      reach,
      page.map((row) => row.id),
    )
    const last = page.at(-1)
    return {
      projects: page.map((row) => wireProject(row, sourceIds.get(row.id) ?? [])),
      count: page.length,
      ...(rows.length > limit && last && { next_cursor: ctx.cursors.pack(scope, [last.id]) }),
    }
  })
}
