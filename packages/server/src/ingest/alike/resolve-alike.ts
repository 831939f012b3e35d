import {
  type Alike,
  type AlikeGroup,
  type AlikeOptions,
  applyAlike,
  contradict,
  decodeEntity,
  findAlike,
  findSamePeople,
  isNamedType,
  type WhoIsOne,
} from '@cairnstore/engine/resolve'
import { createYieldPoint } from '../../base/yield-point.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Lease } from '../../store/lease.ts'
import { insertMerges, undoMerges } from '../../store/merge-ledger.ts'
import { type FoundSuggestion, keepSuggestions } from '../../store/merge-suggestions.ts'
import type { Planes } from '../../store/planes.ts'
import { toEntityRow, toMergedRow } from '../../store/record-row.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import { type SandboxTurns, underLease } from '../../store/under-lease.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { commitEntities } from '../commit-entities.ts'
import { evidenceOf, type GatheredSubject, gatherSubjects, likelihoodOf, suggestionsOf } from './gather-subjects.ts'

/** Milliseconds of computation before it yields to other work. */
const SLICE_MS = 2
/** Maximum number of groups changed per slot, so that batches of records need not wait long. */
const GROUPS_PER_TURN = 200

/** Numbers of pairs, and of whole types, that could not be compared. */
export interface LeftOut {
  pairs: number
  types: number
}

/**
 * Runs record linkage for a sandbox and applies the resulting merges. It compares the state at its start. Each slot
 * applies a part of the result to the then current state. Comparisons that fail are counted and change nothing.
 * Possible matches are stored as suggestions. Rejects with an AbortError if the signal aborts.
 */
export async function resolveAlike(
  planes: Planes,
  applier: SandboxTurns,
  sandbox: SandboxRef,
  signal: AbortSignal,
): Promise<LeftOut> {
  const yieldPoint = createYieldPoint(SLICE_MS, planes.questions)
  const breathe = () => {
    signal.throwIfAborted()
    return yieldPoint()
  }
  const lease = await underLease(planes, applier, sandbox, async (taken) => taken)
  // Without the lease another process would start the same comparison.
  return applier.keepLease(sandbox.sandboxId, () => compareUnder(planes, applier, lease, { signal, breathe }))
}

async function compareUnder(
  planes: Planes,
  applier: Pick<SandboxTurns, 'alone'>,
  lease: Lease,
  { signal, breathe }: { signal: AbortSignal; breathe: () => Promise<void> | undefined },
): Promise<LeftOut> {
  const sandbox = { userId: lease.userId, sandboxId: lease.sandboxId }
  const view = await planes.knowledge.view(lease, lease.head)
  const { seq } = view.head
  const leftOut: LeftOut = { pairs: 0, types: 0 }
  const suggested: FoundSuggestion[] = []
  const tell = (left: keyof LeftOut, error: unknown) => {
    // Only the first failure is logged.
    if (leftOut[left]++ === 0) planes.log.warn('a comparison failed and was skipped', { sandboxId: sandbox.sandboxId, error })
  }
  for (const [type, subjects] of await gatherSubjects(view, breathe)) {
    const onFailed = (_one: string, _other: string, error: unknown) => tell('pairs', error)
    const settled = await compareType(type, subjects, { breathe, onFailed }).catch((error: unknown) => {
      signal.throwIfAborted()
      tell('types', error)
      return undefined
    })
    if (!settled) continue
    const { groups } = settled
    suggested.push(...settled.suggested)
    const wrong = misplaced(subjects, groups)
    for (let at = 0; at < wrong.length; at += GROUPS_PER_TURN) {
      const ids = new Set(wrong.slice(at, at + GROUPS_PER_TURN).flat())
      await underLease(planes, applier, sandbox, (held) => applyTurn(planes, held, ids, groups))
    }
  }
  await underLease(planes, applier, sandbox, (held) => settle(planes, held, { seq, suggested, leftOut }))
  return leftOut
}

/** Stores the suggestions, the commit up to which the sandbox is compared, and whether something was left out. */
async function settle(
  planes: Planes,
  lease: Lease,
  { seq, suggested, leftOut }: { seq: number; suggested: readonly FoundSuggestion[]; leftOut: LeftOut },
): Promise<void> {
  const { seal } = await planes.knowledge.view(lease, lease.head)
  await planes.sql.transact(lease.userId, async (tx) => {
    await keepSuggestions(tx, lease, { found: suggested, clock: planes.clock, seal })
    await tx
      .updateTable('sandbox_head')
      .set((is) => ({
        compared_seq: is.fn('greatest', ['compared_seq', is.val(seq)]),
        comparison_failed: leftOut.pairs + leftOut.types > 0 ? 'part' : null,
      }))
      .where(ofSandbox(lease))
      .execute()
  })
}

/** Callbacks of a comparison. */
interface Comparing {
  breathe: () => Promise<void> | undefined
  onFailed: AlikeOptions['onFailed']
}

/** The matches and suggestions of one type. */
interface Settled {
  /** Group of each compared part, by part id. */
  groups: Map<string, AlikeGroup>
  suggested: FoundSuggestion[]
}

