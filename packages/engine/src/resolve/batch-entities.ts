import type { KeyHash } from '../text/names.ts'
import { contradict } from './entity-content.ts'
import {
  areDeclaredDifferent,
  type Entity,
  type EntityPart,
  type MergeKind,
  mergedEntity,
  partsOf,
  splitPart,
} from './entity-parts.ts'
import { isMentionedKey } from './mentioned.ts'
import type { Declaration } from './record-content.ts'
import { anySiteKey, isSited, keysAsWritten } from './sites.ts'

/** A merge of entity `from` into entity `into`, or a split that moved keys of `from` to the new entity `into`. */
export interface Merge {
  from: string
  into: string
  kind: MergeKind | 'split'
  evidence: Record<string, unknown>
  /** Account that decided it; null if no person did. */
  actorId?: string | null
}

/** Read access to the committed entities. */
export interface KnownEntities {
  /** Returns the ids of the entities with the key. The id of a merged entity is replaced by that of its target. */
  withKey(key: number): string[]
  /** Returns the committed entity. Called for ids that `withKey` returned. */
  get(id: string): Entity | undefined
}

/**
 * Maximum number of entities with one name that are compared. A more frequent name is no evidence for a match, and the
 * cost of a record would grow with the number of these entities.
 */
export const NAMESAKES_MAX = 32

const NO_IDS: readonly string[] = []

/** Changes of a batch to the entities of a sandbox. */
export interface EntityChanges {
  changed: Map<string, Entity>
  removed: Set<string>
  merges: Merge[]
}

/** Entities of a sandbox as one batch reads and changes them. */
export type BatchEntities = ReturnType<typeof createBatchEntities>

/** Opens the entities of a sandbox for one batch. Keys that it adds are found immediately. */
export function createBatchEntities(known: KnownEntities, hash: KeyHash) {
  const entities = new Map<string, Entity>()
  const owners = new Map<number, string[]>()
  const mergedInto = new Map<string, string>()
  const mergedHere = new Set<string>()
  const changes: EntityChanges = { changed: new Map(), removed: new Set(), merges: [] }

  const canonical = (id: string): string => {
    let at = id
    for (let next = mergedInto.get(at); next; next = mergedInto.get(at)) at = next
    return at
  }

  const load = (id: string): Entity | undefined => {
    if (changes.removed.has(id)) return undefined
    const cached = entities.get(id)
    if (cached) return cached
    const entity = known.get(id)
    if (entity) entities.set(id, entity)
    return entity
  }

  const isCrowded = (key: string): boolean => {
    const hashed = hash(key)
    return known.withKey(hashed).length + (owners.get(hashed)?.length ?? 0) > NAMESAKES_MAX
  }

  /** Returns the entities that may have the key. The caller must check this, because hashes collide. */
  const candidatesFor = (key: string): Entity[] => {
    const hashed = hash(key)
    const [committed, inBatch = NO_IDS] = [known.withKey(hashed), owners.get(hashed)]
    if (committed.length + inBatch.length < 2) {
      const [id = inBatch[0]] = committed
      const entity = id === undefined ? undefined : load(canonical(id))
      return entity ? [entity] : []
    }
    const ids = new Set([...committed, ...inBatch].map(canonical))
    return [...ids].sort().flatMap((id) => load(id) ?? [])
  }

  const withKey = (key: string): Entity[] =>
    candidatesFor(key).filter(
      (entity) => entity.identifiers.includes(key) || entity.names.some((name) => name.key === key),
    )

  /** Stores the changed entity and indexes it by its new keys for the rest of the batch. */
  const save = (entity: Entity, added: Pick<Declaration, 'names' | 'identifiers'>): void => {
    entities.set(entity.id, entity)
    changes.changed.set(entity.id, entity)
    for (const key of [...declarationKeys(added), ...added.identifiers.filter(isSited).map(anySiteKey)].map(hash)) {
      const ids = owners.get(key)
      if (!ids) owners.set(key, [entity.id])
      else if (!ids.includes(entity.id)) ids.push(entity.id)
    }
  }

  /** Merges two entities. Returns undefined if the result would have too many parts. */
  const mergeInto = (from: Entity, into: Entity, why: Omit<Merge, 'from' | 'into'> & { kind: MergeKind }) => {
    const merged = mergedEntity(into, from, why.kind)
    if (!merged) return undefined
    entities.set(into.id, merged)
    mergedInto.set(from.id, into.id)
    mergedHere.add(into.id)
    changes.changed.delete(from.id)
    changes.merges.push({ from: from.id, into: into.id, ...why })
    return merged
  }

  return { canonical, load, isCrowded, candidatesFor, withKey, save, mergeInto, mergedHere, changes }
}

/** Returns all keys that a record with this declaration supports. */
export function declarationKeys({ names, identifiers }: Pick<Declaration, 'names' | 'identifiers'>): string[] {
  // A mention has only a name.
  if (identifiers.length === 0 && names.length === 1) return [names[0]!.key]
  return [...new Set([...identifiers, ...keysAsWritten(identifiers), ...names.map((name) => name.key)])]
}

/** A person's decision to merge or separate two entities. It has names, not ids, so that any sandbox can apply it. */
export interface Decision {
  are: 'one' | 'two'
  type: string
  /** Keys (names and identifiers) of both entities. If the decision merges them, the first one remains. */
  one: string[]
  other: string[]
  /** Account that made or imported the decision. */
  actorId: string | null
}

/** Returns true if a key of an entity is a name and not an identifier. */
export function isNameKey(key: string): boolean {
  return key.startsWith('name:') || isMentionedKey(key)
}

