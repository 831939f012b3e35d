import type { EntityDecision, SuggestionDecision } from '@cairnstore/contract'
import {
  areDeclaredDifferent,
  declareDifferent,
  decodeEntity,
  type Entity,
  isOnlyMentioned,
  mergedEntity,
  moveKeys,
  splitPart,
  withdrawDifferent,
} from '@cairnstore/engine/resolve'
import { normaliseName } from '@cairnstore/engine/text'
import { Fault, invalid } from '../../base/fault.ts'
import { isId, newId } from '../../base/id.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { findMerge, insertMerges, undoMerges } from '../../store/merge-ledger.ts'
import { type DecisionColumns, dismissUndone, findSuggestion, storeDecision } from '../../store/merge-suggestions.ts'
import type { Planes } from '../../store/planes.ts'
import { openSnapshot } from '../../store/read-snapshot.ts'
import { toEntityRow, toMergedRow } from '../../store/record-row.ts'
import { isEntirelyInScope } from '../../store/sandbox-view.ts'
import { underLease } from '../../store/under-lease.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { type AuditContext, recordEvent } from '../../tenancy/audit/record-event.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import { commitEntities, type LeasedView } from '../commit-entities.ts'
import type { IngestCtx } from '../context.ts'

/**
 * Accepts a suggestion: merges its two entities and keeps the older id. Does nothing if it was already accepted. Throws
 * `not_found` if the caller cannot see the suggestion or its entities no longer exist.
 */
export async function acceptSuggestion(
  ctx: DecisionContext & AuditContext,
  access: AccessScope,
  id: string,
): Promise<SuggestionDecision> {
  return decide(ctx, access, id, async (leased, suggestion) => {
    const [into, from] = await entitiesOf(leased, [suggestion.one_part, suggestion.other_part])
    if (!into || !from) throw new Fault('not_found')
    const note = (mergeId: string | null) => toDecided(ctx, 'accepted', mergeId)
    const record = recording(ctx, leased, suggestion)
    const ids = into.id < from.id ? { into: into.id, from: from.id } : { into: from.id, from: into.id }
    const merged = await mergeUnderLease(ctx, leased, ids, (tx, { mergeId }) => record(tx, note(mergeId)))
    if (merged.merge_id === null && suggestion.state !== 'accepted') {
      await ctx.sql.transact(leased.lease.userId, (tx) => record(tx, note(null)))
    }
    return { ...merged, suggestion_id: suggestion.id, state: 'accepted' }
  })
}

/**
 * Dismisses a suggestion: its two entities are never merged automatically. Throws `not_found` like `acceptSuggestion`,
 * and `suggestion_accepted` if they are already merged.
 */
export async function dismissSuggestion(
  ctx: DecisionContext & AuditContext,
  access: AccessScope,
  id: string,
): Promise<SuggestionDecision> {
  return decide(ctx, access, id, async (leased, suggestion) => {
    const parts: [string, string] = [suggestion.one_part, suggestion.other_part]
    const [one, other] = await entitiesOf(leased, parts)
    if (!one || !other) throw new Fault('not_found')
    if (one.id === other.id) throw new Fault('suggestion_accepted')
    const reply = { success: true, canonical_id: one.id, merge_id: null, suggestion_id: suggestion.id } as const
    if (suggestion.state === 'dismissed')
      return { ...reply, state: 'dismissed', message: 'The entities are already separate.' }
    const rows = declareDifferent(one, other, parts).map((each) => toEntityRow(each, leased.view.hash))
    const record = recording(ctx, leased, suggestion)
    await commitEntities(ctx, leased, rows, (tx) => record(tx, toDecided(ctx, 'dismissed', null)))
    return { ...reply, state: 'dismissed', message: 'The entities stay separate.' }
  })
}

type Suggestion = Row<'merge_suggestion'> & { id: SuggestionDecision['suggestion_id'] }

/** Runs work on a suggestion that the caller can see. The work gets the current state and runs under the lease. */
async function decide<T>(
  ctx: DecisionContext,
  access: AccessScope,
  id: string,
  work: (leased: LeasedView, suggestion: Suggestion) => Promise<T>,
): Promise<T> {
  const sandbox = { userId: access.holderId, sandboxId: access.sandboxId }
  const find = async (): Promise<Suggestion> => {
    const row = await ctx.sql.transact(access.holderId, (tx) => findSuggestion(tx, sandbox, id))
    if (!row || !isId('suggestion', row.id)) throw new Fault('not_found')
    return { ...row, id: row.id }
  }
  const { snapshot, view } = await openSnapshot(ctx, access, null)
  const { one_part: one, other_part: other } = await find()
  const ids = [one, other].map(view.canonical)
  if (!ids.every((entityId) => isEntirelyInScope(view, snapshot.scope, entityId))) throw new Fault('not_found')
  return decideUnderLease(ctx, access, ids, async (leased) => work(leased, await find()))
}

