import { MENTIONED_MARK } from '../mentions/type-of.ts'
import { addId, placeOfId, removeId } from './id-table.ts'
import { withRoom } from './key-index.ts'
import { appendPosting, closeList, eachStretch, filterList, findList, openList } from './postings.ts'
import { freeRun, RUN_WORDS_MAX, readRun, takeRun } from './runs.ts'
import { type GraphStore, openKey } from './store.ts'

/** An entity as the graph takes it: every key that leads to it, hashed; of one that is only mentioned, marked so. */
export interface GraphEntity {
  id: string
  type: string
  keys: ArrayLike<number>
}

/** In `keyOwners`: several entities own the key. */
export const MANY = 2 ** 32 - 1
const PERSON = 'person'
/** In `entityKinds`. */
export const ENTITY_KIND = { person: 1, mentioned: 2, thing: 4 } as const

/** What the graph knows an entity to be, and the key of the name under which one that is only mentioned is declared. */
function kindOf({ type, keys: { 0: mark = 0, 1: alias = 0 } }: GraphEntity): { kind: number; alias: number } {
  const person = type === PERSON ? ENTITY_KIND.person : 0
  if (mark === MENTIONED_MARK.anything) return { kind: person | ENTITY_KIND.mentioned, alias }
  if (mark === MENTIONED_MARK.thing) return { kind: person | ENTITY_KIND.mentioned | ENTITY_KIND.thing, alias }
  return { kind: person, alias: 0 }
}

function addOwner(store: GraphStore, key: number, entity: number): void {
  const owner = store.keyOwners[key]!
  if (owner === 0) {
    store.keyOwners[key] = entity + 1
    return
  }
  const list = openList(store.manyOwners, key)
  if (owner !== MANY) appendPosting(store.manyOwners, list, owner - 1)
  store.keyOwners[key] = MANY
  appendPosting(store.manyOwners, list, entity)
}

function removeOwner(store: GraphStore, key: number, entity: number): void {
  if (store.keyOwners[key] !== MANY) {
    store.keyOwners[key] = 0
    if (store.keys.counts[key] !== 0) return
    store.keyWords[key] = 0
    closeList(store.keys, key)
    return
  }
  const list = findList(store.manyOwners, key)
  filterList(store.manyOwners, list, (owner) => owner !== entity)
  if (store.manyOwners.counts[list]! > 1) return
  // A list of one stands in the table itself.
  store.keyOwners[key] = store.manyOwners.heads[list]! + 1
  closeList(store.manyOwners, list)
}

/** The places of the entities that own a key, in their order. */
export function ownersOf(store: GraphStore, key: number): readonly number[] {
  const owner = store.keyOwners[key] ?? 0
  if (owner === 0) return []
  if (owner !== MANY) return [owner - 1]
  const owners: number[] = []
  eachStretch(store.manyOwners, findList(store.manyOwners, key), (page, from, to) => {
    for (let at = from; at < to; at += 1) owners.push(page[at]!)
  })
  return owners.sort((one, other) => one - other)
}

/**
 * Adds an entity in place of any other of its id. Its place stays, and so do the keys that both have: thousands may own
 * one, and taking an owner out of so many looks at all of them.
 */
export function putEntity(store: GraphStore, entity: GraphEntity): void {
  const known = placeOfId(store.entityTable, entity.id)
  const before = known === undefined ? NO_KEYS : keysOf(store, known)
  const place = known ?? addId(store.entityTable, entity.id)
  store.entityKinds = withRoom(store.entityKinds, place + 1)
  store.entityAliases = withRoom(store.entityAliases, place + 1)
  store.entityKeys = withRoom(store.entityKeys, place + 1)
  const { kind, alias } = kindOf(entity)
  store.entityKinds[place] = kind
  store.entityAliases[place] = alias
  const own = Float64Array.from(entity.keys).subarray((kind & ENTITY_KIND.mentioned) === 0 ? 0 : 2)
  const hashes = own
    .sort()
    .filter((hash, at) => at === 0 || hash !== own[at - 1])
    .subarray(0, RUN_WORDS_MAX)
  const keys = Uint32Array.from(hashes, (hash) => openKey(store, hash))
  const kept = new Set(keys)
  for (const key of before) if (!kept.delete(key)) removeOwner(store, key, place)
  for (const key of kept) addOwner(store, key, place)
  if (known !== undefined) freeRun(store.runs, store.entityKeys[place]!)
  const run = takeRun(store.runs, keys.length)
  store.entityKeys[place] = run.address
  run.page.set(keys, run.at)
  store.version += 1
  store.entitiesChanged = store.version
}

const NO_KEYS = new Uint32Array()

/** Withdraws an entity; its records stay. */
export function removeEntity(store: GraphStore, id: string): void {
  const place = removeId(store.entityTable, id)
  if (place === undefined) return
  for (const key of keysOf(store, place)) removeOwner(store, key, place)
  freeRun(store.runs, store.entityKeys[place]!)
  store.version += 1
  store.entitiesChanged = store.version
}

/** The keys of an entity, in the order of their hashes. */
export function keysOf(store: GraphStore, entity: number): Uint32Array {
  const { page, at, length } = readRun(store.runs, store.entityKeys[entity]!)
  return page.slice(at, at + length)
}

/** Whether an entity is somebody. */
export function isPerson(store: GraphStore, entity: number): boolean {
  return (store.entityKinds[entity]! & ENTITY_KIND.person) > 0
}

/** Whether texts mention an entity and nothing declares it. */
export function isOnlyMentioned(store: GraphStore, entity: number): boolean {
  return (store.entityKinds[entity]! & ENTITY_KIND.mentioned) > 0
}
