import type { SuggestionDecision } from '@cairnstore/contract'
import { keepApart } from '@cairnstore/engine/resolve'
import { Fault } from '../../base/fault.ts'
import { isId } from '../../base/id.ts'
import type { Row } from '../../db/tables.ts'
import { toEntityRow } from '../../store/entity-rows.ts'
import { openGround } from '../../store/ground.ts'
import { type Decided, findSuggestion, noteDecided } from '../../store/merge-suggestions.ts'
import { isWhollyIn } from '../../store/wholly-in.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { commitEntities, type Turn } from '../commit-entities.ts'
import { type Deciding, decideInTurn, entitiesOf } from './entity-turn.ts'
import { mergeInTurn } from './merge-entities.ts'

/**
 * Makes one entity of the two of a suggestion, the older id remaining, as a merge does; nothing changes for one
 * that was accepted. Throws `not_found` for a suggestion that the caller does not see, or that nothing supports any
 * more.
 */
export async function acceptSuggestion(
  ctx: Deciding & Recording,
  reach: Reach,
  id: string,
): Promise<SuggestionDecision> {
  return decide(ctx, reach, id, async (turn, suggestion) => {
    const [into, from] = await entitiesOf(turn, [suggestion.one_part, suggestion.other_part])
    if (!into || !from) throw new Fault('not_found')
    const note = (mergeId: string | null) => decidedAs(ctx, 'accepted', mergeId)
    const record = recording(ctx, turn, suggestion)
    const ids = into.id < from.id ? { into: into.id, from: from.id } : { into: from.id, from: into.id }
    const merged = await mergeInTurn(ctx, turn, ids, (tx, { mergeId }) => record(tx, note(mergeId)))
    if (merged.merge_id === null && suggestion.state !== 'accepted') {
      await ctx.sql.transact(turn.lease.userId, (tx) => record(tx, note(null)))
    }
    return { ...merged, suggestion_id: suggestion.id, state: 'accepted' }
  })
}

/**
 * Notes that the two of a suggestion are two, which they stay whatever comes. Throws `not_found` as `acceptSuggestion`
 * does and `suggestion_accepted` when they are one by now.
 */
export async function dismissSuggestion(
  ctx: Deciding & Recording,
  reach: Reach,
  id: string,
): Promise<SuggestionDecision> {
  return decide(ctx, reach, id, async (turn, suggestion) => {
    const parts: [string, string] = [suggestion.one_part, suggestion.other_part]
    const [one, other] = await entitiesOf(turn, parts)
    if (!one || !other) throw new Fault('not_found')
    if (one.id === other.id) throw new Fault('suggestion_accepted')
    const reply = { success: true, canonical_id: one.id, merge_id: null, suggestion_id: suggestion.id } as const
    if (suggestion.state === 'dismissed') return { ...reply, state: 'dismissed', message: 'They are two already.' }
    const rows = keepApart(one, other, parts).map((each) => toEntityRow(each, turn.view.hash))
    const record = recording(ctx, turn, suggestion)
    await commitEntities(ctx, turn, rows, (tx) => record(tx, decidedAs(ctx, 'dismissed', null)))
    return { ...reply, state: 'dismissed', message: 'They stay two.' }
  })
}

type Suggestion = Row<'merge_suggestion'> & { id: SuggestionDecision['suggestion_id'] }

/** Runs the work on a suggestion that the caller sees, as it stands in its turn. */
async function decide<T>(
  ctx: Deciding,
  reach: Reach,
  id: string,
  work: (turn: Turn, suggestion: Suggestion) => Promise<T>,
): Promise<T> {
  const sandbox = { userId: reach.holderId, sandboxId: reach.sandboxId }
  const find = async (): Promise<Suggestion> => {
    const row = await ctx.sql.transact(reach.holderId, (tx) => findSuggestion(tx, sandbox, id))
    if (!row || !isId('suggestion', row.id)) throw new Fault('not_found')
    return { ...row, id: row.id }
  }
  const { ground, view } = await openGround(ctx, reach, null)
  const { one_part: one, other_part: other } = await find()
  const ids = [one, other].map(view.canonical)
  if (!ids.every((entityId) => isWhollyIn(view, ground.scope, entityId))) throw new Fault('not_found')
  return decideInTurn(ctx, reach, ids, async (turn) => work(turn, await find()))
}

function decidedAs(ctx: Deciding, state: Decided['state'], mergeId: string | null): Decided {
  return { state, decided_at: ctx.clock.now(), decided_by: ctx.caller.accountId, merge_id: mergeId }
}

/** Writes a decision about a suggestion with its audit event. */
function recording(ctx: Recording, { lease }: Turn, { id }: Suggestion) {
  return async (tx: Parameters<typeof noteDecided>[0], decided: Decided): Promise<void> => {
    await recordEvent(ctx, tx, { holderId: lease.userId, sandboxId: lease.sandboxId, subjectId: id })
    await noteDecided(tx, lease, id, decided)
  }
}
