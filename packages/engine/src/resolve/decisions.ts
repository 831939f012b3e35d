import { type Entity, type EntityPart, partsOf } from './entity-parts.ts'
import { isMentionedKey } from './mentioned.ts'

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
