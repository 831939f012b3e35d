import type { Scratch, WordScores } from './bm25.ts'
import type { Linked } from './linking.ts'
import { edgesOf, holds, linksOf, placesMentioning } from './links.ts'
import { withRoom } from './number-tables.ts'
import { POSTING_SHIFT } from './postings.ts'
import { bestPlaces, type Scored } from './record-places.ts'
import type { Node, ScopeView } from './scope-view.ts'

/** Where the walk starts and starts again. */
export interface Restart {
  readonly nodes: ReadonlyMap<Node, number>
  readonly places: ReadonlyMap<number, number>
}

/** Share of the restart that goes to what the question names, the rest going to what its words find. */
const NAMED_SHARE = 0.7
/** A word of a linked name is explained by it, so it has less to say about records. */
const LINKED_TERM_SHARE = 0.5
const PLACES_MAX = 50
/** Shares are counted in this unit's fractions, so that a million of them add up exactly. */
const GRAIN = 2 ** 32

function spendTerms(scratch: Scratch, words: WordScores, linked: Linked): void {
  const { postings, scores, restarts, shares } = scratch
  for (const { position, idf, from, to } of words.terms) {
    let total = 0
    for (let at = from; at < to; at += 1) {
      const strength = scores[postings[at]! >>> POSTING_SHIFT]! / words.best
      // The third power: how sharply a term prefers the records that the whole question prefers.
      const share = Math.round(shares[at]! * strength * strength * strength * GRAIN)
      shares[at] = share
      total += share
    }
    if (total === 0) continue
    const budget = (idf * (linked.named.has(position) ? LINKED_TERM_SHARE : 1)) / total
    for (let at = from; at < to; at += 1) restarts[postings[at]! >>> POSTING_SHIFT]! += budget * shares[at]!
  }
}

/** Spreads the restart over the named entities and, term by term, over the records that hold the question's words. */
export function restartOf(view: ScopeView, scratch: Scratch, words: WordScores, linked: Linked): Restart {
  spendTerms(scratch, words, linked)
  const best = bestPlaces(view.store, scratch.touched, words.touched, scratch.restarts, PLACES_MAX)
  let sum = 0
  for (const { score } of best) sum += score
  let idfSum = 0
  for (const [node, weight] of linked.nodes) idfSum += node.idf * weight
  const named = idfSum === 0 ? 0 : sum === 0 ? 1 : NAMED_SHARE * linked.certainty
  const nodes = new Map<Node, number>()
  for (const [node, weight] of linked.nodes) nodes.set(node, (named * node.idf * weight) / idfSum)
  const places = new Map<number, number>()
  for (const { place, score } of best) places.set(place, ((1 - named) * score) / sum)
  return { nodes, places }
}

const STEPS = 4
const RESTART_SHARE = 0.2
/** Less mass than this is not spread: it could not change the order of what is shown, and it bounds each step. */
const PLACE_MASS_MIN = 2e-3
const NODE_MASS_MIN = 1e-4
/** A step that would give each record less than this on average is left out, which bounds the records of all steps. */
const MASS_EACH_MIN = 1e-4
/** Records of an entity that a step spreads to; one with more spreads only when the question names it. */
const FAN_OUT_MAX = 256
/** Records that such an entity spreads to: twice what is reranked. */
const HUB_FAN_OUT_MAX = 100
/** Records that may hold it and are looked at to find those. */
const HUB_CANDIDATES = 200
/** Mass is counted in whole grains of 2^-48, so that sums do not depend on their order. */
const GRAINS = 2 ** 48

/** Nodes that room is made for when more are found. */
const NODES_AT_ONCE = 4_096

/** Mass on its way, by record place and by node; its arrays are zero between two walks. */
interface Mass {
  readonly byPlace: Float64Array
  readonly places: number[]
  /** Nodes are found while walking, so this array is replaced when they outgrow it. */
  byNode: Float64Array
  readonly nodes: Node[]
}

function addPlace(mass: Mass, place: number, grains: number): void {
  if (mass.byPlace[place] === 0) mass.places.push(place)
  mass.byPlace[place]! += grains
}

function addNode(mass: Mass, node: Node, grains: number): void {
  if (node.at >= mass.byNode.length) mass.byNode = withRoom(mass.byNode, node.at + NODES_AT_ONCE)
  if (mass.byNode[node.at] === 0) mass.nodes.push(node)
  mass.byNode[node.at]! += grains
}

