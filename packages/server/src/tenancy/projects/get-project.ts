import type { Project } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import type { Tx } from '../../db/open.ts'
import type { Ctx } from '../context.ts'
import type { Reach } from '../reach/reach.ts'
import { projectsIn, sourceIdsOf, wireProject } from './store.ts'

/** A project within the reach; throws `not_found` for any other. */
export async function getProject(ctx: Pick<Ctx, 'sql'>, reach: Reach, projectId: string): Promise<Project> {
  return ctx.sql.transact(reach.holderId, (tx) => readProject(tx, reach, projectId))
}

/** The same inside a transaction. */
export async function readProject(tx: Tx, reach: Reach, projectId: string): Promise<Project> {
  const row = await projectsIn(tx, reach)
    .selectAll()
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow(() => new Fault('not_found'))
  return wireProject(row, (await sourceIdsOf(tx, reach, [projectId])).get(projectId) ?? [])
}