async function compareType(
  type: string,
  subjects: readonly GatheredSubject[],
  { breathe, onFailed }: Comparing,
): Promise<Settled> {
  const byId = new Map(subjects.map((subject) => [subject.id, subject]))
  const described = subjects.filter(({ isOwn }) => isOwn)
  const found: WhoIsOne = { same: [], maybe: [] }
  const add = ({ same, maybe }: WhoIsOne) => {
    found.same.push(...same)
    found.maybe.push(...maybe)
  }
  if (described.some(({ properties }) => Object.keys(properties).length > 0)) {
    const isBarred = (one: string, other: string) => areBarred(byId.get(one), byId.get(other))
    add(await finish(findAlike(described, { isBarred, onFailed, isNamed: isNamedType(type) }), breathe))
  }
  if (type === 'person') {
    const isBarred = (one: string, other: string) => areTwoPeople(byId.get(one), byId.get(other))
    add(await finish(findSamePeople(subjects, { isBarred, onFailed }), breathe))
  }
  const groups = toGroups(subjects, found.same)
  return { groups, suggested: suggestionsOf(subjects, groups, found.maybe) }
}

/** Runs all steps and yields to other work between them. */
async function finish<T>(steps: Generator<undefined, T>, breathe: Comparing['breathe']): Promise<T> {
  let step = steps.next()
  for (; !step.done; step = steps.next()) await breathe()
  return step.value
}

function areBarred(one: GatheredSubject | undefined, other: GatheredSubject | undefined): boolean {
  if (!one || !other) return false
  return areApart(one, other) || contradict([...one.identifiers], [...other.identifiers])
}

function areApart(one: GatheredSubject, other: GatheredSubject): boolean {
  return one.apart.some((id) => other.partIds.includes(id)) || other.apart.some((id) => one.partIds.includes(id))
}

/**
 * Returns true if two people must not be matched by name. Two described records are compared by their properties
 * instead. Different email addresses are no contradiction, since people have several.
 */
function areTwoPeople(one: GatheredSubject | undefined, other: GatheredSubject | undefined): boolean {
  if (!one || !other) return false
  const isDescribed = ({ properties }: GatheredSubject) => Object.keys(properties).length > 0
  if (isDescribed(one) && isDescribed(other)) return true
  return areApart(one, other) || contradict(withoutAddresses(one), withoutAddresses(other))
}

function withoutAddresses({ identifiers }: GatheredSubject): string[] {
  return identifiers.filter((key) => !key.startsWith('email:'))
}

function toGroups(subjects: readonly GatheredSubject[], found: readonly Alike[]): Map<string, AlikeGroup> {
  const leader = new Map(subjects.map(({ id }) => [id, id]))
  const leaderOf = (id: string): string => {
    let at = id
    for (let next = leader.get(at); next !== undefined && next !== at; next = leader.get(at)) at = next
    return at
  }
  const evidence = new Map<string, Record<string, unknown>>()
  for (const alike of found) {
    const [a, b] = [leaderOf(alike.one), leaderOf(alike.other)].sort() as [string, string]
    leader.set(b, a)
    const told = { probability: likelihoodOf(alike), ...evidenceOf(alike) }
    for (const id of [alike.one, alike.other]) if (!evidence.has(id)) evidence.set(id, told)
  }
  const members = new Map<string, string[]>()
  for (const { id, partIds } of subjects) {
    const lead = leaderOf(id)
    members.set(lead, [...(members.get(lead) ?? []), ...partIds])
  }
  const groups = new Map<string, AlikeGroup>()
  for (const partIds of members.values()) {
    const group = { partIds, evidence }
    for (const id of partIds) groups.set(id, group)
  }
  return groups
}

/** Returns the entities that differ from the groups, in sets of connected entities. */
function misplaced(subjects: readonly GatheredSubject[], groups: ReadonlyMap<string, AlikeGroup>): string[][] {
  const entitiesOf = new Map<AlikeGroup, Set<string>>()
  const groupsOf = new Map<string, Set<AlikeGroup>>()
  for (const { id, entityId } of subjects) {
    const group = groups.get(id)
    if (!group) continue
    entitiesOf.set(group, (entitiesOf.get(group) ?? new Set()).add(entityId))
    groupsOf.set(entityId, (groupsOf.get(entityId) ?? new Set()).add(group))
  }
  const done = new Set<AlikeGroup>()
  const wrong: string[][] = []
  for (const group of entitiesOf.keys()) {
    if (done.has(group)) continue
    const together = new Set<string>()
    const queue = [group]
    for (let next = queue.pop(); next; next = queue.pop()) {
      if (done.has(next)) continue
      done.add(next)
      for (const entityId of entitiesOf.get(next) ?? []) {
        together.add(entityId)
        queue.push(...(groupsOf.get(entityId) ?? []))
      }
    }
    const isWrong = together.size > 1 || [...together].some((id) => (groupsOf.get(id)?.size ?? 0) > 1)
    if (isWrong) wrong.push([...together])
  }
  return wrong
}

async function applyTurn(
  planes: Planes,
  lease: Lease,
  entityIds: ReadonlySet<string>,
  groups: ReadonlyMap<string, AlikeGroup>,
): Promise<void> {
  const view: SandboxView = await planes.knowledge.view(lease, lease.head)
  const ids = new Set([...entityIds].map(view.canonical))
  const rows = await view.store.entitiesAt(view.head, view.entityRowsOf(ids))
  const entities = [...rows.values()].map(decodeEntity)
  const changes = applyAlike(entities, (partId) => groups.get(partId))
  if (changes.changed.size === 0) return
  const written = [
    ...[...changes.changed.values()].map((entity) => toEntityRow(entity, view.hash)),
    ...changes.merged.map(({ from, into }) => toMergedRow(from, into)),
  ]
  await commitEntities(planes, { lease, view }, written, async (tx) => {
    await undoMerges(tx, lease, changes.undone, { at: planes.clock.now(), by: null })
    await insertMerges(tx, lease, changes.merges, planes.clock, view.seal)
  })
}
