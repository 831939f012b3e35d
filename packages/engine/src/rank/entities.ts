import { MENTION_ONLY_MARK } from '../mentions/type-of.ts'
import { addId, findOrdinal, idAt, removeId } from './id-table.ts'
import { allocateRun, freeRun, RUN_WORDS_MAX, readRun, withCapacity } from './number-tables.ts'
import { appendPosting, closeList, eachSegment, filterList, findList, openList } from './postings.ts'
import { countKey, isLowerCaseBeyond } from './scope-counts.ts'
import type { KeyCounts, KeyState, Node, ScopeView } from './scope-view.ts'
import { type GraphStore, getOrCreateKey } from './store.ts'

/**
 * An entity with its hashed keys, as the graph receives it. For an entity that is only mentioned, the first two numbers
 * are a MENTION_ONLY_MARK and the key of its name.
 */
export interface GraphEntity {
  id: string
  type: string
  keys: ArrayLike<number>
}

/** Value in `keyOwners` of a key that several entities own. */
export const MANY_OWNERS = 2 ** 32 - 1
const PERSON = 'person'
/** Bits of `entityKinds`. `mentioned`: no record declares the entity. `thing`: it is no person. */
export const ENTITY_KIND = { person: 1, mentioned: 2, thing: 4 } as const

/**
 * Returns the kind bits of an entity. For an entity that is only mentioned, also returns the key that a declared entity
 * with its name would have.
 */
function kindOf({ type, keys: { 0: mark = 0, 1: alias = 0 } }: GraphEntity): { kind: number; alias: number } {
  const person = type === PERSON ? ENTITY_KIND.person : 0
  if (mark === MENTION_ONLY_MARK.anything) return { kind: person | ENTITY_KIND.mentioned, alias }
  if (mark === MENTION_ONLY_MARK.thing) return { kind: person | ENTITY_KIND.mentioned | ENTITY_KIND.thing, alias }
  return { kind: person, alias: 0 }
}

function addOwner(store: GraphStore, key: number, entity: number): void {
  const owner = store.keyOwners[key]!
  if (owner === 0) {
    store.keyOwners[key] = entity + 1
    return
  }
  const list = openList(store.manyOwners, key)
  if (owner !== MANY_OWNERS) appendPosting(store.manyOwners, list, owner - 1)
  store.keyOwners[key] = MANY_OWNERS
  appendPosting(store.manyOwners, list, entity)
}

function removeOwner(store: GraphStore, key: number, entity: number): void {
  if (store.keyOwners[key] !== MANY_OWNERS) {
    store.keyOwners[key] = 0
    if (store.keys.counts[key] !== 0) return
    store.keyWords[key] = 0
    closeList(store.keys, key)
    return
  }
  const list = findList(store.manyOwners, key)
  filterList(store.manyOwners, list, (owner) => owner !== entity)
  if (store.manyOwners.counts[list]! > 1) return
  // A single owner is stored in `keyOwners` itself.
  store.keyOwners[key] = store.manyOwners.heads[list]! + 1
  closeList(store.manyOwners, list)
}

/** Returns the ordinals of the entities that own a key, ascending. */
export function ownersOf(store: GraphStore, key: number): readonly number[] {
  const owner = store.keyOwners[key] ?? 0
  if (owner === 0) return []
  if (owner !== MANY_OWNERS) return [owner - 1]
  const owners: number[] = []
  eachSegment(store.manyOwners, findList(store.manyOwners, key), (page, from, to) => {
    for (let at = from; at < to; at += 1) owners.push(page[at]!)
  })
  return owners.sort((one, other) => one - other)
}

/**
 * Adds an entity or replaces the one with the same id. A replaced entity keeps its ordinal and the keys that both
 * versions have. Removing and adding a key again would scan all its owners, which can be thousands.
 */
