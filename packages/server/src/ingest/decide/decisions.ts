import type { EntityDecision, SuggestionDecision } from '@cairnstore/contract'
import {
  allowTogether,
  areApart,
  decodeEntity,
  type Entity,
  isOnlyMentioned,
  joined,
  keepApart,
  separated,
  taken,
} from '@cairnstore/engine/resolve'
import { normaliseName } from '@cairnstore/engine/text'
import { Fault, invalid } from '../../base/fault.ts'
import { isId, newId } from '../../base/id.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { openGround } from '../../store/ground.ts'
import { findMerge, insertMerges, undoMerges } from '../../store/merge-ledger.ts'
import { type Decided, findSuggestion, noteDecided, noteTakenBack } from '../../store/merge-suggestions.ts'
import type { Planes } from '../../store/planes.ts'
import { toEntityRow, toMergedRow } from '../../store/record-row.ts'
import { isWhollyIn } from '../../store/sandbox-view.ts'
import { underLease } from '../../store/under-lease.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import { commitEntities, type LeasedView } from '../commit-entities.ts'
import type { IngestCtx } from '../context.ts'

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
 * Notes that the two entities of a suggestion are not one; no later record makes them one. Throws `not_found` as
 * `acceptSuggestion` does and `suggestion_accepted` when they are one by now.
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
  work: (turn: LeasedView, suggestion: Suggestion) => Promise<T>,
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
function recording(ctx: Recording, { lease }: LeasedView, { id }: Suggestion) {
  return async (tx: Parameters<typeof noteDecided>[0], decided: Decided): Promise<void> => {
    await recordEvent(ctx, tx, { holderId: lease.userId, sandboxId: lease.sandboxId, subjectId: id })
    await noteDecided(tx, lease, id, decided)
  }
}

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
async function mergeInTurn(
  ctx: Deciding,
  turn: LeasedView,
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

/** What an operation needs that stores the decision of a person. */
export type Deciding = Planes & Pick<IngestCtx, 'applier' | 'caller' | 'key'>

/**
 * Lets a person decide which things are one: checks that the caller sees the entities and may change the whole sandbox,
 * then runs the work under the sandbox's lease. Throws `not_found` for an entity that the caller does not see, and
 * `forbidden` to one whose grant is limited to a project, since others outside it would see the decision too.
 */
async function decideInTurn<T>(
  ctx: Deciding,
  reach: Reach,
  entityIds: readonly string[],
  work: (turn: LeasedView) => Promise<T>,
): Promise<T> {
  const { ground, view } = await openGround(ctx, reach, null)
  for (const id of entityIds) {
    if (!view.graph.knows(view.canonical(id), ground.scope)) throw new Fault('not_found')
  }
  if (reach.projectId !== null) throw new Fault('forbidden', { detail: 'Your grant is limited to one project.' })
  assertWritable(reach)
  const sandbox = { userId: reach.holderId, sandboxId: reach.sandboxId }
  return underLease(ctx, ctx.applier, sandbox, async (lease) =>
    work({ lease, view: await ctx.knowledge.view({ ...lease, seal: ctx.key?.seal }, lease.head) }),
  )
}

/** The canonical entities of these ids, in order. Throws `not_found` when one is gone. */
async function entitiesOf({ view }: Pick<LeasedView, 'view'>, ids: readonly string[]): Promise<Entity[]> {
  const canonical = ids.map(view.canonical)
  const rows = await view.store.entitiesAt(view.head, view.entityRowsOf(new Set(canonical)))
  return canonical.map((id) => {
    const row = rows.get(id)
    if (!row) throw new Fault('not_found')
    return decodeEntity(row)
  })
}
