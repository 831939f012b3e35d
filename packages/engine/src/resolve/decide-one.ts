import type { BatchEntities } from './batch-entities.ts'
import { type Decision, isNameKey } from './decisions.ts'
import { areApart, type Entity, keepApart, partsOf, taken } from './entity-parts.ts'
import { isOnlyMentioned } from './mentioned.ts'

/** Does among the entities of a batch what people decided elsewhere. */
export function createDecider({ load, withKey, save, unite, changes }: BatchEntities, newEntityId: () => string) {
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
