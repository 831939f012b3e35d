import { cleanIdentifier, type KeyHash, normaliseName } from '../text/names.ts'
import {
  type BatchEntities,
  createBatchEntities,
  type Decision,
  isNameKey,
  type KnownEntities,
  thingKeys,
} from './batch-entities.ts'
import { contradict } from './entity-content.ts'
import { areApart, type Entity, enriched, keepApart, partFor, partsOf, taken, withoutKeys } from './entity-parts.ts'
import { isComparable } from './likeness/find-alike.ts'
import { isOnlyMentioned } from './mentioned.ts'
import type { Name, Thing } from './record-content.ts'
import { anySiteKey, isOfAnotherSite, isOfASite, isOneAcrossSites, isSited, withoutSite } from './sites.ts'

/**
 * Resolves declared things to canonical entities, one batch at a time. A shared identifier makes two things one; a
 * shared exact name does only within a type, for exactly one candidate, and when no identifier contradicts
 * (precision before recall: a wrong merge is worse than a missed one).
 */
export function createResolver(known: KnownEntities, hash: KeyHash, newEntityId: () => string) {
  const batch = createBatchEntities(known, hash)
  const { canonical, load, withKey, save, mergedHere, changes } = batch
  const { byIdentifier, byName } = createFinder(batch)
  const decideOne = createDecider(batch, newEntityId)
  const seen = new Map<string, { entityId: string; partId: string }>()

  /**
   * The id of the entity of a thing, made when there is none. It is the id of the thing's own part, which stays valid
   * when a merge is undone. Undefined for a bare name that several entities have.
   */
  const resolve = (thing: Thing): string | undefined => {
    const signature = JSON.stringify([thing.type, thing.names, thing.identifiers])
    const before = seen.get(signature)
    if (before && load(canonical(before.entityId))) return before.partId
    const identified = byIdentifier(thing)
    if (identified === 'ambiguous') return undefined
    const found = identified?.entity ?? byName(thing)
    if (found === 'ambiguous') return undefined
    const given = identified?.thing ?? thing
    const entity = found ?? { id: newEntityId(), type: thing.type, names: [], identifiers: [] }
    const next = enriched(entity, given, isComparable(given))
    if (next || mergedHere.has(entity.id)) save(next ?? entity, given)
    const partId = partFor(next ?? entity, given)
    seen.set(signature, { entityId: entity.id, partId })
    return partId
  }

  /**
   * Does the same for a name that a text mentions: it has nothing else to be compared by, so that one that is new is an
   * entity and one that is known as it is written needs no look.
   */
  const mention = (thing: Thing): string | undefined => {
    const [name] = thing.names as [Name]
    const [held, ...others] = withKey(name.key)
    if (!held) {
      const entity = { id: newEntityId(), type: thing.type, names: thing.names, identifiers: [] }
      save(entity, thing)
      return entity.id
    }
    const isKnown = held.names.some(({ text, key }) => text === name.text && key === name.key)
    return isKnown && others.length === 0 && !mergedHere.has(held.id) ? partFor(held, thing) : resolve(thing)
  }

  /**
   * Takes from the thing's entity what no live record declares any more. An entity with nothing left is removed.
   * @param isSupported whether a live record still declares the key
   */
  const withdraw = (thing: Thing, isSupported: (key: string) => boolean): void => {
    const gone = new Set(thingKeys(thing).filter((key) => !isSupported(key)))
    if (gone.size === 0) return
    seen.clear()
    const holders = new Map([...gone].flatMap((key) => withKey(key).map((entity) => [entity.id, entity])))
    for (const entity of holders.values()) {
      // The type of a name that texts mention is a guess, and not what tells two things of it apart.
      if (entity.type !== thing.type && thing.role !== 'mention') continue
      const left = withoutKeys(entity, gone)
      if (left && !isLeftover(entity, left)) save(left, { names: [], identifiers: [] })
      else {
        changes.changed.delete(entity.id)
        changes.removed.add(entity.id)
      }
    }
  }

  /** Does what a person decided where the things came from; what a person decided here stays. */
  const decide = (decision: Decision): void => {
    seen.clear()
    decideOne(decision)
  }

  /** Whether all that is left are names that others have too: then those others' records are what supports them. */
  const isLeftover = (before: Entity, left: Entity): boolean =>
    before.identifiers.length > 0 &&
    left.identifiers.length === 0 &&
    left.names.every((name) =>
      withKey(name.key).some(
        (other) => other.id !== left.id && other.type === left.type && other.identifiers.length > 0,
      ),
    )

  return { resolve, mention, withdraw, decide, changes }
}

