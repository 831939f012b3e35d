import type { EntityDecision } from '@cairnstore/contract'
import { type Entity, keepApart, taken } from '@cairnstore/engine/resolve'
import { normaliseName } from '@cairnstore/engine/text'
import { Fault, invalid } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { toEntityRow } from '../../store/entity-rows.ts'
import { insertMerges } from '../../store/merge-ledger.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { commitEntities } from '../commit-entities.ts'
import { type Deciding, decideInTurn, entitiesOf } from './entity-turn.ts'

/**
 * Takes names and identifiers of an entity to a new one, and the records with them; the two stay two whatever comes.
 * Throws `not_found` for an unknown entity, `validation_error` when a key is not its own or none would be left.
 */
export async function splitEntity(
  ctx: Deciding & Recording,
  reach: Reach,
  { entityId, keys }: { entityId: string; keys: readonly string[] },
): Promise<EntityDecision> {
  return decideInTurn(ctx, reach, [entityId], async (turn) => {
    const [entity] = await entitiesOf(turn, [entityId])
    if (!entity) throw new Fault('not_found')
    const meant = new Set(keys.flatMap((key, at) => keysMeant(entity, key, at)))
    const parted = taken(entity, meant, newId('entity', ctx.clock))
    if (!parted) throw invalid(['body', 'keys'], 'must leave the entity a name')
    const { left, made } = parted
    const [one, other] = keepApart(left, made)
    const rows = [one, other].map((each) => toEntityRow(each, turn.view.hash))
    const [splitId = null] = await commitEntities(ctx, turn, rows, async (tx) => {
      await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: entity.id })
      const evidence = { keys: [...meant] }
      const split = { from: entity.id, into: made.id, kind: 'split' as const, evidence, actorId: ctx.caller.accountId }
      return insertMerges(tx, turn.lease, [split], ctx.clock, turn.view.seal)
    })
    return { canonical_id: made.id, merge_id: splitId, message: 'They are two now.', success: true }
  })
}

/** What a person means by a key: one as it is kept, a name, or the value of an identifier. */
function keysMeant(entity: Entity, key: string, at: number): string[] {
  const name = normaliseName(key)
  const value = key.trim().toLowerCase()
  const meant = [
    ...entity.names
      .filter((held) => held.key === key || held.text === key || (name && normaliseName(held.text) === name))
      .map((held) => held.key),
    ...entity.identifiers.filter((held) => held === key || held.endsWith(`:${value}`)),
  ]
  if (meant.length === 0) throw invalid(['body', 'keys', at], 'must be a name or an identifier of the entity')
  return meant
}
