import type { EntityDecision } from '@cairnstore/contract'
import { allowTogether, areApart, isOnlyMentioned, joined } from '@cairnstore/engine/resolve'
import { Fault, invalid } from '../../base/fault.ts'
import type { Tx } from '../../db/open.ts'
import { toEntityRow, toMergedRow } from '../../store/entity-rows.ts'
import { insertMerges } from '../../store/merge-ledger.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { commitEntities, type Turn } from '../commit-entities.ts'
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
  return decideInTurn(ctx, reach, [ids.from, ids.into], (turn) =>
    mergeInTurn(ctx, turn, ids, (tx, { fromId }) =>
      recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: fromId }),
    ),
  )
}

/**
 * The same within a turn; `note` writes what else belongs to it in its transaction, and is not called for two that are
 * one already.
 */
export async function mergeInTurn(
  ctx: Deciding,
  turn: Turn,
  ids: { from: string; into: string },
  note: (tx: Tx, merged: { fromId: string; mergeId: string | null }) => Promise<void>,
): Promise<EntityDecision> {
  const { view, lease } = turn
  const [from, into] = await entitiesOf(turn, [ids.from, ids.into])
  if (!from || !into) throw new Fault('not_found')
  if (from.id === into.id)
    return { canonical_id: into.id, merge_id: null, message: 'They are one already.', success: true }
  // The type of a name that texts mention is a guess, and no reason to keep it apart.
  if (from.type !== into.type && !isOnlyMentioned(from)) throw new Fault('types_differ')
  const [one, other] = areApart(from, into) ? allowTogether(from, into) : [from, into]
  const made = joined(other, one, 'person')
  if (!made) throw invalid(['body', 'into'], 'has come together of more entities than are kept apart within one')
  const rows = [toEntityRow(made, view.hash), toMergedRow(from, into.id)]
  const mergeId = await commitEntities(ctx, turn, rows, async (tx) => {
    const decided = {
      from: from.id,
      into: into.id,
      kind: 'person' as const,
      evidence: {},
      actorId: ctx.caller.accountId,
    }
    const [id = null] = await insertMerges(tx, lease, [decided], ctx.clock, view.seal)
    await note(tx, { fromId: from.id, mergeId: id })
    return id
  })
  return { canonical_id: into.id, merge_id: mergeId, message: 'They are one now.', success: true }
}
