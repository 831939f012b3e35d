import type { Entity } from '@cairnstore/client'

type EntityRelation = Entity['relations'][number]

/** `2026-07-29` */
const DAY_CHARS = 10

/** What is said of an entity, and the records that say it. */
export interface ToldOfEntity {
  key: string
  relation: EntityRelation
  /** Since when it holds or is known; empty where neither is told. */
  since: string
  recordIds: string[]
}

/** Relations in the order of time, the latest first; what several records say of the same time is told once. */
export function toldOf(relations: readonly EntityRelation[]): ToldOfEntity[] {
  const told = new Map<string, ToldOfEntity>()
  for (const relation of relations) {
    const { predicate, direction, name, valid_from: from, stated_at: stated, valid_to: until, record_id: id } = relation
    const since = from ?? stated ?? ''
    const key = JSON.stringify([predicate, direction, name, since.slice(0, DAY_CHARS), until, relation.is_current])
    const known = told.get(key)
    if (!known) told.set(key, { key, relation, since, recordIds: id ? [id] : [] })
    else if (id && !known.recordIds.includes(id)) known.recordIds.push(id)
  }
  return [...told.values()].sort((one, other) => other.since.localeCompare(one.since))
}
