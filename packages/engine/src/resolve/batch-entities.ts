import type { KeyHash } from '../text/names.ts'
import { contradict } from './entity-content.ts'
import { areApart, type Entity, type EntityPart, joined, type MergeKind, partsOf, separated } from './entity-parts.ts'
import { isMentionedKey } from './mentioned.ts'
import type { Thing } from './record-content.ts'
import { anySiteKey, isSited, spokenKeys } from './sites.ts'

/** Two entities that became one, why, and what showed it; or a split, which took keys of an entity to a new one. */
export interface Merge {
  from: string
  into: string
  kind: MergeKind | 'split'
  evidence: Record<string, unknown>
  /** The account that decided it; null when no person did. */
  actorId?: string | null
}

/** What resolution needs to know of the entities that exist. */
export interface KnownEntities {
  /** Ids of the entities that have the key, merged ones already replaced by what they were merged into. */
  withKey(key: number): string[]
  /** The entity as committed; called for ids that `withKey` gave. */
  get(id: string): Entity | undefined
}

/** A name that more entities have is compared with none of them: it tells nothing, and would cost more each time. */
export const NAMESAKES_MAX = 32

const NOBODY: readonly string[] = []

/** What a batch does to the entities of a sandbox. */
export interface EntityChanges {
  changed: Map<string, Entity>
  removed: Set<string>
  merges: Merge[]
}

/** The entities of a sandbox as one batch finds and changes them. */
export type BatchEntities = ReturnType<typeof createBatchEntities>

/** Opens the entities of a sandbox for one batch: each is loaded once, and found by what the batch learnt of it. */
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
    const held = entities.get(id)
    if (held) return held
    const entity = known.get(id)
    if (entity) entities.set(id, entity)
    return entity
  }

  const isCrowded = (key: string): boolean => {
    const hashed = hash(key)
    return known.withKey(hashed).length + (owners.get(hashed)?.length ?? 0) > NAMESAKES_MAX
  }

  /** Entities that a key may lead to. A hash can collide and a key be withdrawn, so the entity itself decides. */
  const under = (key: string): Entity[] => {
    const hashed = hash(key)
    const [committed, here = NOBODY] = [known.withKey(hashed), owners.get(hashed)]
    if (committed.length + here.length < 2) {
      const [id = here[0]] = committed
      const entity = id === undefined ? undefined : load(canonical(id))
      return entity ? [entity] : []
    }
    const ids = new Set([...committed, ...here].map(canonical))
    return [...ids].sort().flatMap((id) => load(id) ?? [])
  }

  const withKey = (key: string): Entity[] =>
    under(key).filter((entity) => entity.identifiers.includes(key) || entity.names.some((name) => name.key === key))

  /** Keeps the change, and lets the rest of the batch find the entity by what it learnt. */
  const save = (entity: Entity, learnt: Pick<Thing, 'names' | 'identifiers'>): void => {
    entities.set(entity.id, entity)
    changes.changed.set(entity.id, entity)
    for (const key of [...thingKeys(learnt), ...learnt.identifiers.filter(isSited).map(anySiteKey)].map(hash)) {
      const ids = owners.get(key)
      if (!ids) owners.set(key, [entity.id])
      else if (!ids.includes(entity.id)) ids.push(entity.id)
    }
  }

  /** Merges two entities into one; undefined when it would have too many parts. */
  const unite = (from: Entity, into: Entity, why: Omit<Merge, 'from' | 'into'> & { kind: MergeKind }) => {
    const made = joined(into, from, why.kind)
    if (!made) return undefined
    entities.set(into.id, made)
    mergedInto.set(from.id, into.id)
    mergedHere.add(into.id)
    changes.changed.delete(from.id)
    changes.merges.push({ from: from.id, into: into.id, ...why })
    return made
  }

  return { canonical, load, isCrowded, under, withKey, save, unite, mergedHere, changes }
}

/** Every key by which a record that declares the thing supports its entity. */
export function thingKeys({ names, identifiers }: Pick<Thing, 'names' | 'identifiers'>): string[] {
  // What a text mentions has no more than a name.
  if (identifiers.length === 0 && names.length === 1) return [names[0]!.key]
  return [...new Set([...identifiers, ...spokenKeys(identifiers), ...names.map((name) => name.key)])]
}