export function putEntity(store: GraphStore, entity: GraphEntity): void {
  const known = findOrdinal(store.entityTable, entity.id)
  const before = known === undefined ? NO_KEYS : keysOf(store, known)
  const ordinal = known ?? addId(store.entityTable, entity.id)
  store.entityKinds = withCapacity(store.entityKinds, ordinal + 1)
  store.entityAliases = withCapacity(store.entityAliases, ordinal + 1)
  store.entityKeys = withCapacity(store.entityKeys, ordinal + 1)
  const { kind, alias } = kindOf(entity)
  store.entityKinds[ordinal] = kind
  store.entityAliases[ordinal] = alias
  const own = Float64Array.from(entity.keys).subarray((kind & ENTITY_KIND.mentioned) === 0 ? 0 : 2)
  const hashes = own
    .sort()
    .filter((hash, at) => at === 0 || hash !== own[at - 1])
    .subarray(0, RUN_WORDS_MAX)
  const keys = Uint32Array.from(hashes, (hash) => getOrCreateKey(store, hash))
  const addedKeys = new Set(keys)
  for (const key of before) if (!addedKeys.delete(key)) removeOwner(store, key, ordinal)
  for (const key of addedKeys) addOwner(store, key, ordinal)
  if (known !== undefined) freeRun(store.runs, store.entityKeys[ordinal]!)
  const run = allocateRun(store.runs, keys.length)
  store.entityKeys[ordinal] = run.address
  run.page.set(keys, run.at)
  store.version += 1
  store.entitiesChanged = store.version
}

const NO_KEYS = new Uint32Array()

/** Removes an entity. Its records stay. */
export function removeEntity(store: GraphStore, id: string): void {
  const ordinal = removeId(store.entityTable, id)
  if (ordinal === undefined) return
  for (const key of keysOf(store, ordinal)) removeOwner(store, key, ordinal)
  freeRun(store.runs, store.entityKeys[ordinal]!)
  store.version += 1
  store.entitiesChanged = store.version
}

/** Returns the keys of an entity, ordered by hash. */
export function keysOf(store: GraphStore, entity: number): Uint32Array {
  const { page, at, length } = readRun(store.runs, store.entityKeys[entity]!)
  return page.slice(at, at + length)
}

export function isPerson(store: GraphStore, entity: number): boolean {
  return (store.entityKinds[entity]! & ENTITY_KIND.person) > 0
}

/** Returns true if texts mention the entity and no record declares it. */
export function isOnlyMentioned(store: GraphStore, entity: number): boolean {
  return (store.entityKinds[entity]! & ENTITY_KIND.mentioned) > 0
}

/** Number of units of one mention, 7!. It is divisible by 1 to 10, so it can be split equally among few owners. */
export const MENTION_UNITS = 5_040
/** Factor of a bare name, which no entity owns, in PageRank. */
const BARE_FACTOR = 0.5
/** Minimum number of records that a bare name links. */
const BARE_DEGREE_MIN = 2
/** Maximum number of owners of a key. A key with more, such as the title "Untitled", identifies none of them. */
const OWNERS_MAX = 64
/** A word is no name if more records have it in lower case than this share of those that write it like a name. */
const LOWER_CASE_SHARE = 0.3

/** Returns true if a record in scope declares the entity, by a key without other owners if it has such keys. */
function isEntityInScope(view: ScopeView, entity: number): boolean {
  const cached = view.knownEntities.get(entity)
  if (cached !== undefined) return cached
  const keys = Array.from(keysOf(view.store, entity))
  const exclusive = keys.filter((key) => view.store.keyOwners[key] !== MANY_OWNERS)
  const isDeclared = (exclusive.length > 0 ? exclusive : keys).some((key) => countKey(view, key).isDeclared)
  view.knownEntities.set(entity, isDeclared)
  return isDeclared
}

/**
 * Returns the entities in scope that a declared key identifies. Returns none if there are too many, or if the key is a
 * single word and all of them are people.
 */
function identifiedOwners(view: ScopeView, key: number): readonly number[] {
  const owners = ownersInScope(view, key)
  const isWord = view.store.keyWords[key]! > 0
  return isWord && areNamesakes(view, owners) ? [] : owners
}

