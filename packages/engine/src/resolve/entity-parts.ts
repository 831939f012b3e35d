import type { Name, Thing } from './record-content.ts'

/** Why two things are taken for one: a shared identifier, a shared name, likeness in many properties, or a person. */
const MERGE_KINDS = ['identifier', 'name', 'alike', 'person'] as const

export type MergeKind = (typeof MERGE_KINDS)[number]

/** What one of the entities that became one knew by itself; every key stands in the part that had it first. */
export interface EntityPart {
  /** The id that the entity had, which resolves for ever. */
  id: string
  names: Name[]
  identifiers: string[]
  /** The part that it was merged into, and why; the first part of an entity has neither. */
  into?: string
  why?: MergeKind
  /** Parts that a person said are other things. */
  apart?: string[]
  /** A record's own thing that is compared with others of its type by what it says of itself. */
  isCompared?: true
}

/** A canonical entity as it is kept: what it is called and what identifies it. */
export interface Entity {
  id: string
  type: string
  /** In the order in which they were learnt. */
  names: Name[]
  identifiers: string[]
  /** As its only part has it. */
  isCompared?: true
  /** The parts that were merged into it, its own first; absent for an entity that was never merged. */
  parts?: EntityPart[]
}

/** Names, and identifiers, that one entity keeps: what has more is a mistake of its source, and would grow for ever. */
const NAMES_MAX = 256
/** Merged entities that one entity keeps apart within itself; those beyond can no longer be separated. */
const PARTS_MAX = 1_024

/** The parts of an entity, its own first. */
export function partsOf(entity: Entity): EntityPart[] {
  const { id, names, identifiers, isCompared, parts } = entity
  return parts ?? [{ id, names, identifiers, ...(isCompared && { isCompared }) }]
}

/** An entity made of these parts; the first one is its own. */
export function ofParts(type: string, parts: readonly EntityPart[]): Entity {
  const [first] = parts as [EntityPart, ...EntityPart[]]
  const names = new Map(parts.flatMap((part) => part.names.map((name) => [`${name.key}\n${name.text}`, name])))
  const entity: Entity = {
    id: first.id,
    type,
    names: [...names.values()].slice(0, NAMES_MAX),
    identifiers: [...new Set(parts.flatMap((part) => part.identifiers))].slice(0, NAMES_MAX),
  }
  if (parts.length > 1 || first.apart) entity.parts = [...parts]
  else if (first.isCompared) entity.isCompared = true
  return entity
}

/** Whether a person said of any part of one that it is not the other. */
export function areApart(one: Entity, other: Entity): boolean {
  if (!one.parts && !other.parts) return false
  const keepOff = (these: Entity, those: Entity) => {
    const ids = new Set(partsOf(those).map((part) => part.id))
    return partsOf(these).some((part) => part.apart?.some((id) => ids.has(id)))
  }
  return keepOff(one, other) || keepOff(other, one)
}

/** The entity with another merged into it; undefined when it would be of more parts than are kept. */
export function joined(into: Entity, from: Entity, why: MergeKind): Entity | undefined {
  const [first, ...others] = partsOf(from) as [EntityPart, ...EntityPart[]]
  const parts = [...partsOf(into), { ...first, into: into.id, why }, ...others]
  return parts.length > PARTS_MAX ? undefined : ofParts(into.type, parts)
}

/** The part and every part that was merged into it, however far down. */
function subtreeOf(parts: readonly EntityPart[], id: string): EntityPart[] {
  const ids = new Set([id])
  for (let before = 0; before < ids.size; ) {
    before = ids.size
    for (const part of parts) if (part.into && ids.has(part.into)) ids.add(part.id)
  }
  return parts.filter((part) => ids.has(part.id))
}

/**
 * Takes back the merge of a part: what is left, and what leaves, with all that had been merged into it. An identifier
 * goes with the part that had it first. Undefined when the part is not there or is the entity's own.
 */
export function separated(entity: Entity, partId: string): { left: Entity; leaving: Entity } | undefined {
  const parts = partsOf(entity)
  const gone = subtreeOf(parts, partId)
  const [root] = gone
  if (!root?.into) return undefined
  const { into: _, why: __, ...own } = root
  const leaving = ofParts(entity.type, [own, ...gone.slice(1)])
  return {
    left: ofParts(
      entity.type,
      parts.filter((part) => !gone.includes(part)),
    ),
    leaving,
  }
}

/**
 * Notes on both sides that a person said that they are two.
 * @param about the part of each that it was said about, if it was not said of the whole alone: it holds for them too
 * when these are entities of their own again
 */
