import { withRoom } from './key-index.ts'
import { closeList } from './postings.ts'
import { freeRun, RUN_WORDS_MAX, readRun, takeRun } from './runs.ts'
import { type GraphStore, openKey } from './store.ts'

/** An entity as the graph takes it: every key that leads to it, hashed. */
export interface GraphEntity {
  id: string
  type: string
  keys: number[]
}

/** In `keyOwners`: several entities own the key. */
export const MANY = 2 ** 32 - 1
const PERSON = 'person'

function addOwner(store: GraphStore, key: number, entity: number): void {
  const owner = store.keyOwners[key]!
  if (owner === 0) store.keyOwners[key] = entity + 1
  else if (owner === MANY) store.manyOwners.get(key)!.push(entity)
  else {
    store.keyOwners[key] = MANY
    store.manyOwners.set(key, [owner - 1, entity])
  }
}

function removeOwner(store: GraphStore, key: number, entity: number): void {
  if (store.keyOwners[key] !== MANY) {
    store.keyOwners[key] = 0
    if (store.keys.counts[key] !== 0) return
    store.keyWords[key] = 0
    closeList(store.keys, key)
    return
  }
  const left = store.manyOwners.get(key)!.filter((owner) => owner !== entity)
  if (left.length > 1) store.manyOwners.set(key, left)
  else {
    store.manyOwners.delete(key)
    store.keyOwners[key] = left[0]! + 1
  }
}

/** The places of the entities that own a key. */
export function ownersOf(store: GraphStore, key: number): readonly number[] {
  const owner = store.keyOwners[key] ?? 0
  if (owner === 0) return []
  return owner === MANY ? store.manyOwners.get(key)! : [owner - 1]
}

/** Adds an entity in place of any other of its id. */
export function putEntity(store: GraphStore, entity: GraphEntity): void {
  removeEntity(store, entity.id)
  const place = store.freeEntities.pop() ?? store.entityIds.length
  store.entityIsPerson = withRoom(store.entityIsPerson, place + 1)
  store.entityKeys = withRoom(store.entityKeys, place + 1)
  store.entityIds[place] = entity.id
  store.entityIsPerson[place] = entity.type === PERSON ? 1 : 0
  const hashes = [...new Set(entity.keys)].sort((a, b) => a - b).slice(0, RUN_WORDS_MAX)
  const run = takeRun(store.runs, hashes.length)
  store.entityKeys[place] = run.address
  for (const [position, hash] of hashes.entries()) {
    const key = openKey(store, hash)
    run.page[run.at + position] = key
    addOwner(store, key, place)
  }
  store.entityPlaces.set(entity.id, place)
  store.version += 1
  store.entitiesChanged = store.version
}

/** Withdraws an entity; its records stay. */
export function removeEntity(store: GraphStore, id: string): void {
  const place = store.entityPlaces.get(id)
  if (place === undefined) return
  for (const key of keysOf(store, place)) removeOwner(store, key, place)
  freeRun(store.runs, store.entityKeys[place]!)
  store.entityIds[place] = ''
  store.entityPlaces.delete(id)
  store.freeEntities.push(place)
  store.version += 1
  store.entitiesChanged = store.version
}

/** The keys of an entity, in the order of their hashes. */
export function keysOf(store: GraphStore, entity: number): Uint32Array {
  const { page, at, length } = readRun(store.runs, store.entityKeys[entity]!)
  return page.slice(at, at + length)
}