/** Does among the entities of a batch what people decided elsewhere. */
function createDecider({ load, withKey, save, unite, changes }: BatchEntities, newEntityId: () => string) {
  /** The entity that has most of the keys: of its identifiers, or of its names where none identifies it. */
  const holding = (type: string, keys: readonly string[]): Entity | undefined => {
    const identifiers = keys.filter((key) => !isNameKey(key))
    const counts = new Map<string, number>()
    for (const key of identifiers.length > 0 ? identifiers : keys) {
      for (const { id } of withKey(key)) counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    const found = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    const entities = found.flatMap(([id]) => load(id) ?? [])
    return entities.find((entity) => entity.type === type || isOnlyMentioned(entity))
  }

  /**
   * Does what a person decided where the things came from. What this sandbox does not know is left out, and what a
   * person decided here stays.
   */
  const decide = ({ are, type, one, other, actorId }: Decision): void => {
    const [into, from] = [holding(type, one), holding(type, other)]
    if (!into || !from) return
    if (are === 'one') {
      if (into.id === from.id || areApart(into, from)) return
      const made = unite(from, into, { kind: 'person', evidence: {}, actorId })
      if (made) save(made, made)
      return
    }
    if (into.id !== from.id) {
      for (const entity of keepApart(into, from)) save(entity, entity)
      return
    }
    if (partsOf(into).some((part) => part.why === 'person')) return
    const keys = other.filter((key) => !one.includes(key))
    const parted = taken(into, new Set(keys), newEntityId())
    if (!parted) return
    for (const entity of keepApart(parted.left, parted.made)) save(entity, entity)
    changes.merges.push({ from: into.id, into: parted.made.id, kind: 'split', evidence: { keys }, actorId })
  }

  return decide
}

/** Finds the entity of a declared thing among those of a batch; identifiers that show two to be one make them one. */
function createFinder({ under, withKey, isCrowded, unite }: BatchEntities) {
  /** Those of the thing's type that have the identifier; of 'several' sites have one like it, nothing says which. */
  const identifiedBy = (key: string, thing: Thing): Entity[] | 'several' => {
    const exact = withKey(key).filter((entity) => entity.type === thing.type)
    if (!isOfASite(key)) return exact
    if (isSited(key)) {
      const unsited = withKey(withoutSite(key)).filter((entity) => isOneAcrossSites(thing, entity, key))
      return [...exact, ...(unsited.length === 1 ? unsited : [])]
    }
    const sited = under(anySiteKey(key)).filter(
      ({ type, identifiers }) => type === thing.type && identifiers.some((each) => withoutSite(each) === key),
    )
    const all = [...new Set([...exact, ...sited])]
    return sited.length > 0 && all.length > 1 ? 'several' : all
  }

  /** The one that the two become; undefined when they must stay two. */
  const merge = (from: Entity, into: Entity, thing: Thing): Entity | undefined => {
    if (numbersContradict(into, from) || areApart(into, from)) return undefined
    return unite(from, into, { kind: 'identifier', evidence: { keys: thing.identifiers } })
  }

  /** The oldest entity that has an identifier of the thing, and the thing without identifiers that are another's. */
  const byIdentifier = (thing: Thing): { entity: Entity; thing: Thing } | 'ambiguous' | undefined => {
    const found = new Map<string, Entity>()
    const foreign = new Set<string>()
    for (const key of thing.identifiers) {
      const those = identifiedBy(key, thing)
      if (those === 'several') foreign.add(key)
      else for (const entity of those) if (!hasMoved(key, thing, entity)) found.set(entity.id, entity)
    }
    const sameType = [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
    const [oldest, ...others] = sameType
    if (!oldest) return foreign.size > 0 ? 'ambiguous' : undefined
    let entity = oldest
    for (const other of others) {
      const made = merge(other, entity, thing)
      if (made) entity = made
      else for (const key of other.identifiers) foreign.add(key)
    }
    const bearer = isKnownByLogin(entity) ? bearerOf(thing, entity) : undefined
    if (bearer) entity = merge(entity, bearer, thing) ?? entity
    if (foreign.size === 0) return { entity, thing }
    const own = new Set(entity.identifiers)
    const identifiers = thing.identifiers.filter((key) => own.has(key) || !foreign.has(key))
    return { entity, thing: { ...thing, identifiers } }
  }

  /** Returns the entity with a thing's full name, if its own entity has none and nothing contradicts a match. */
  const bearerOf = (thing: Thing, entity: Entity): Entity | undefined => {
    const names = thing.names.filter(({ text }) => normaliseName(text).includes(' '))
    if (names.length === 0) return undefined
    const named = byName({ ...thing, names, identifiers: [...thing.identifiers, ...entity.identifiers] })
    return named && named !== 'ambiguous' && named.id !== entity.id ? named : undefined
  }

  /** Undefined: nobody fits the name. 'ambiguous': several do, and nothing says which of them is meant. */
  const byName = (thing: Thing): Entity | 'ambiguous' | undefined => {
    const isBare = thing.identifiers.length === 0
    if (thing.names.some((name) => isCrowded(name.key))) return isBare ? 'ambiguous' : undefined
    const found = new Map<string, Entity>()
    for (const name of thing.names) for (const entity of withKey(name.key)) found.set(entity.id, entity)
    const candidates = [...found.values()].filter(
      (entity) =>
        !contradict(thing.identifiers, entity.identifiers) &&
        !isOfAnotherSite(thing, entity) &&
        !isToCompare(thing, entity),
    )
    if (candidates.length === 1) return candidates[0]
    return candidates.length > 1 && isBare ? 'ambiguous' : undefined
  }

  return { byIdentifier, byName }
}

/** Two records' own things: what they say of themselves is compared later, and a name alone shows less than that. */
function isToCompare(thing: Thing, entity: Entity): boolean {
  return isComparable(thing) && partsOf(entity).some((part) => part.isCompared)
}

/** Returns whether a person has only a login and no real name. */
function isKnownByLogin({ type, names, identifiers }: Entity): boolean {
  const isLogin = (name: string) => identifiers.some((key) => /^login[:@]/.test(key) && key.endsWith(`:${name}`))
  return type === 'person' && names.length > 0 && names.every(({ text }) => isLogin(cleanIdentifier(text)))
}

/** Returns whether a login now belongs to another account. Account numbers are permanent, logins are not. */
function hasMoved(key: string, thing: Thing, entity: Entity): boolean {
  const numbers = (identifiers: string[]) => identifiers.filter((each) => each.startsWith('id:'))
  return key.startsWith('login:') && contradict(numbers(thing.identifiers), numbers(entity.identifiers))
}

/** Two records of one source, or two numbers of one series, stay two things whatever else they share. */
function numbersContradict(one: Entity, other: Entity): boolean {
  const strict = (entity: Entity) => entity.identifiers.filter((key) => /^(?:ref:|key[:@])/.test(key))
  return contradict(strict(one), strict(other))
}
