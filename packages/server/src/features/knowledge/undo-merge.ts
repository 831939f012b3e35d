import type { EntityDecision } from '@cairn/contract'
import { Fault } from '../../base/fault.ts'
import type { Ctx } from '../handler.ts'
import type { Reach } from '../sharing/reach.ts'
import { recordEvent } from '../sharing/record-event.ts'
import { keepApart, separated } from './entity-parts.ts'
import { toEntityRow } from './entity-rows.ts'
import { commitEntities, decideInTurn, entitiesOf } from './entity-turn.ts'
import { findMerge, undoMerges } from './merge-ledger.ts'

/**
 * Takes back a merge, with all that had come together in the entity before it was merged: its id is its own again, and
 * the two stay two whatever comes. Throws `not_found` for a merge that is not in this entity's history and
 * `merge_undone` for one that no longer holds.
 */
export async function undoMerge(
  ctx: Ctx,
  reach: Reach,
  ids: { entityId: string; mergeId: string },
): Promise<EntityDecision> {
  return decideInTurn(ctx, reach, [ids.entityId], async (turn) => {
    const { view, lease } = turn
    const merge = await ctx.sql.transact(lease.userId, (tx) => findMerge(tx, lease, ids.mergeId))
    if (!merge || merge.kind === 'split') throw new Fault('not_found')
    const [entity] = await entitiesOf(turn, [ids.entityId])
    if (!entity) throw new Fault('not_found')
    if (merge.undone_at) throw new Fault('merge_undone')
    const parted = separated(entity, merge.from_entity)
    if (!parted) throw new Fault('not_found')
    const [left, leaving] = keepApart(parted.left, parted.leaving)
    const rows = [left, leaving].map((each) => toEntityRow(each, view.hash))
    await commitEntities(ctx, turn, rows, async (tx) => {
      await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: leaving.id })
      await undoMerges(tx, lease, [leaving.id], { at: ctx.clock.now(), by: ctx.caller.accountId })
    })
    return { canonical_id: leaving.id, merge_id: ids.mergeId, message: 'They are two again.', success: true }
  })
}
