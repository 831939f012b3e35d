import { KEY_FLAG } from '../text/analysis-codec.ts'
import { fitScratch, type Scratch } from './bm25.ts'
import { ENTITY_KIND, entityNode, isOnlyMentioned, isPerson, ownersOf } from './entities.ts'
import { idAt, placeOfId } from './id-table.ts'
import { eachMentioning, unitsOf } from './links.ts'
import { findList } from './postings.ts'
import { bestExactly, placesOfRecord, recordPlaceOf, type Scored } from './record-places.ts'
import { countKey, countTerm, eachInScope, type Node, type ScopeView } from './scope-view.ts'
import type { GraphStore } from './store.ts'

/** In how many records of the scope a term stands, by its hash. */
export function degreeOf(view: ScopeView, term: number): number {
  const list = findList(view.store.terms, term)
  return list < 0 ? 0 : countTerm(view, list)
}

/** Whether a record of the scope mentions or declares a key, by its hash. */
export function holdsKey(view: ScopeView, hash: number): boolean {
  const key = findList(view.store.keys, hash)
  if (key < 0) return false
  const { degree, isDeclared } = countKey(view, key)
  return degree > 0 || isDeclared
}

/** How many records of the scope declare a key, by its hash. */
export function countDeclaring(view: ScopeView, hash: number): number {
  const key = findList(view.store.keys, hash)
  let count = 0
  if (key < 0) return count
  eachInScope(view, view.store.keys, key, (posting) => {
    if ((posting & KEY_FLAG.declared) > 0) count += 1
  })
  return count
}

/** Entities of one name beyond which none of them is looked at. */
const NAMESAKES_MAX = 32

/** What an entity is to a scope; undefined for one that is not there. */
export function nodeOf(view: ScopeView, entityId: string): Node | undefined {
  const place = placeOfId(view.store.entityTable, entityId)
  return place === undefined ? undefined : entityNode(view, place)
}

/**
 * The entity that the scope declares under the name of one that is only mentioned, when it is the only one and may be
 * meant; any other entity stands for itself.
 */
export function standsFor(view: ScopeView, entityId: string): string {
  const { store } = view
  const place = placeOfId(store.entityTable, entityId)
  if (place === undefined || !isOnlyMentioned(store, place)) return entityId
  const key = findList(store.keys, store.entityAliases[place]!)
  const owners = key < 0 ? [] : ownersOf(store, key)
  if (owners.length > NAMESAKES_MAX) return entityId
  const known = owners.filter((owner) => entityNode(view, owner).degree > 0)
  const [only] = known
  if (only === undefined || known.length > 1) return entityId
  const isThing = (store.entityKinds[place]! & ENTITY_KIND.thing) > 0
  return isThing && isPerson(store, only) ? entityId : idAt(store.entityTable, only)!
}

/** Places that hold the entity, by how firmly; `masses` is all zero before and after. */
export function placesOf(view: ScopeView, scratch: Scratch, entityId: string, limit: number): Scored[] {
  const node = nodeOf(view, entityId)
  if (node === undefined) return []
  fitScratch(scratch, view.store.recordReach)
  const { masses } = scratch
  const { store } = view
  const places: number[] = []
  eachMentioning(view, node, (place, unitsMax) => {
    const record = recordPlaceOf(store, place)
    if (masses[record] === 0) places.push(record)
    masses[record]! += unitsMax
  })
  const best = bestExactly(store, places, masses, limit, (record) =>
    placesOfRecord(store, record).reduce((sum, place) => sum + unitsOf(view, place, node), 0),
  )
  for (const place of places) masses[place] = 0
  return best
}

/** How many records these places are of. */
export function countRecords(store: GraphStore, places: Uint32Array): number {
  if (store.passages.size === 0) return places.length
  return new Set(Array.from(places, (place) => recordPlaceOf(store, place))).size
}
