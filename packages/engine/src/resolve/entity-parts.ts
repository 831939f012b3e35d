import type { Declaration, Name } from './record-content.ts'

/** Reasons for a merge: a shared identifier, a shared name, record linkage ("alike"), or a person's decision. */
const MERGE_KINDS = ['identifier', 'name', 'alike', 'person'] as const

export type MergeKind = (typeof MERGE_KINDS)[number]

/** One of the merged entities with its own keys. A key that several of them had is only in the first. */
export interface EntityPart {
  /** Former id of the entity. It resolves permanently. */
  id: string
  names: Name[]
  identifiers: string[]
  /** The part that this one was merged into. The next field is the reason. The first part of an entity has neither. */
  into?: string
  why?: MergeKind
  /** Ids of parts that a person declared to be other entities. */
  apart?: string[]
  /** True if the entity is declared by its own record and takes part in record linkage within its type. */
  isCompared?: true
}

/** A canonical entity as stored, with its names and identifiers. */
export interface Entity {
  id: string
  type: string
  /** Names in the order in which they were found. */
  names: Name[]
  identifiers: string[]
  /** Set if `isCompared` is set in its only part. */
  isCompared?: true
  /** The merged parts, beginning with the entity's own part; undefined if nothing was ever merged. */
  parts?: EntityPart[]
}

/**
 * Maximum number of names, and of identifiers, of an entity. A source with more is faulty, and the entity would grow
 * without bound.
 */
const NAMES_MAX = 256
/** Maximum number of parts of an entity. Further entities are not merged. */
const PARTS_MAX = 1_024

/** Returns the parts of an entity, beginning with its own. */
export function partsOf(entity: Entity): EntityPart[] {
  const { id, names, identifiers, isCompared, parts } = entity
  return parts ?? [{ id, names, identifiers, ...(isCompared && { isCompared }) }]
}

