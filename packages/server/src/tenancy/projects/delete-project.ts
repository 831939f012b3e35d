import type { Done } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import { assertMatches } from '../../db/versions.ts'
import { type Recording, recordEvent } from '../audit/record-event.ts'
import type { Ctx } from '../context.ts'
import type { Reach } from '../reach/reach.ts'
import { assertWritable } from '../sandboxes/assert-writable.ts'
import { lockProject } from './store.ts'

/**
 * Deletes a project, the links to its sources and the grants limited to it. The sources stay. Throws `not_found` for a
 * project out of reach, and `grant_limits` for someone whose grant is limited to this one: whether it exists is for the
 * sandbox to decide.
 */
export async function deleteProject(
  ctx: Pick<Ctx, 'authenticator' | 'ifMatch' | 'sql'> & Recording,
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
    return { success: true, message: 'The project is deleted; its sources stay.' }
  })
  // The keys of those grants open nothing from now on.
  ctx.authenticator.forget({ accountId: reach.holderId })
  return done
}
