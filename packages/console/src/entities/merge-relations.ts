import type { Entity } from '@cairnstore/client'

type EntityRelation = Entity['relations'][number]

/** Length of a date such as `2026-07-29`. */
const DAY_CHARS = 10

/** A relation of an entity, with the records that state it. */
export interface MergedRelation {
  key: string
  relation: EntityRelation
  /** Day since when it holds or is known; empty if unknown. */
  since: string
  recordIds: string[]
}

/** Returns the relations, latest first. Identical relations of the same day are merged and keep all their records. */
export function mergeRelations(relations: readonly EntityRelation[]): MergedRelation[] {
  const byKey = new Map<string, MergedRelation>()
  for (const relation of relations) {
    const { predicate, direction, name, valid_from: from, stated_at: stated, valid_to: until, record_id: id } = relation
    const since = from ?? stated ?? ''
    const key = JSON.stringify([predicate, direction, name, since.slice(0, DAY_CHARS), until, relation.is_current])
    const known = byKey.get(key)
    if (!known) byKey.set(key, { key, relation, since, recordIds: id ? [id] : [] })
    else if (id && !known.recordIds.includes(id)) known.recordIds.push(id)
  }
  return [...byKey.values()].sort((one, other) => other.since.localeCompare(one.since))
}