/** Builds an entity from parts. The first part gives the id. */
export function entityOfParts(type: string, parts: readonly EntityPart[]): Entity {
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

/** Returns true if a person declared any parts of the two entities to be different. */
export function areDeclaredDifferent(one: Entity, other: Entity): boolean {
  if (!one.parts && !other.parts) return false
  const excludes = (these: Entity, those: Entity) => {
    const ids = new Set(partsOf(those).map((part) => part.id))
    return partsOf(these).some((part) => part.apart?.some((id) => ids.has(id)))
  }
  return excludes(one, other) || excludes(other, one)
}

/** Merges an entity into another. Returns undefined if the result would have too many parts. */
export function mergedEntity(into: Entity, from: Entity, why: MergeKind): Entity | undefined {
  const [first, ...others] = partsOf(from) as [EntityPart, ...EntityPart[]]
  const parts = [...partsOf(into), { ...first, into: into.id, why }, ...others]
  return parts.length > PARTS_MAX ? undefined : entityOfParts(into.type, parts)
}

/** Returns a part and all parts that were merged into it, directly or indirectly. */
function subtreeOf(parts: readonly EntityPart[], id: string): EntityPart[] {
  const ids = new Set([id])
  for (let before = 0; before < ids.size; ) {
    before = ids.size
    for (const part of parts) if (part.into && ids.has(part.into)) ids.add(part.id)
  }
  return parts.filter((part) => ids.has(part.id))
}

/**
 * Undoes the merge of a part. Returns the remaining entity and the separated one, which keeps everything that had been
 * merged into it. A common identifier goes to the entity that had it first. Returns undefined if the part does not
 * exist or is the entity's own.
 */
export function splitPart(entity: Entity, partId: string): { left: Entity; leaving: Entity } | undefined {
  const parts = partsOf(entity)
  const gone = subtreeOf(parts, partId)
  const [root] = gone
  if (!root?.into) return undefined
  const { into: _, why: __, ...own } = root
  const leaving = entityOfParts(entity.type, [own, ...gone.slice(1)])
  return {
    left: entityOfParts(
      entity.type,
      parts.filter((part) => !gone.includes(part)),
    ),
    leaving,
  }
}

/**
 * Stores in both entities that a person declared them to be different.
 * @param about the parts that the decision names; it still applies if these become separate entities again
 */
export function declareDifferent(
  one: Entity,
  other: Entity,
  about: [string, string] = [one.id, other.id],
): [Entity, Entity] {
  const note = (entity: Entity, its: string, others: readonly string[]): Entity => {
    const parts = partsOf(entity).map((part) => {
      if (part.id !== entity.id && part.id !== its) return part
      return { ...part, apart: [...new Set([...(part.apart ?? []), ...others])] }
    })
    return entityOfParts(entity.type, parts)
  }
  return [note(one, about[0], [other.id, about[1]]), note(other, about[1], [one.id, about[0]])]
}

/** Removes a person's "not the same" decision. */
export function withdrawDifferent(one: Entity, other: Entity): [Entity, Entity] {
  const clear = (entity: Entity, from: Entity): Entity => {
    const ids = new Set(partsOf(from).map((part) => part.id))
    const parts = partsOf(entity).map(({ apart, ...part }) => {
      const remaining = apart?.filter((id) => !ids.has(id)) ?? []
      return remaining.length > 0 ? { ...part, apart: remaining } : part
    })
    return entityOfParts(entity.type, parts)
  }
  return [clear(one, other), clear(other, one)]
}

/** Adds names and identifiers to an entity. Returns undefined if nothing is new or the limits are reached. */
export function withDeclaration(
  entity: Entity,
  declaration: Pick<Declaration, 'names' | 'identifiers'>,
  isCompared = false,
): Entity | undefined {
  const names = declaration.names.filter(
    (name) => !entity.names.some((held) => held.text === name.text && held.key === name.key),
  )
  const identifiers = declaration.identifiers.filter((identifier) => !entity.identifiers.includes(identifier))
  const isFull = (count: number, more: number) => more === 0 || count >= NAMES_MAX
  const id = partFor(entity, declaration)
  const isNoted = !isCompared || partsOf(entity).some((part) => part.id === id && part.isCompared)
  if (isNoted && isFull(entity.names.length, names.length) && isFull(entity.identifiers.length, identifiers.length)) {
    return undefined
  }
  const parts = partsOf(entity).map((part) => {
    if (part.id !== id) return part
    const known = { ...part, names: [...part.names, ...names], identifiers: [...part.identifiers, ...identifiers] }
    return isCompared ? { ...known, isCompared: true as const } : known
  })
  return entityOfParts(entity.type, parts)
}

/**
 * Returns the id of the part that a declaration belongs to: the part with its identifier, otherwise the one with its
 * name, otherwise the entity's own.
 */
export function partFor(entity: Entity, declaration: Pick<Declaration, 'names' | 'identifiers'>): string {
  return entity.parts?.find((part) => supports(part, declaration))?.id ?? entity.id
}

function supports(part: EntityPart, declaration: Pick<Declaration, 'names' | 'identifiers'>): boolean {
  if (declaration.identifiers.length > 0) return declaration.identifiers.some((key) => part.identifiers.includes(key))
  return declaration.names.some(({ key }) => part.names.some((name) => name.key === key))
}

/**
 * Returns the entity without keys that no record supports any more, or undefined if no key is left. Removes empty
 * parts. A part that was merged into an empty part then counts as merged into the target of that part.
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
  // The remaining parts have identifiers only. An entity needs a name for display.
  const [first] = parts as [EntityPart, ...EntityPart[]]
  if (parts.every((part) => part.names.length === 0)) first.names = entity.names.slice(0, 1)
  return entityOfParts(entity.type, parts)
}

/**
 * Moves keys of an entity to a new one. Returns undefined if the old one would have no name left, or if it has none of
 * the keys. If no name is moved, the new entity gets the first name for display.
 */
export function moveKeys(
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
  return { left, made: entityOfParts(entity.type, [part]) }
}

function isEmpty({ names, identifiers }: EntityPart): boolean {
  return names.length + identifiers.length === 0
}