function addRestart(mass: Mass, restart: Restart, share: number): void {
  for (const [place, part] of restart.places) addPlace(mass, place, Math.round(part * share * GRAINS))
  for (const [node, part] of restart.nodes) addNode(mass, node, Math.round(part * share * GRAINS))
}

function clear(mass: Mass): void {
  for (const place of mass.places) mass.byPlace[place] = 0
  for (const node of mass.nodes) mass.byNode[node.at] = 0
  mass.places.length = 0
  mass.nodes.length = 0
}

function spreadPlace(view: ScopeView, place: number, grains: number, next: Mass): void {
  for (const { node, share } of linksOf(view, place)) addNode(next, node, Math.round(grains * share))
}

function spreadNode(view: ScopeView, node: Node, grains: number, next: Mass): void {
  const { places, units, total } = edgesOf(view, node)
  for (let at = 0; at < places.length; at += 1) addPlace(next, places[at]!, Math.round((grains * units[at]!) / total))
}

/** A named entity with very many records spreads to those that the question's words reach, in proportion. */
function spreadHub(reached: readonly Scored[], grains: number, next: Mass): void {
  let total = 0
  for (const { score } of reached) total += score
  for (const { place, score } of reached) addPlace(next, place, Math.round((grains * score) / total))
}

/** Of each named entity with very many records, those that the question's words reach, the best few. */
function reachHubs(view: ScopeView, scratch: Scratch, restart: Restart): Map<Node, Scored[]> {
  const hubs = new Map<Node, Scored[]>()
  for (const node of restart.nodes.keys()) {
    if (node.degree <= FAN_OUT_MAX) continue
    const places = [...placesMentioning(view, node, scratch.scores)]
    const best = bestPlaces(view.store, places, places.length, scratch.scores, HUB_CANDIDATES)
    const held: Scored[] = []
    for (const found of best) {
      if (held.length === HUB_FAN_OUT_MAX) break
      if (holds(view, found.place, node)) held.push(found)
    }
    hubs.set(node, held)
  }
  return hubs
}

function step(view: ScopeView, hubs: ReadonlyMap<Node, Scored[]>, restart: Restart, mass: Mass, next: Mass): void {
  addRestart(next, restart, RESTART_SHARE)
  const least = NODE_MASS_MIN * GRAINS
  for (const place of mass.places) {
    const grains = mass.byPlace[place]!
    if (grains >= PLACE_MASS_MIN * GRAINS) spreadPlace(view, place, grains * (1 - RESTART_SHARE), next)
  }
  for (const node of mass.nodes) {
    const grains = mass.byNode[node.at]!
    if (grains < least) continue
    const isNamed = restart.nodes.has(node)
    const onward = grains * (1 - RESTART_SHARE)
    if (node.degree > FAN_OUT_MAX) {
      spreadHub(hubs.get(node) ?? [], onward, next)
    } else if (isNamed || grains >= node.degree * MASS_EACH_MIN * GRAINS) spreadNode(view, node, onward, next)
  }
  clear(mass)
}

/**
 * Personalised PageRank from the restart over records and what they share: the places reached, each with its mass in
 * the scratch's `masses`, which `clearWalk` empties.
 */
export function walk(view: ScopeView, scratch: Scratch, restart: Restart): readonly number[] {
  let mass: Mass = { byPlace: scratch.masses, places: [], byNode: scratch.nodeMasses, nodes: [] }
  let next: Mass = { byPlace: scratch.nextMasses, places: [], byNode: scratch.nextNodeMasses, nodes: [] }
  const hubs = reachHubs(view, scratch, restart)
  addRestart(mass, restart, 1)
  // An even number of steps ends in the array that it began with.
  for (let count = 0; count < STEPS; count += 1) {
    step(view, hubs, restart, mass, next)
    const done = mass
    mass = next
    next = done
  }
  for (const node of mass.nodes) mass.byNode[node.at] = 0
  scratch.nodeMasses = mass.byNode
  scratch.nextNodeMasses = next.byNode
  return mass.places
}

/** Makes the scratch's masses all zero again. */
export function clearWalk(scratch: Scratch, places: readonly number[]): void {
  for (const place of places) scratch.masses[place] = 0
}
