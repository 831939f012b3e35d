import type { Done } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import { type Recording, recordEvent } from '../audit/record-event.ts'
import type { Ctx } from '../context.ts'
import type { Reach } from '../reach/reach.ts'
import { assertWritable } from '../sandboxes/assert-writable.ts'
import { isLive, lockSource } from '../sources/source-rows.ts'
import { assertUnarchived, lockProject } from './store.ts'

interface Pair {
  projectId: string
  sourceId: string
}

/** Links a live source to a project; one that is linked already stays so. */
export async function linkSource(ctx: Pick<Ctx, 'sql'> & Recording, reach: Reach, pair: Pair): Promise<Done> {
  return ctx.sql.transact(reach.holderId, async (tx) => {
    const source = await readPair(tx, reach, pair)
    if (!isLive(source)) throw new Fault('source_not_active', { detail: `The source is ${source.status}.` })
    await tx
      .insertInto('project_source')
      .values({
        user_id: reach.holderId,
        sandbox_id: reach.sandboxId,
        project_id: pair.projectId,
        source_id: pair.sourceId,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await countChange(tx, reach, pair.projectId)
    await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: pair.sourceId })
    return { success: true, message: 'The source is linked to the project.' }
  })
}

/** Takes a source out of a project; one that is not in it stays out. */
export async function unlinkSource(ctx: Pick<Ctx, 'sql'> & Recording, reach: Reach, pair: Pair): Promise<Done> {
  return ctx.sql.transact(reach.holderId, async (tx) => {
    await readPair(tx, reach, pair)
    await tx
      .deleteFrom('project_source')
      .where(ofSandbox(reach, { project_id: pair.projectId }))
      .where('source_id', '=', pair.sourceId)
      .execute()
    await countChange(tx, reach, pair.projectId)
    await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: pair.sourceId })
    return { success: true, message: 'The source is out of the project.' }
  })
}

async function readPair(tx: Tx, reach: Reach, { projectId, sourceId }: Pair) {
  const project = await lockProject(tx, reach, projectId)
  const source = await lockSource(tx, reach, sourceId)
  assertWritable(reach)
  assertUnarchived(project)
  return source
}

/** The project shows its sources, so it has another version now. */
async function countChange(tx: Tx, reach: Reach, projectId: string): Promise<void> {
  await tx
    .updateTable('project')
    .set((is) => ({ version: is('version', '+', 1) }))
    .where(ofSandbox(reach, { id: projectId }))
    .execute()
}
