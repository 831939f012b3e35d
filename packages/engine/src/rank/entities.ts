import { MENTIONED_MARK } from '../mentions/type-of.ts'
import { addId, idAt, placeOfId, removeId } from './id-table.ts'
import { freeRun, RUN_WORDS_MAX, readRun, takeRun, withRoom } from './number-tables.ts'
import { appendPosting, closeList, eachStretch, filterList, findList, openList } from './postings.ts'
import { countKey, isLowerCaseBeyond } from './scope-counts.ts'
import type { KeyCounts, KeyState, Node, ScopeView } from './scope-view.ts'
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

/** One mention in units: divisible by every small number of owners. */
export const MENTION_UNITS = 5_040
const BARE_FACTOR = 0.5
/** A bare name in fewer records joins nothing. */
const BARE_DEGREE_MIN = 2
/** A key of more entities tells none of them apart, like the title "Untitled". */
const OWNERS_MAX = 64
/** A word written in lower case in more than this share of the records that capitalise it is no name. */
const LOWER_CASE_SHARE = 0.3

/**
 * Whether the scope knows an entity: a record in scope declares a key that is the entity's alone. A shared key says
 * nothing of who else owns it.
 */
function isKnown(view: ScopeView, entity: number): boolean {
  const known = view.knownEntities.get(entity)
  if (known !== undefined) return known
  const keys = Array.from(keysOf(view.store, entity))
  const alone = keys.filter((key) => view.store.keyOwners[key] !== MANY)
  const isDeclared = (alone.length > 0 ? alone : keys).some((key) => countKey(view, key).isDeclared)
  view.knownEntities.set(entity, isDeclared)
  return isDeclared
}

/** The entities that a declared key leads to in scope; none when they are too many, or people of one first name. */
function knownOwners(view: ScopeView, key: number): readonly number[] {
  const known = ownersKnown(view, key)
  const isWord = view.store.keyWords[key]! > 0
  return isWord && areNamesakes(view, known) ? [] : known
}

/** The entities that own a key in scope, people of one first name too; none when they are too many. */
export function ownersKnown(view: ScopeView, key: number): readonly number[] {
  const owners = ownersOf(view.store, key)
  return owners.length > OWNERS_MAX ? [] : owners.filter((owner) => isKnown(view, owner))
}

/** Several people: one word that leads to all of them is nobody's name. */
export function areNamesakes(view: ScopeView, entities: readonly number[]): boolean {
  return entities.length > 1 && entities.every((entity) => isPerson(view.store, entity))
}

/** How much a name tells that `degree` records of the scope hold. */
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

/** An entity as the scope knows it; without keys when the scope does not know it. */
export function entityNode(view: ScopeView, entity: number): Node {
  const known = view.entityNodes.get(entity)
  if (known !== undefined) return known
  const keys: number[] = []
  let degree = 0
  for (const key of keysOf(view.store, entity)) {
    const counts = countKey(view, key)
    if (!counts.isDeclared || !knownOwners(view, key).includes(entity)) continue
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

/** Whether records of the scope write a key as a name. */
function isBareName(view: ScopeView, key: number, { nameLike }: KeyCounts): boolean {
  return nameLike >= BARE_DEGREE_MIN && !isMostlyLowerCase(view, key, nameLike)
}

/** In how many records of the scope a name stands that no entity there owns; 0 for any other key. */
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
    // Nodes of one degree are alike, so that the order of their ids changes no sum.
    const nodes = knownOwners(view, key).map((owner) => entityNode(view, owner))
    nodes.sort((a, b) => a.degree - b.degree || (idOf(view, a) < idOf(view, b) ? -1 : 1))
    return nodes.length === 0 ? undefined : { nodes, units: Math.round(MENTION_UNITS / nodes.length) }
  }
  if (counts.degree > view.bareDegreeMax || !isBareName(view, key, counts)) return undefined
  return { nodes: [createNode(view, -1, [key], counts.degree)], units: MENTION_UNITS }
}

/** What a key stands for in the scope; undefined when for nothing. */
export function keyState(view: ScopeView, key: number): KeyState | undefined {
  // Most keys stand in one record and belong to nobody.
  const isOneHeld = view.given === undefined && view.store.keys.counts[key]! < BARE_DEGREE_MIN
  if (isOneHeld && view.store.keyOwners[key] === 0) return undefined
  const known = view.keyStates.get(key)
  if (known !== undefined || view.keyStates.has(key)) return known
  const state = readKey(view, key)
  view.keyStates.set(key, state)
  view.remembered += 1
  return state
}
