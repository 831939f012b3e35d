import type { KeyHash } from '../text/key-hash.ts'
import { createBatchEntities, type KnownEntities, thingKeys } from './batch-entities.ts'
import { createDecider } from './decide-one.ts'
import type { Decision } from './decisions.ts'
import { type Entity, enriched, partFor, withoutKeys } from './entity-parts.ts'
import { createFinder } from './find-entity.ts'
import { isComparable } from './likeness/comparable.ts'
import type { Name, Thing } from './thing.ts'

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
   * The id under which the thing's canonical entity is found, now and after a merge is undone: that of its part. A new
   * one is made when there is none; undefined for a bare name that several have.
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
