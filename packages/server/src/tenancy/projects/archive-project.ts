import type { Done } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import { type Recording, recordEvent } from '../audit/record-event.ts'
import type { Ctx } from '../context.ts'
import type { Reach } from '../reach/reach.ts'
import { assertWritable } from '../sandboxes/assert-writable.ts'
import { lockProject } from './store.ts'

/**
 * Archives a project; one that is archived already stays so. Throws `not_found` for a project out of reach, and
 * `grant_limits` for someone whose grant is limited to this one: who could then neither read it nor bring it back.
 */
export async function archiveProject(
  ctx: Pick<Ctx, 'sql'> & Recording,
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
