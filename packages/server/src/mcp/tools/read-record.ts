import type { KnowledgeRecord } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { isId } from '../../base/id.ts'
import { openGround } from '../../store/ground.ts'
import type { Using } from './tool.ts'

/** A record that the door shows. Throws `not_found`, also for one outside the door's project. */
export async function readRecord({ ctx, reach, door }: Using, id: string): Promise<KnowledgeRecord> {
  if (!isId('record', id)) throw new Fault('not_found')
  if (door.project) {
    const { ground, view } = await openGround(ctx, reach, door.project)
    if (!view.graph.hasRecord(id, ground.scope)) throw new Fault('not_found')
  }
  return ctx.call('getRecord', { params: { record_id: id } })
}
