import {
  applyMatches,
  contradict,
  decodeEntity,
  findMatches,
  findSamePeople,
  isNamedType,
  type LinkageOptions,
  type LinkageResult,
  type Match,
  type MatchCluster,
} from '@cairnstore/engine/resolve'
import { createYieldPoint } from '../../base/yield-point.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Lease } from '../../store/lease.ts'
import { insertMerges, undoMerges } from '../../store/merge-ledger.ts'
import { type FoundSuggestion, storeSuggestions } from '../../store/merge-suggestions.ts'
import type { Planes } from '../../store/planes.ts'
import { toEntityRow, toMergedRow } from '../../store/record-row.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import { type SandboxMutex, underLease } from '../../store/under-lease.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { commitEntities } from '../commit-entities.ts'
import { evidenceOf, type GatheredSubject, gatherSubjects, likelihoodOf, suggestionsOf } from './gather-subjects.ts'

/** Milliseconds of computation before it yields to other work. */
const SLICE_MS = 2
/** Maximum number of groups that are changed per slot, so that batches of records need not wait long. */
const GROUPS_PER_COMMIT = 200

/** Number of pairs, and of whole types, that could not be compared. */
export interface SkippedComparisons {
  pairs: number
  types: number
}

/**
 * Runs record linkage for a sandbox and applies the resulting merges. Compares the entities as they are at the start.
 * Applies the result in several commits, each to the entities as they are then. Failed comparisons are counted and
 * change nothing. Possible matches are stored as suggestions. Rejects with an AbortError if the signal aborts.
 */
export async function linkRecords(
  planes: Planes,
  applier: SandboxMutex,
  sandbox: SandboxRef,
  signal: AbortSignal,
): Promise<SkippedComparisons> {
  const yieldPoint = createYieldPoint(SLICE_MS, planes.questions)
  const yieldIfDue = () => {
    signal.throwIfAborted()
    return yieldPoint()
  }
  const lease = await underLease(planes, applier, sandbox, async (taken) => taken)
  // The lease is kept. Otherwise another process would start the same comparison.
  return applier.keepLease(sandbox.sandboxId, () => compareWithLease(planes, applier, lease, { signal, yieldIfDue }))
}

async function compareWithLease(
  planes: Planes,
  applier: Pick<SandboxMutex, 'runExclusive'>,
  lease: Lease,
  { signal, yieldIfDue }: { signal: AbortSignal; yieldIfDue: () => Promise<void> | undefined },
): Promise<SkippedComparisons> {
  const sandbox = { userId: lease.userId, sandboxId: lease.sandboxId }
  const view = await planes.knowledge.view(lease, lease.head)
  const { seq } = view.head
  const skipped: SkippedComparisons = { pairs: 0, types: 0 }
  const suggested: FoundSuggestion[] = []
  const reportSkipped = (kind: keyof SkippedComparisons, error: unknown) => {
    // Only the first failure of each kind is logged.
    if (skipped[kind]++ === 0)
      planes.log.warn('a comparison failed and was skipped', { sandboxId: sandbox.sandboxId, error })
  }
  for (const [type, subjects] of await gatherSubjects(view, yieldIfDue)) {
    const onFailed = (_one: string, _other: string, error: unknown) => reportSkipped('pairs', error)
    const result = await compareType(type, subjects, { yieldIfDue, onFailed }).catch((error: unknown) => {
      signal.throwIfAborted()
      reportSkipped('types', error)
      return undefined
    })
    if (!result) continue
    const { groups } = result
    suggested.push(...result.suggested)
    const wrong = findMisplaced(subjects, groups)
    for (let at = 0; at < wrong.length; at += GROUPS_PER_COMMIT) {
      const ids = new Set(wrong.slice(at, at + GROUPS_PER_COMMIT).flat())
      await underLease(planes, applier, sandbox, (current) => applyGroups(planes, current, ids, groups))
    }
  }
  await underLease(planes, applier, sandbox, (current) => storeResults(planes, current, { seq, suggested, skipped }))
  return skipped
}

/** Stores the suggestions, the commit up to which the sandbox is compared, and that comparisons were skipped. */
async function storeResults(
  planes: Planes,
  lease: Lease,
  { seq, suggested, skipped }: { seq: number; suggested: readonly FoundSuggestion[]; skipped: SkippedComparisons },
): Promise<void> {
  const { seal } = await planes.knowledge.view(lease, lease.head)
  await planes.sql.transact(lease.userId, async (tx) => {
    await storeSuggestions(tx, lease, { found: suggested, clock: planes.clock, seal })
    await tx
      .updateTable('sandbox_head')
      .set((is) => ({
        compared_seq: is.fn('greatest', ['compared_seq', is.val(seq)]),
        comparison_failed: skipped.pairs + skipped.types > 0 ? 'part' : null,
      }))
      .where(ofSandbox(lease))
      .execute()
  })
}

interface ComparisonCallbacks {
  yieldIfDue: () => Promise<void> | undefined
  onFailed: LinkageOptions['onFailed']
}

/** The matches and suggestions of one type. */
interface TypeResult {
  /** Group of each compared part, by part id. */
  groups: Map<string, MatchCluster>
  suggested: FoundSuggestion[]
}