/** Returns the entities in scope that own a key, also people by first name. None if there are too many. */
export function ownersInScope(view: ScopeView, key: number): readonly number[] {
  const owners = ownersOf(view.store, key)
  return owners.length > OWNERS_MAX ? [] : owners.filter((owner) => isEntityInScope(view, owner))
}

/** Returns true for several people. A single word that matches several of them identifies none. */
export function areNamesakes(view: ScopeView, entities: readonly number[]): boolean {
  return entities.length > 1 && entities.every((entity) => isPerson(view.store, entity))
}

/** Returns the inverse document frequency of a node that is linked to `degree` records of the scope. */
export function idfOf(view: ScopeView, degree: number): number {
  return Math.log(1 + view.records / (degree + 1))
}

function createNode(view: ScopeView, entity: number, keys: readonly number[], degree: number): Node {
  const idf = idfOf(view, degree)
  const factor = entity < 0 ? BARE_FACTOR : 1
  const node: Node = { at: view.nodes.length, entity, keys, degree, idf, factor, edges: undefined }
  view.nodes.push(node)
  return node
}

/** Returns the node of an entity in scope. The node has no keys if no record in scope declares the entity. */
export function entityNode(view: ScopeView, entity: number): Node {
  const cached = view.entityNodes.get(entity)
  if (cached !== undefined) return cached
  const keys: number[] = []
  let degree = 0
  for (const key of keysOf(view.store, entity)) {
    const counts = countKey(view, key)
    if (!counts.isDeclared || !identifiedOwners(view, key).includes(entity)) continue
    keys.push(key)
    degree += counts.degree
  }
  const node = createNode(view, entity, keys, degree)
  view.entityNodes.set(entity, node)
  return node
}

function isMostlyLowerCase(view: ScopeView, key: number, nameLike: number): boolean {
  const word = view.store.keyWords[key]!
  if (word < 2) return false
  return isLowerCaseBeyond(view, word - 2, LOWER_CASE_SHARE * nameLike)
}

/** Returns true if records of the scope write the key as a name. */
function isBareName(view: ScopeView, key: number, { nameLike }: KeyCounts): boolean {
  return nameLike >= BARE_DEGREE_MIN && !isMostlyLowerCase(view, key, nameLike)
}

/** Returns the number of records in scope with a bare name, which no entity in scope owns; 0 for any other key. */
export function bareNameDegree(view: ScopeView, key: number): number {
  const counts = countKey(view, key)
  const isOwned = counts.isDeclared && ownersOf(view.store, key).length > 0
  return !isOwned && isBareName(view, key, counts) ? counts.degree : 0
}

function idOf(view: ScopeView, node: Node): string {
  return idAt(view.store.entityTable, node.entity)!
}

function readKey(view: ScopeView, key: number): KeyState | undefined {
  const counts = countKey(view, key)
  if (counts.isDeclared && ownersOf(view.store, key).length > 0) {
    // Nodes with the same degree have the same weight, so the order of their ids changes no sum.
    const nodes = identifiedOwners(view, key).map((owner) => entityNode(view, owner))
    nodes.sort((a, b) => a.degree - b.degree || (idOf(view, a) < idOf(view, b) ? -1 : 1))
    return nodes.length === 0 ? undefined : { nodes, units: Math.round(MENTION_UNITS / nodes.length) }
  }
  if (counts.degree > view.bareDegreeMax || !isBareName(view, key, counts)) return undefined
  return { nodes: [createNode(view, -1, [key], counts.degree)], units: MENTION_UNITS }
}

/** Returns the nodes that a key refers to in the scope, or undefined if there are none. */
export function keyState(view: ScopeView, key: number): KeyState | undefined {
  // Most keys occur in one record and have no owner.
  const isSingleton = view.scopeCounts === undefined && view.store.keys.counts[key]! < BARE_DEGREE_MIN
  if (isSingleton && view.store.keyOwners[key] === 0) return undefined
  const cached = view.keyStates.get(key)
  if (cached !== undefined || view.keyStates.has(key)) return cached
  const state = readKey(view, key)
  view.keyStates.set(key, state)
  view.cachedItems += 1
  return state
}
