import type { Merge } from './batch-entities.ts'
import { contradict } from './entity-content.ts'
import { areApart, type Entity, type EntityPart, joined, partsOf, separated } from './entity-parts.ts'

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
