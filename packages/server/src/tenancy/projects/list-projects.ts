import type { ProjectPage, ProjectState } from '@cairnstore/contract'
import { openPage, type PageAsked } from '../../base/cursor.ts'
import type { Ctx } from '../context.ts'
import type { Reach } from '../reach/reach.ts'
import { projectsIn, sourceIdsOf, wireProject } from './store.ts'

interface Listed extends PageAsked {
  status?: ProjectState | undefined
}

/** One page of the projects within the reach, newest first. */
export async function listProjects(
  ctx: Pick<Ctx, 'caller' | 'cursors' | 'sql'>,
  reach: Reach,
  { status, ...asked }: Listed,
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
