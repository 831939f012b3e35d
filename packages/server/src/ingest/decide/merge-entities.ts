import type { EntityDecision } from '@cairn/contract'
import { allowTogether, areApart, joined } from '@cairn/engine/resolve'
import { Fault, invalid } from '../../base/fault.ts'
import { toEntityRow, toMergedRow } from '../../store/entity-rows.ts'
import { insertMerges } from '../../store/merge-ledger.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { commitEntities } from '../commit-entities.ts'
import { type Deciding, decideInTurn, entitiesOf } from './entity-turn.ts'

/**
 * Makes one entity of two because a person says so. Its id leads to the other's from now on. Throws `not_found` for an
 * unknown entity and `types_differ` when they are of two kinds.
 */
export async function mergeEntities(
  ctx: Deciding & Recording,
  reach: Reach,
  ids: { from: string; into: string },
): Promise<EntityDecision> {
  return decideInTurn(ctx, reach, [ids.from, ids.into], async (turn) => {
    const { view, lease } = turn
    const [from, into] = await entitiesOf(turn, [ids.from, ids.into])
    if (!from || !into) throw new Fault('not_found')
    if (from.id === into.id)
      return { canonical_id: into.id, merge_id: null, message: 'They are one already.', success: true }
    if (from.type !== into.type) throw new Fault('types_differ')
    const [one, other] = areApart(from, into) ? allowTogether(from, into) : [from, into]
    const made = joined(other, one, 'person')
    if (!made) throw invalid(['body', 'into'], 'has come together of more entities than are kept apart within one')
    const rows = [toEntityRow(made, view.hash), toMergedRow(from, into.id)]
    const [mergeId = null] = await commitEntities(ctx, turn, rows, async (tx) => {
      await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: from.id })
      const decided = {
        from: from.id,
        into: into.id,
        kind: 'person' as const,
        evidence: {},
        actorId: ctx.caller.accountId,
      }
      return insertMerges(tx, lease, [decided], ctx.clock, view.seal)
    })
    return { canonical_id: into.id, merge_id: mergeId, message: 'They are one now.', success: true }
  })
}