/** What a person decided of two things, told by what they are called and identified by: it holds in any sandbox. */
export interface Decision {
  are: 'one' | 'two'
  type: string
  /** Keys of either, names and identifiers; of two that are one, the first is what remains. */
  one: string[]
  other: string[]
  /** The account that decided it, or that brought the decision. */
  actorId: string | null
}

/** Whether a key of an entity is one of its names, and not an identifier. */
export function isNameKey(key: string): boolean {
  return key.startsWith('name:') || isMentionedKey(key)
}

/** The decisions of people about these entities; decisions about other entities are left out. */
export function decisionsOf(entities: readonly Entity[]): Omit<Decision, 'actorId'>[] {
  const parts = new Map(entities.flatMap((entity) => partsOf(entity).map((part) => [part.id, { part, entity }])))
  const told = new Map<string, Omit<Decision, 'actorId'>>()
  const tell = (are: Decision['are'], type: string, one: EntityPart, other: EntityPart) => {
    told.set([are, ...[one.id, other.id].sort()].join(' '), { are, type, one: keysOf(one), other: keysOf(other) })
  }
  for (const { part, entity } of parts.values()) {
    const into = part.into && part.why === 'person' ? parts.get(part.into) : undefined
    if (into) tell('one', entity.type, into.part, part)
    for (const id of part.apart ?? []) {
      const other = parts.get(id)
      if (other && !told.has(['two', ...[part.id, id].sort()].join(' '))) tell('two', entity.type, part, other.part)
    }
  }
  return [...told.values()]
}

function keysOf({ names, identifiers }: EntityPart): string[] {
  return [...new Set([...identifiers, ...names.map((name) => name.key)])]
}

/** A group of parts that likeness shows to be one thing. */
export interface AlikeGroup {
  /** Parts, grouped by what they are one by already. */
  partIds: readonly string[]
  /** Why any of them was joined: by its part's id. */
  evidence: ReadonlyMap<string, Record<string, unknown>>
}

/** What likeness changes among some entities. */
export interface AlikeChanges {
  changed: Map<string, Entity>
  merged: { from: Entity; into: string }[]
  merges: Merge[]
  /** Ids that are entities of their own again. */
  undone: string[]
}

/**
 * Brings entities to the groups that likeness shows: parts that were joined by likeness and are not in one group any
 * more separate, then what is of one group joins, the oldest id remaining. What a person or an identifier joined stays
 * joined, what a person told apart stays apart.
 * @param groupOf the group of a part; parts without one are left as they are
 */
export function applyAlike(
  entities: readonly Entity[],
  groupOf: (partId: string) => AlikeGroup | undefined,
): AlikeChanges {
  const now = new Map(entities.map((entity) => [entity.id, entity]))
  const changes: AlikeChanges = { changed: new Map(), merged: [], merges: [], undone: [] }
  for (const entity of entities) {
    for (const leaving of separate(entity, groupOf, now)) {
      changes.undone.push(leaving.id)
      changes.changed.set(leaving.id, leaving)
    }
    if (now.get(entity.id) !== entity) changes.changed.set(entity.id, now.get(entity.id) as Entity)
  }
  const byGroup = new Map<AlikeGroup, Entity[]>()
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
      if (areApart(into, from) || contradict(strong(into), strong(from))) continue
      const made = joined(into, from, 'alike')
      if (!made) continue
      into = made
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

/** Removes the parts of an entity that no longer belong to its group, and leaves the rest in `now`. */
function separate(
  entity: Entity,
  groupOf: (partId: string) => AlikeGroup | undefined,
  now: Map<string, Entity>,
): Entity[] {
  const gone: Entity[] = []
  let left = entity
  for (const part of partsOf(entity)) {
    if (part.why !== 'alike' || !part.into) continue
    const [ours, theirs] = [part.id, part.into].map((id) => groupOf(fixedGroup(partsOf(entity), id)[0]?.id ?? id))
    if (ours !== undefined && ours === theirs) continue
    const parted = separated(left, part.id)
    if (!parted) continue
    left = parted.left
    gone.push(parted.leaving)
    now.set(parted.leaving.id, parted.leaving)
  }
  now.set(entity.id, left)
  return gone
}

/** Identifiers that tell two things apart in any source; addresses of a person do not. */
function strong({ type, identifiers }: Entity): string[] {
  return identifiers.filter((key) => !key.startsWith('ref:') && !(type === 'person' && key.startsWith('email:')))
}

/** The parts that are one with a part for a reason that likeness does not change; the one merged into first. */
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
