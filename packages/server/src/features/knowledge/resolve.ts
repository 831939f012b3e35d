import type { KeyHash } from './analyser/key-hash.ts'
import { contradict, type Entity, enrich } from './entity-content.ts'
import type { Thing } from './things.ts'

/** Two entities that became one, and the keys that showed it. */
export interface Merge {
  from: string
  into: string
  evidence: { keys: string[] }
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

/** What a batch does to the entities of a sandbox. */
export interface EntityChanges {
  changed: Map<string, Entity>
  removed: Set<string>
  merges: Merge[]
}

/**
 * Resolves declared things to canonical entities, one batch at a time. A shared identifier makes two things one; a
 * shared exact name does only within a type, for exactly one candidate, and when no identifier contradicts
 * (precision before recall: a wrong merge is worse than a missed one).
 */
export function createResolver(known: KnownEntities, hash: KeyHash, newEntityId: () => string) {
  const entities = new Map<string, Entity>()
  const owners = new Map<number, Set<string>>()
  const mergedInto = new Map<string, string>()
  const mergedHere = new Set<string>()
  const seen = new Map<string, string>()
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
    if (entity) entities.set(id, structuredClone(entity))
    return entities.get(id)
  }

  const isCrowded = (key: string): boolean => {
    const hashed = hash(key)
    return known.withKey(hashed).length + (owners.get(hashed)?.size ?? 0) > NAMESAKES_MAX
  }

  const withKey = (key: string): Entity[] => {
    const hashed = hash(key)
    const ids = new Set([...known.withKey(hashed), ...(owners.get(hashed) ?? [])].map(canonical))
    // A hash can collide and a key can have been withdrawn in this batch, so the entity itself decides.
    return [...ids]
      .sort()
      .flatMap((id) => load(id) ?? [])
      .filter((entity) => entity.identifiers.includes(key) || entity.names.some((name) => name.key === key))
  }

  /** Keeps the change, and lets the rest of the batch find the entity by what it learnt. */
  const save = (entity: Entity, learnt: Pick<Thing, 'names' | 'identifiers'>): void => {
    changes.changed.set(entity.id, entity)
    for (const key of thingKeys(learnt).map(hash)) {
      const ids = owners.get(key)
      if (ids) ids.add(entity.id)
      else owners.set(key, new Set([entity.id]))
    }
  }

  const merge = (from: Entity, into: Entity, keys: string[]): void => {
    enrich(into, from)
    mergedInto.set(from.id, into.id)
    mergedHere.add(into.id)
    changes.changed.delete(from.id)
    changes.merges.push({ from: from.id, into: into.id, evidence: { keys } })
  }

  const byIdentifier = (thing: Thing): Entity | undefined => {
    const found = new Map<string, Entity>()
    for (const key of thing.identifiers) for (const entity of withKey(key)) found.set(entity.id, entity)
    const sameType = [...found.values()].filter((entity) => entity.type === thing.type)
    sameType.sort((one, other) => (one.id < other.id ? -1 : 1))
    const [oldest, ...others] = sameType
    if (!oldest) return undefined
    for (const other of others) {
      if (!numbersContradict(oldest, other)) merge(other, oldest, thing.identifiers)
    }
    return oldest
  }

  /** Undefined: nobody fits the name. 'ambiguous': several do, and nothing says which of them is meant. */
  const byName = (thing: Thing): Entity | 'ambiguous' | undefined => {
    const isBare = thing.identifiers.length === 0
    if (thing.names.some((name) => isCrowded(name.key))) return isBare ? 'ambiguous' : undefined
    const found = new Map<string, Entity>()
    for (const name of thing.names) for (const entity of withKey(name.key)) found.set(entity.id, entity)
    const candidates = [...found.values()].filter((entity) => !contradict(thing.identifiers, entity.identifiers))
    if (candidates.length === 1) return candidates[0]
    return candidates.length > 1 && isBare ? 'ambiguous' : undefined
  }

  /** The id of the thing's canonical entity, made when there is none; undefined for a bare name that several have. */
  const resolve = (thing: Thing): string | undefined => {
    const signature = JSON.stringify([thing.type, thing.names, thing.identifiers])
    const before = seen.get(signature)
    if (before && !changes.removed.has(canonical(before))) return canonical(before)
    const found = byIdentifier(thing) ?? byName(thing)
    if (found === 'ambiguous') return undefined
    const entity = found ?? { id: newEntityId(), type: thing.type, names: [], identifiers: [] }
    entities.set(entity.id, entity)
    if (enrich(entity, thing) || mergedHere.has(entity.id)) save(entity, thing)
    seen.set(signature, entity.id)
    return entity.id
  }

  /**
   * Takes from the thing's entity what no live record declares any more. An entity with nothing left is removed.
   * @param isSupported whether a live record still declares the key
   */
  const withdraw = (thing: Thing, isSupported: (key: string) => boolean): void => {
    const keys = thingKeys(thing)
    const entity = keys.flatMap((key) => withKey(key)).find((candidate) => candidate.type === thing.type)
    if (!entity) return
    const gone = new Set(keys.filter((key) => !isSupported(key)))
    if (gone.size === 0) return
    seen.clear()
    const names = entity.names.filter((name) => !gone.has(name.key))
    entity.identifiers = entity.identifiers.filter((key) => !gone.has(key))
    if (entity.identifiers.length + names.length === 0) {
      changes.changed.delete(entity.id)
      changes.removed.add(entity.id)
      return
    }
    // What is left identifies it, and nobody could read an entity without a name.
    entity.names = names.length > 0 ? names : entity.names.slice(0, 1)
    save(entity, { names: [], identifiers: [] })
  }

  return { resolve, withdraw, changes }
}

/** Every key by which a record that declares the thing supports its entity. */
export function thingKeys(thing: Pick<Thing, 'names' | 'identifiers'>): string[] {
  return [...new Set([...thing.identifiers, ...thing.names.map((name) => name.key)])]
}

/** Two records of one source, or two numbers of one series, stay two things whatever else they share. */
function numbersContradict(one: Entity, other: Entity): boolean {
  const strict = (entity: Entity) => entity.identifiers.filter((key) => /^(ref|key):/.test(key))
  return contradict(strict(one), strict(other))
}
