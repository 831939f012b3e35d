import { LOWER_CASE } from './analysis-reader.ts'
import { isPerson, keysOf, MANY, ownersOf } from './entities.ts'
import { idAt } from './id-table.ts'
import type { KeyState, Node } from './node.ts'
import { countKey, exceeds, type KeyCounts, type ScopeView } from './scope-view.ts'

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
  return exceeds(view, view.store.terms, word - 2, LOWER_CASE, LOWER_CASE_SHARE * nameLike)
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
  if (view.store.keys.counts[key]! < BARE_DEGREE_MIN && view.store.keyOwners[key] === 0) return undefined
  const known = view.keyStates.get(key)
  if (known !== undefined || view.keyStates.has(key)) return known
  const state = readKey(view, key)
  view.keyStates.set(key, state)
  view.remembered += 1
  return state
}
