import { cleanIdentifier, type KeyHash, normaliseName } from '../text/names.ts'
import {
  type BatchEntities,
  createBatchEntities,
  type Decision,
  declarationKeys,
  isNameKey,
  type KnownEntities,
} from './batch-entities.ts'
import { contradict } from './entity-content.ts'
import {
  areDeclaredDifferent,
  declareDifferent,
  type Entity,
  moveKeys,
  partFor,
  partsOf,
  withDeclaration,
  withoutKeys,
} from './entity-parts.ts'
import { isComparable } from './linkage/find-matches.ts'
import { isOnlyMentioned } from './mentioned.ts'
import type { Declaration, Name } from './record-content.ts'
import { anySiteKey, isOfAnotherSite, isSited, isSiteScoped, matchesAcrossSites, withoutSite } from './sites.ts'

/**
 * Creates the entity resolver of a batch of declarations. A shared identifier merges two entities. An equal name does
 * so only within a type, for exactly one candidate, and if no identifier contradicts. Precision has priority over
 * recall: a wrong merge is worse than a missed one.
 */
export function createResolver(known: KnownEntities, hash: KeyHash, newEntityId: () => string) {
  const batch = createBatchEntities(known, hash)
  const { canonical, load, withKey, save, mergedHere, changes } = batch
  const { byIdentifier, byName } = createFinder(batch)
  const decideOne = createDecider(batch, newEntityId)
  const seen = new Map<string, { entityId: string; partId: string }>()

  /**
   * Returns the entity id of a declaration, and creates an entity if there is none. The id is that of the declaration's
   * part, so it stays valid if a merge is undone. Returns undefined for a name without identifiers that several
   * entities have.
   */
  const resolve = (declaration: Declaration): string | undefined => {
    const signature = JSON.stringify([declaration.type, declaration.names, declaration.identifiers])
    const before = seen.get(signature)
    if (before && load(canonical(before.entityId))) return before.partId
    const identified = byIdentifier(declaration)
    if (identified === 'ambiguous') return undefined
    const found = identified?.entity ?? byName(declaration)
    if (found === 'ambiguous') return undefined
    const given = identified?.declaration ?? declaration
    const entity = found ?? { id: newEntityId(), type: declaration.type, names: [], identifiers: [] }
    const next = withDeclaration(entity, given, isComparable(given))
    if (next || mergedHere.has(entity.id)) save(next ?? entity, given)
    const partId = partFor(next ?? entity, given)
    seen.set(signature, { entityId: entity.id, partId })
    return partId
  }

  /**
   * Resolves a mention in a text. A mention has only a name: a new name becomes a new entity, and a known name needs no
   * comparison.
   */
  const mention = (declaration: Declaration): string | undefined => {
    const [name] = declaration.names as [Name]
    const [match, ...others] = withKey(name.key)
    if (!match) {
      const entity = { id: newEntityId(), type: declaration.type, names: declaration.names, identifiers: [] }
      save(entity, declaration)
      return entity.id
    }
    const isKnown = match.names.some(({ text, key }) => text === name.text && key === name.key)
    return isKnown && others.length === 0 && !mergedHere.has(match.id)
      ? partFor(match, declaration)
      : resolve(declaration)
  }

  /**
   * Removes keys from the declaration's entity that no current record declares any more. An entity without keys is
   * removed.
   * @param isSupported returns true if a current record still declares the key
   */
  const withdraw = (declaration: Declaration, isSupported: (key: string) => boolean): void => {
    const gone = new Set(declarationKeys(declaration).filter((key) => !isSupported(key)))
    if (gone.size === 0) return
    seen.clear()
    const holders = new Map([...gone].flatMap((key) => withKey(key).map((entity) => [entity.id, entity])))
    for (const entity of holders.values()) {
      // The type of a mention is a guess, so it does not distinguish entities.
      if (entity.type !== declaration.type && declaration.role !== 'mention') continue
      const left = withoutKeys(entity, gone)
      if (left && !isLeftover(entity, left)) save(left, { names: [], identifiers: [] })
      else {
        changes.changed.delete(entity.id)
        changes.removed.add(entity.id)
      }
    }
  }

  /** Applies a decision from the sandbox that the entities were copied from. Decisions made here have priority. */
  const decide = (decision: Decision): void => {
    seen.clear()
    decideOne(decision)
  }

  /**
   * Returns true if the entity is left with names only, and other entities with identifiers have these names too. The
   * records of those entities support the names.
   */
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

/** Creates a function that applies decisions made in another sandbox to the entities of a batch. */
function createDecider({ load, withKey, save, mergeInto, changes }: BatchEntities, newEntityId: () => string) {
  /** Returns the entity with most of the keys. Names are used only if there are no identifiers. */
  const entityWith = (type: string, keys: readonly string[]): Entity | undefined => {
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
   * Applies a decision that a person made in the sandbox from which the entities were copied. Unknown entities are
   * skipped, and decisions made here have priority.
   */
  const decide = ({ are, type, one, other, actorId }: Decision): void => {
    const [into, from] = [entityWith(type, one), entityWith(type, other)]
    if (!into || !from) return
    if (are === 'one') {
      if (into.id === from.id || areDeclaredDifferent(into, from)) return
      const made = mergeInto(from, into, { kind: 'person', evidence: {}, actorId })
      if (made) save(made, made)
      return
    }
    if (into.id !== from.id) {
      for (const entity of declareDifferent(into, from)) save(entity, entity)
      return
    }
    if (partsOf(into).some((part) => part.why === 'person')) return
    const keys = other.filter((key) => !one.includes(key))
    const moved = moveKeys(into, new Set(keys), newEntityId())
    if (!moved) return
    for (const entity of declareDifferent(moved.left, moved.made)) save(entity, entity)
    changes.merges.push({ from: into.id, into: moved.made.id, kind: 'split', evidence: { keys }, actorId })
  }

  return decide
}

/** Creates functions that find the entity of a declaration. Two entities with its identifiers are merged. */
function createFinder({ candidatesFor, withKey, isCrowded, mergeInto }: BatchEntities) {
  /**
   * Returns the entities of the type that have the identifier. Returns 'several' if it is ambiguous because several
   * sites have it.
   */
  const identifiedBy = (key: string, declaration: Declaration): Entity[] | 'several' => {
    const exact = withKey(key).filter((entity) => entity.type === declaration.type)
    if (!isSiteScoped(key)) return exact
    if (isSited(key)) {
      const unsited = withKey(withoutSite(key)).filter((entity) => matchesAcrossSites(declaration, entity, key))
      return [...exact, ...(unsited.length === 1 ? unsited : [])]
    }
    const sited = candidatesFor(anySiteKey(key)).filter(
      ({ type, identifiers }) => type === declaration.type && identifiers.some((each) => withoutSite(each) === key),
    )
    const all = [...new Set([...exact, ...sited])]
    return sited.length > 0 && all.length > 1 ? 'several' : all
  }

  /** Merges two entities. Returns undefined if they must stay separate. */
  const merge = (from: Entity, into: Entity, declaration: Declaration): Entity | undefined => {
    if (numbersContradict(into, from) || areDeclaredDifferent(into, from)) return undefined
    return mergeInto(from, into, { kind: 'identifier', evidence: { keys: declaration.identifiers } })
  }

  /** Returns the oldest entity with an identifier of the declaration, and the declaration without foreign ones. */
  const byIdentifier = (
    declaration: Declaration,
  ): { entity: Entity; declaration: Declaration } | 'ambiguous' | undefined => {
    const found = new Map<string, Entity>()
    const foreign = new Set<string>()
    for (const key of declaration.identifiers) {
      const those = identifiedBy(key, declaration)
      if (those === 'several') foreign.add(key)
      else for (const entity of those) if (!hasMoved(key, declaration, entity)) found.set(entity.id, entity)
    }
    const sameType = [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
    const [oldest, ...others] = sameType
    if (!oldest) return foreign.size > 0 ? 'ambiguous' : undefined
    let entity = oldest
    for (const other of others) {
      const made = merge(other, entity, declaration)
      if (made) entity = made
      else for (const key of other.identifiers) foreign.add(key)
    }
    const match = isKnownByLogin(entity) ? fullNameMatch(declaration, entity) : undefined
    if (match) entity = merge(entity, match, declaration) ?? entity
    if (foreign.size === 0) return { entity, declaration }
    const own = new Set(entity.identifiers)
    const identifiers = declaration.identifiers.filter((key) => own.has(key) || !foreign.has(key))
    return { entity, declaration: { ...declaration, identifiers } }
  }

  /**
   * Returns another entity with the declaration's full name, if the declaration's own entity has no full name and
   * nothing contradicts a match.
   */
  const fullNameMatch = (declaration: Declaration, entity: Entity): Entity | undefined => {
    const names = declaration.names.filter(({ text }) => normaliseName(text).includes(' '))
    if (names.length === 0) return undefined
    const named = byName({ ...declaration, names, identifiers: [...declaration.identifiers, ...entity.identifiers] })
    return named && named !== 'ambiguous' && named.id !== entity.id ? named : undefined
  }

  /** Returns the entity with the declaration's name; undefined if there is none, 'ambiguous' if there are several. */
  const byName = (declaration: Declaration): Entity | 'ambiguous' | undefined => {
    const isBare = declaration.identifiers.length === 0
    if (declaration.names.some((name) => isCrowded(name.key))) return isBare ? 'ambiguous' : undefined
    const found = new Map<string, Entity>()
    for (const name of declaration.names) for (const entity of withKey(name.key)) found.set(entity.id, entity)
    const candidates = [...found.values()].filter(
      (entity) =>
        !contradict(declaration.identifiers, entity.identifiers) &&
        !isOfAnotherSite(declaration, entity) &&
        !areBothCompared(declaration, entity),
    )
    if (candidates.length === 1) return candidates[0]
    return candidates.length > 1 && isBare ? 'ambiguous' : undefined
  }

  return { byIdentifier, byName }
}

/**
 * Returns true if both are declared by records of their own. Record linkage compares such entities later, with more
 * evidence than an equal name.
 */
function areBothCompared(declaration: Declaration, entity: Entity): boolean {
  return isComparable(declaration) && partsOf(entity).some((part) => part.isCompared)
}

/** Returns true if a person has only a login and no real name. */
function isKnownByLogin({ type, names, identifiers }: Entity): boolean {
  const isLogin = (name: string) => identifiers.some((key) => /^login[:@]/.test(key) && key.endsWith(`:${name}`))
  return type === 'person' && names.length > 0 && names.every(({ text }) => isLogin(cleanIdentifier(text)))
}

/** Returns true if the account numbers show that a login now belongs to another account than the entity's. */
function hasMoved(key: string, declaration: Declaration, entity: Entity): boolean {
  const numbers = (identifiers: string[]) => identifiers.filter((each) => each.startsWith('id:'))
  return key.startsWith('login:') && contradict(numbers(declaration.identifiers), numbers(entity.identifiers))
}

/** Returns true if two entities are different records of one source or have different numbers of one series. */
function numbersContradict(one: Entity, other: Entity): boolean {
  const strict = (entity: Entity) => entity.identifiers.filter((key) => /^(?:ref:|key[:@])/.test(key))
  return contradict(strict(one), strict(other))
}