function toDecided(ctx: DecisionContext, state: DecisionColumns['state'], mergeId: string | null): DecisionColumns {
  return { state, decided_at: ctx.clock.now(), decided_by: ctx.caller.accountId, merge_id: mergeId }
}

/** Returns a function that stores a decision on a suggestion with its audit event. */
function recording(ctx: AuditContext, { lease }: LeasedView, { id }: Suggestion) {
  return async (tx: Parameters<typeof storeDecision>[0], decided: DecisionColumns): Promise<void> => {
    await recordEvent(ctx, tx, { holderId: lease.userId, sandboxId: lease.sandboxId, subjectId: id })
    await storeDecision(tx, lease, id, decided)
  }
}

/** Merges two entities; the first id redirects to the second. Throws `not_found` and `types_differ`. */
export async function mergeEntities(
  ctx: DecisionContext & AuditContext,
  access: AccessScope,
  ids: { from: string; into: string },
): Promise<EntityDecision> {
  return decideUnderLease(ctx, access, [ids.from, ids.into], (leased) =>
    mergeUnderLease(ctx, leased, ids, (tx, { fromId }) =>
      recordEvent(ctx, tx, { holderId: access.holderId, sandboxId: access.sandboxId, subjectId: fromId }),
    ),
  )
}

/**
 * Merges two entities under the lease. `note` writes in the transaction of the merge. It is not called if they are
 * already merged.
 */
