import type { Project, UpdateProject } from '@cairnstore/contract'
import { ofSandbox } from '../../db/of-sandbox.ts'
import { assertMatches } from '../../db/versions.ts'
import { type Recording, recordEvent } from '../audit/record-event.ts'
import type { Ctx } from '../context.ts'
import type { Reach } from '../reach/reach.ts'
import { assertWritable } from '../sandboxes/assert-writable.ts'
import { readProject } from './get-project.ts'
import { assertUnarchived, lockProject } from './store.ts'

/**
 * Changes a project. A field that is omitted keeps its value; a null description is cleared, any other null keeps.
 * Throws `sandbox_not_active` and `project_archived`.
 */
export async function updateProject(
  ctx: Pick<Ctx, 'ifMatch' | 'sql'> & Recording,
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
