import type { BatchEntities } from './batch-entities.ts'
import { contradict } from './entity-content.ts'
import { areApart, type Entity, partsOf } from './entity-parts.ts'
import { isComparable } from './likeness/comparable.ts'
import { anySiteKey, isOfAnotherSite, isOfASite, isOneAcrossSites, isSited, withoutSite } from './sites.ts'
import type { Thing } from './thing.ts'

/** Finds the entity of a declared thing among those of a batch; identifiers that show two to be one make them one. */
export function createFinder({ under, withKey, isCrowded, unite }: BatchEntities) {
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
      else for (const entity of those) found.set(entity.id, entity)
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
    if (foreign.size === 0) return { entity, thing }
    const own = new Set(entity.identifiers)
    const identifiers = thing.identifiers.filter((key) => own.has(key) || !foreign.has(key))
    return { entity, thing: { ...thing, identifiers } }
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

/** Two records of one source, or two numbers of one series, stay two things whatever else they share. */
function numbersContradict(one: Entity, other: Entity): boolean {
  const strict = (entity: Entity) => entity.identifiers.filter((key) => /^(?:ref:|key[:@])/.test(key))
  return contradict(strict(one), strict(other))
}