async function mergeUnderLease(
  ctx: DecisionContext,
  leased: LeasedView,
  ids: { from: string; into: string },
  note: (tx: Tx, merged: { fromId: string; mergeId: string | null }) => Promise<void>,
): Promise<EntityDecision> {
  const { view, lease } = leased
  const [from, into] = await entitiesOf(leased, [ids.from, ids.into])
  if (!from || !into) throw new Fault('not_found')
  if (from.id === into.id)
    return { canonical_id: into.id, merge_id: null, message: 'The entities are already merged.', success: true }
  // The type of an entity that is only mentioned in text is a guess, so it does not prevent a merge.
  if (from.type !== into.type && !isOnlyMentioned(from)) throw new Fault('types_differ')
  const [one, other] = areDeclaredDifferent(from, into) ? withdrawDifferent(from, into) : [from, into]
  const made = mergedEntity(other, one, 'person')
  if (!made) throw invalid(['body', 'into'], 'consists of too many merged entities to be merged further')
  const rows = [toEntityRow(made, view.hash), toMergedRow(from, into.id)]
  const mergeId = await commitEntities(ctx, leased, rows, async (tx) => {
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
  return { canonical_id: into.id, merge_id: mergeId, message: 'The entities are merged.', success: true }
}

/**
 * Moves names and identifiers of an entity to a new one, together with the records that have them. The two entities are
 * never merged automatically. Throws `not_found` for an unknown entity. Throws `validation_error` if a key does not
 * belong to the entity, or if none would remain.
 */
export async function splitEntity(
  ctx: DecisionContext & AuditContext,
  access: AccessScope,
  { entityId, keys }: { entityId: string; keys: readonly string[] },
): Promise<EntityDecision> {
  return decideUnderLease(ctx, access, [entityId], async (leased) => {
    const [entity] = await entitiesOf(leased, [entityId])
    if (!entity) throw new Fault('not_found')
    const meantKeys = new Set(keys.flatMap((key, at) => findKeys(entity, key, at)))
    const splitResult = moveKeys(entity, meantKeys, newId('entity', ctx.clock))
    if (!splitResult) throw invalid(['body', 'keys'], 'must leave the entity a name')
    const { left, made } = splitResult
    const [one, other] = declareDifferent(left, made)
    const rows = [one, other].map((each) => toEntityRow(each, leased.view.hash))
    const [splitId = null] = await commitEntities(ctx, leased, rows, async (tx) => {
      await recordEvent(ctx, tx, { holderId: access.holderId, sandboxId: access.sandboxId, subjectId: entity.id })
      const evidence = { keys: [...meantKeys] }
      const split = { from: entity.id, into: made.id, kind: 'split' as const, evidence, actorId: ctx.caller.accountId }
      return insertMerges(tx, leased.lease, [split], ctx.clock, leased.view.seal)
    })
    return { canonical_id: made.id, merge_id: splitId, message: 'The entity is split.', success: true }
  })
}

/** Returns the entity's keys that match a user's key: a stored key, a name, or the value of an identifier. */
function findKeys(entity: Entity, key: string, at: number): string[] {
  const name = normaliseName(key)
  const value = key.trim().toLowerCase()
  const matchingKeys = [
    ...entity.names
      .filter((known) => known.key === key || known.text === key || (name && normaliseName(known.text) === name))
      .map((known) => known.key),
    ...entity.identifiers.filter((known) => known === key || known.endsWith(`:${value}`)),
  ]
  if (matchingKeys.length === 0) throw invalid(['body', 'keys', at], 'must be a name or an identifier of the entity')
  return matchingKeys
}

/**
 * Undoes a merge. Everything that had been merged into the separated entity before stays in it. It gets its id back,
 * and the two entities are never merged automatically. Throws `not_found` if the merge is not in this entity's history,
 * and `merge_undone` if it was already undone.
 */
export async function undoMerge(
  ctx: DecisionContext & AuditContext,
  access: AccessScope,
  ids: { entityId: string; mergeId: string },
): Promise<EntityDecision> {
  return decideUnderLease(ctx, access, [ids.entityId], async (leased) => {
    const { view, lease } = leased
    const merge = await ctx.sql.transact(lease.userId, (tx) => findMerge(tx, lease, ids.mergeId))
    if (!merge || merge.kind === 'split') throw new Fault('not_found')
    const [entity] = await entitiesOf(leased, [ids.entityId])
    if (!entity) throw new Fault('not_found')
    if (merge.undone_at) throw new Fault('merge_undone')
    const parted = splitPart(entity, merge.from_entity)
    if (!parted) throw new Fault('not_found')
    const [left, leaving] = declareDifferent(parted.left, parted.leaving)
    const rows = [left, leaving].map((each) => toEntityRow(each, view.hash))
    await commitEntities(ctx, leased, rows, async (tx) => {
      await recordEvent(ctx, tx, { holderId: access.holderId, sandboxId: access.sandboxId, subjectId: leaving.id })
      const decided = { at: ctx.clock.now(), by: ctx.caller.accountId }
      await undoMerges(tx, lease, [leaving.id], decided)
      await dismissUndone(tx, lease, merge.id, decided)
    })
    return {
      canonical_id: leaving.id,
      merge_id: ids.mergeId,
      message: 'The entities are separate again.',
      success: true,
    }
  })
}

/** Dependencies of operations that store a user's decision. */
export type DecisionContext = Planes & Pick<IngestCtx, 'applier' | 'caller' | 'key'>

/**
 * Runs work on entities under the sandbox's lease, for a user's decision. Checks that the caller can see the entities
 * and may change the whole sandbox. Throws `not_found` for an entity that the caller cannot see. Throws `forbidden` for
 * a grant on one project, because the decision would also affect users outside it.
 */
async function decideUnderLease<T>(
  ctx: DecisionContext,
  access: AccessScope,
  entityIds: readonly string[],
  work: (leased: LeasedView) => Promise<T>,
): Promise<T> {
  const { snapshot, view } = await openSnapshot(ctx, access, null)
  for (const id of entityIds) {
    if (!view.graph.containsEntity(view.canonical(id), snapshot.scope)) throw new Fault('not_found')
  }
  if (access.projectId !== null) throw new Fault('forbidden', { detail: 'Your grant is limited to one project.' })
  assertWritable(access)
  const sandbox = { userId: access.holderId, sandboxId: access.sandboxId }
  return underLease(ctx, ctx.applier, sandbox, async (lease) =>
    work({ lease, view: await ctx.knowledge.view({ ...lease, seal: ctx.key?.seal }, lease.head) }),
  )
}

/** Returns the canonical entities of these ids, in order. Throws `not_found` if one does not exist. */
async function entitiesOf({ view }: Pick<LeasedView, 'view'>, ids: readonly string[]): Promise<Entity[]> {
  const canonical = ids.map(view.canonical)
  const rows = await view.store.entitiesAt(view.head, view.entityRowsOf(new Set(canonical)))
  return canonical.map((id) => {
    const row = rows.get(id)
    if (!row) throw new Fault('not_found')
    return decodeEntity(row)
  })
}
