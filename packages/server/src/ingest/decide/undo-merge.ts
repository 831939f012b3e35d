import type { EntityDecision } from '@cairnstore/contract'
import { keepApart, separated } from '@cairnstore/engine/resolve'
import { Fault } from '../../base/fault.ts'
import { toEntityRow } from '../../store/entity-rows.ts'
import { findMerge, undoMerges } from '../../store/merge-ledger.ts'
import { noteTakenBack } from '../../store/merge-suggestions.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { commitEntities } from '../commit-entities.ts'
import { type Deciding, decideInTurn, entitiesOf } from './entity-turn.ts'

/**
 * Takes back a merge, with all that had come together in the entity before it was merged: its id is its own again, and
 * the two stay two whatever comes. Throws `not_found` for a merge that is not in this entity's history and
 * `merge_undone` for one that no longer holds.
 */
export async function undoMerge(
  ctx: Deciding & Recording,
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
      const decided = { at: ctx.clock.now(), by: ctx.caller.accountId }
      await undoMerges(tx, lease, [leaving.id], decided)
      await noteTakenBack(tx, lease, merge.id, decided)
    })
    return { canonical_id: leaving.id, merge_id: ids.mergeId, message: 'They are two again.', success: true }
  })
}