export function keepApart(one: Entity, other: Entity, about: [string, string] = [one.id, other.id]): [Entity, Entity] {
  const note = (entity: Entity, its: string, others: readonly string[]): Entity => {
    const parts = partsOf(entity).map((part) => {
      if (part.id !== entity.id && part.id !== its) return part
      return { ...part, apart: [...new Set([...(part.apart ?? []), ...others])] }
    })
    return ofParts(entity.type, parts)
  }
  return [note(one, about[0], [other.id, about[1]]), note(other, about[1], [one.id, about[0]])]
}

/** Takes back that a person said that two are not one. */
export function allowTogether(one: Entity, other: Entity): [Entity, Entity] {
  const clear = (entity: Entity, from: Entity): Entity => {
    const ids = new Set(partsOf(from).map((part) => part.id))
    const parts = partsOf(entity).map(({ apart, ...part }) => {
      const kept = apart?.filter((id) => !ids.has(id)) ?? []
      return kept.length > 0 ? { ...part, apart: kept } : part
    })
    return ofParts(entity.type, parts)
  }
  return [clear(one, other), clear(other, one)]
}

/** Adds what a thing declares to the entity; undefined when nothing is new or there is no room. */
export function enriched(
  entity: Entity,
  thing: Pick<Thing, 'names' | 'identifiers'>,
  isCompared = false,
): Entity | undefined {
  const names = thing.names.filter(
    (name) => !entity.names.some((held) => held.text === name.text && held.key === name.key),
  )
  const identifiers = thing.identifiers.filter((identifier) => !entity.identifiers.includes(identifier))
  const isFull = (count: number, more: number) => more === 0 || count >= NAMES_MAX
  const id = partFor(entity, thing)
  const isNoted = !isCompared || partsOf(entity).some((part) => part.id === id && part.isCompared)
  if (isNoted && isFull(entity.names.length, names.length) && isFull(entity.identifiers.length, identifiers.length)) {
    return undefined
  }
  const parts = partsOf(entity).map((part) => {
    if (part.id !== id) return part
    const known = { ...part, names: [...part.names, ...names], identifiers: [...part.identifiers, ...identifiers] }
    return isCompared ? { ...known, isCompared: true as const } : known
  })
  return ofParts(entity.type, parts)
}

/** The part of an entity that a thing belongs to: by identifier, else by name, else its own. */
export function partFor(entity: Entity, thing: Pick<Thing, 'names' | 'identifiers'>): string {
  return entity.parts?.find((part) => holds(part, thing))?.id ?? entity.id
}

function holds(part: EntityPart, thing: Pick<Thing, 'names' | 'identifiers'>): boolean {
  if (thing.identifiers.length > 0) return thing.identifiers.some((key) => part.identifiers.includes(key))
  return thing.names.some(({ key }) => part.names.some((name) => name.key === key))
}

/**
 * The entity without keys that nothing supports any more; undefined when nothing is left that identifies it. A part
 * with nothing left goes, and those merged into it hang on what it was merged into.
 */
export function withoutKeys(entity: Entity, gone: ReadonlySet<string>): Entity | undefined {
  const parts = partsOf(entity).map((part) => ({
    ...part,
    names: part.names.filter((name) => !gone.has(name.key)),
    identifiers: part.identifiers.filter((key) => !gone.has(key)),
  }))
  if (parts.every(isEmpty)) return undefined
  for (const part of parts.filter((each) => each.into && isEmpty(each))) {
    for (const child of parts) if (child.into === part.id && part.into) child.into = part.into
    parts.splice(parts.indexOf(part), 1)
  }
  // What is left identifies it, and nobody could read an entity without a name.
  const [first] = parts as [EntityPart, ...EntityPart[]]
  if (parts.every((part) => part.names.length === 0)) first.names = entity.names.slice(0, 1)
  return ofParts(entity.type, parts)
}

/**
 * The entity without the keys, and a new one that has them. Undefined when the keys leave it no name, or are none of
 * its own. An entity is shown by a name: one that takes none is called as it was.
 */
export function taken(
  entity: Entity,
  keys: ReadonlySet<string>,
  id: string,
): { left: Entity; made: Entity } | undefined {
  const left = withoutKeys(entity, keys)
  if (!left || left.names.every((name) => keys.has(name.key))) return undefined
  const names = entity.names.filter((name) => keys.has(name.key))
  const identifiers = entity.identifiers.filter((key) => keys.has(key))
  if (names.length + identifiers.length === 0) return undefined
  const part = { id, names: names.length > 0 ? names : entity.names.slice(0, 1), identifiers }
  return { left, made: ofParts(entity.type, [part]) }
}

function isEmpty({ names, identifiers }: EntityPart): boolean {
  return names.length + identifiers.length === 0
}
