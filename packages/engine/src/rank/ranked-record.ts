import type { Scored } from './best.ts'
import type { Given } from './fuse.ts'
import { idAt } from './id-table.ts'
import type { Linked } from './linking.ts'
import { linksOf } from './links.ts'
import { recordPlaceOf } from './passages.ts'
import { recordIdAt } from './record-ids.ts'
import type { ScopeView } from './scope-view.ts'

/** A record in an answer. */
export interface RankedRecord {
  id: string
  /** In (0, 1], the first record's being 1; never greater than the one before. */
  score: number
  /** Entities that the record is about, the most telling first. */
  entityIds: string[]
  /** Entities that the question names and the record holds. */
  matched: string[]
  /** What each signal gave, when asked for. */
  given?: Given
}

/** Entities that an answer names for a record. */
const ENTITIES_SHOWN = 12

/** The entities a record holds: its own first, then the rarest and most mentioned. */
export function tellingEntities(view: ScopeView, place: number): string[] {
  const { entityTable } = view.store
  return linksOf(view, place)
    .filter(({ node }) => node.entity >= 0)
    .map(({ node, units, isOwn }) => ({
      id: idAt(entityTable, node.entity)!,
      isOwn,
      weight: Math.sqrt(units) * node.idf,
    }))
    .sort((a, b) => Number(b.isOwn) - Number(a.isOwn) || b.weight - a.weight)
    .map(({ id }) => id)
}

/** A record as an answer gives it, with what the question named of it. */
export function toRanked(view: ScopeView, { place, score }: Scored, linked: Linked | undefined): RankedRecord {
  const { entityTable } = view.store
  // A passage holds what it names; what its record declares stands with the first one.
  const places = [...new Set([place, recordPlaceOf(view.store, place)])]
  const links = linked === undefined ? [] : places.flatMap((each) => linksOf(view, each))
  const matched = links.flatMap(({ node }) => (linked?.nodes.has(node) ? (idAt(entityTable, node.entity) ?? []) : []))
  const telling = places.flatMap((each) => tellingEntities(view, each))
  return {
    id: recordIdAt(view.store, place),
    score,
    entityIds: [...new Set(telling)].slice(0, ENTITIES_SHOWN),
    matched: [...new Set(matched)],
  }
}