async function compareType(
  type: string,
  subjects: readonly GatheredSubject[],
  { yieldIfDue, onFailed }: ComparisonCallbacks,
): Promise<TypeResult> {
  const byId = new Map(subjects.map((subject) => [subject.id, subject]))
  const described = subjects.filter(({ isOwn }) => isOwn)
  const found: LinkageResult = { same: [], maybe: [] }
  const add = ({ same, maybe }: LinkageResult) => {
    found.same.push(...same)
    found.maybe.push(...maybe)
  }
  if (described.some(({ properties }) => Object.keys(properties).length > 0)) {
    const isBarred = (one: string, other: string) => areIncompatible(byId.get(one), byId.get(other))
    add(await runSteps(findMatches(described, { isBarred, onFailed, isNamed: isNamedType(type) }), yieldIfDue))
  }
  if (type === 'person') {
    const isBarred = (one: string, other: string) => areDistinctPeople(byId.get(one), byId.get(other))
    add(await runSteps(findSamePeople(subjects, { isBarred, onFailed }), yieldIfDue))
  }
  const groups = toGroups(subjects, found.same)
  return { groups, suggested: suggestionsOf(subjects, groups, found.maybe) }
}

/** Runs all steps. Yields to other work between them. */
async function runSteps<T>(steps: Generator<undefined, T>, yieldIfDue: ComparisonCallbacks['yieldIfDue']): Promise<T> {
  let step = steps.next()
  for (; !step.done; step = steps.next()) await yieldIfDue()
  return step.value
}

function areIncompatible(one: GatheredSubject | undefined, other: GatheredSubject | undefined): boolean {
  if (!one || !other) return false
  return areSeparated(one, other) || contradict([...one.identifiers], [...other.identifiers])
}

function areSeparated(one: GatheredSubject, other: GatheredSubject): boolean {
  return one.apart.some((id) => other.partIds.includes(id)) || other.apart.some((id) => one.partIds.includes(id))
}

/**
 * Returns true if two people must not be matched by name. If records describe both of them, their properties are
 * compared instead. Different email addresses do not contradict a match, because a person can have several.
 */
function areDistinctPeople(one: GatheredSubject | undefined, other: GatheredSubject | undefined): boolean {
  if (!one || !other) return false
  const isDescribed = ({ properties }: GatheredSubject) => Object.keys(properties).length > 0
  if (isDescribed(one) && isDescribed(other)) return true
  return areSeparated(one, other) || contradict(withoutAddresses(one), withoutAddresses(other))
}

function withoutAddresses({ identifiers }: GatheredSubject): string[] {
  return identifiers.filter((key) => !key.startsWith('email:'))
}

function toGroups(subjects: readonly GatheredSubject[], found: readonly Match[]): Map<string, MatchCluster> {
  const leader = new Map(subjects.map(({ id }) => [id, id]))
  const leaderOf = (id: string): string => {
    let at = id
    // Path splitting keeps the chains short, so that long clusters take nearly linear time.
    for (let next = leader.get(at); next !== undefined && next !== at; next = leader.get(at)) {
      leader.set(at, leader.get(next) ?? next)
      at = next
    }
    return at
  }
  const evidence = new Map<string, Record<string, unknown>>()
  for (const match of found) {
    const [a, b] = [leaderOf(match.one), leaderOf(match.other)].sort() as [string, string]
    leader.set(b, a)
    const evidenceEntry = { probability: likelihoodOf(match), ...evidenceOf(match) }
    for (const id of [match.one, match.other]) if (!evidence.has(id)) evidence.set(id, evidenceEntry)
  }
  const members = new Map<string, string[]>()
  for (const { id, partIds } of subjects) {
    const leaderId = leaderOf(id)
    const ofLeader = members.get(leaderId)
    if (ofLeader) ofLeader.push(...partIds)
    else members.set(leaderId, [...partIds])
  }
  const groups = new Map<string, MatchCluster>()
  for (const partIds of members.values()) {
    const group = { partIds, evidence }
    for (const id of partIds) groups.set(id, group)
  }
  return groups
}

/**
 * Returns the entities that must be split or merged to match the groups. Each set contains entities that must be
 * changed together.
 */
function findMisplaced(subjects: readonly GatheredSubject[], groups: ReadonlyMap<string, MatchCluster>): string[][] {
  const entitiesOf = new Map<MatchCluster, Set<string>>()
  const groupsOf = new Map<string, Set<MatchCluster>>()
  for (const { id, entityId } of subjects) {
    const group = groups.get(id)
    if (!group) continue
    entitiesOf.set(group, (entitiesOf.get(group) ?? new Set()).add(entityId))
    groupsOf.set(entityId, (groupsOf.get(entityId) ?? new Set()).add(group))
  }
  const done = new Set<MatchCluster>()
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

async function applyGroups(
  planes: Planes,
  lease: Lease,
  entityIds: ReadonlySet<string>,
  groups: ReadonlyMap<string, MatchCluster>,
): Promise<void> {
  const view: SandboxView = await planes.knowledge.view(lease, lease.head)
  const ids = new Set([...entityIds].map(view.canonical))
  const rows = await view.store.entitiesAt(view.head, view.entityRowsOf(ids))
  const entities = [...rows.values()].map(decodeEntity)
  const changes = applyMatches(entities, (partId) => groups.get(partId))
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