/** Returns the decisions that people made about two of these entities. */
export function decisionsOf(entities: readonly Entity[]): Omit<Decision, 'actorId'>[] {
  const parts = new Map(entities.flatMap((entity) => partsOf(entity).map((part) => [part.id, { part, entity }])))
  const decisions = new Map<string, Omit<Decision, 'actorId'>>()
  const add = (are: Decision['are'], type: string, one: EntityPart, other: EntityPart) => {
    decisions.set([are, ...[one.id, other.id].sort()].join(' '), { are, type, one: keysOf(one), other: keysOf(other) })
  }
  for (const { part, entity } of parts.values()) {
    const into = part.into && part.why === 'person' ? parts.get(part.into) : undefined
    if (into) add('one', entity.type, into.part, part)
    for (const id of part.apart ?? []) {
      const other = parts.get(id)
      if (other && !decisions.has(['two', ...[part.id, id].sort()].join(' '))) add('two', entity.type, part, other.part)
    }
  }
  return [...decisions.values()]
}

function keysOf({ names, identifiers }: EntityPart): string[] {
  return [...new Set([...identifiers, ...names.map((name) => name.key)])]
}

/** A cluster of parts that record linkage found to be one entity. */
export interface MatchCluster {
  /** Part ids. Parts that are already merged for another reason are represented by one id. */
  partIds: readonly string[]
  /** Evidence for each merged part, by part id. */
  evidence: ReadonlyMap<string, Record<string, unknown>>
}

/** Changes that record linkage makes to some entities. */
interface LinkageChanges {
  changed: Map<string, Entity>
  merged: { from: Entity; into: string }[]
  merges: Merge[]
  /** Ids of entities that were merged and are separate again. */
  undone: string[]
}

/**
 * Applies the clusters of record linkage to entities. First separates parts that record linkage merged earlier and that
 * are no longer in one cluster. Then merges the entities of each cluster into the oldest one. Merges by a person or an
 * identifier stay, and so do a person's "not the same" decisions.
 * @param groupOf returns the cluster of a part; parts without one are unchanged
 */
export function applyMatches(
  entities: readonly Entity[],
  groupOf: (partId: string) => MatchCluster | undefined,
): LinkageChanges {
  const now = new Map(entities.map((entity) => [entity.id, entity]))
  const changes: LinkageChanges = { changed: new Map(), merged: [], merges: [], undone: [] }
  for (const entity of entities) {
    for (const leaving of splitUnmatched(entity, groupOf, now)) {
      changes.undone.push(leaving.id)
      changes.changed.set(leaving.id, leaving)
    }
    if (now.get(entity.id) !== entity) changes.changed.set(entity.id, now.get(entity.id) as Entity)
  }
  const byGroup = new Map<MatchCluster, Entity[]>()
  for (const entity of now.values()) {
    const group = partsOf(entity)
      .map((part) => groupOf(part.id))
      .find((each) => each !== undefined)
    if (group) byGroup.set(group, [...(byGroup.get(group) ?? []), entity])
  }
  for (const [group, members] of byGroup) {
    const [oldest, ...others] = members.sort((one, other) => (one.id < other.id ? -1 : 1))
    let into = oldest as Entity
    for (const from of others) {
      if (areDeclaredDifferent(into, from) || contradict(distinguishing(into), distinguishing(from))) continue
      const merged = mergedEntity(into, from, 'alike')
      if (!merged) continue
      into = merged
      changes.changed.delete(from.id)
      changes.changed.set(into.id, into)
      changes.merged.push({ from, into: into.id })
      const evidence =
        partsOf(from)
          .map((part) => group.evidence.get(part.id))
          .find(Boolean) ?? {}
      changes.merges.push({ from: from.id, into: into.id, kind: 'alike', evidence })
    }
  }
  return changes
}

/** Removes the parts of an entity that no longer belong to its cluster and stores the rest in `now`. */
function splitUnmatched(
  entity: Entity,
  groupOf: (partId: string) => MatchCluster | undefined,
  now: Map<string, Entity>,
): Entity[] {
  const gone: Entity[] = []
  let left = entity
  for (const part of partsOf(entity)) {
    if (part.why !== 'alike' || !part.into) continue
    const [ours, theirs] = [part.id, part.into].map((id) => groupOf(fixedGroup(partsOf(entity), id)[0]?.id ?? id))
    if (ours !== undefined && ours === theirs) continue
    const split = splitPart(left, part.id)
    if (!split) continue
    left = split.left
    gone.push(split.leaving)
    now.set(split.leaving.id, split.leaving)
  }
  now.set(entity.id, left)
  return gone
}

/**
 * Returns the identifiers of kinds that an entity has only once per source. Different values of them rule out a match.
 * Email addresses of people are not included.
 */
function distinguishing({ type, identifiers }: Entity): string[] {
  return identifiers.filter((key) => !key.startsWith('ref:') && !(type === 'person' && key.startsWith('email:')))
}

/**
 * Returns a part with all parts that are merged with it for reasons other than record linkage. The first one is the
 * part into which the others were merged.
 */
export function fixedGroup(parts: readonly EntityPart[], partId: string): EntityPart[] {
  const byId = new Map(parts.map((part) => [part.id, part]))
  const rootOf = (part: EntityPart): EntityPart => {
    let at = part
    for (let steps = 0; steps < parts.length && at.into && at.why !== 'alike'; steps++) at = byId.get(at.into) ?? at
    return at
  }
  const part = byId.get(partId)
  if (!part) return []
  const root = rootOf(part)
  return [root, ...parts.filter((each) => each !== root && rootOf(each) === root)]
}
