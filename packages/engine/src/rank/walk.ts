import type { Scratch, WordScores } from './bm25.ts'
import type { Linked } from './linking.ts'
import { edgesOf, holds, linksOf, placesMentioning } from './links.ts'
import { withRoom } from './number-tables.ts'
import { POSTING_SHIFT } from './postings.ts'
import { bestPlaces, type Scored } from './record-places.ts'
import type { Node, ScopeView } from './scope-view.ts'

/** Teleport vector of personalized PageRank, over nodes and document ordinals. */
export interface Restart {
  readonly nodes: ReadonlyMap<Node, number>
  readonly places: ReadonlyMap<number, number>
}

/** Share of the teleport vector for named entities. The rest goes to records found by words. */
const NAMED_SHARE = 0.7
/** Factor of a query term that belongs to a linked name. The name explains it already. */
const LINKED_TERM_SHARE = 0.5
const PLACES_MAX = 50
/** Shares are whole multiples of 1/GRAIN, so that a million of them add up exactly. */
const GRAIN = 2 ** 32

function spendTerms(scratch: Scratch, words: WordScores, linked: Linked): void {
  const { postings, scores, restarts, shares } = scratch
  for (const { position, idf, from, to } of words.terms) {
    let total = 0
    for (let at = from; at < to; at += 1) {
      const strength = scores[postings[at]! >>> POSTING_SHIFT]! / words.best
      // The third power makes a term prefer the records that match the whole question.
      const share = Math.round(shares[at]! * strength * strength * strength * GRAIN)
      shares[at] = share
      total += share
    }
    if (total === 0) continue
    const budget = (idf * (linked.named.has(position) ? LINKED_TERM_SHARE : 1)) / total
    for (let at = from; at < to; at += 1) restarts[postings[at]! >>> POSTING_SHIFT]! += budget * shares[at]!
  }
}

/**
 * Computes the teleport vector. It covers the named entities and, term by term, the records that contain the query
 * terms.
 */
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
/**
 * Smaller scores are not propagated. They could not change the order of shown results, and the limit bounds each step.
 */
const PLACE_MASS_MIN = 2e-3
const NODE_MASS_MIN = 1e-4
/**
 * A node does not propagate if each of its records would get less than this on average. That bounds the records of all
 * steps.
 */
const MASS_EACH_MIN = 1e-4
/**
 * Maximum number of records of a node that propagates to all of them. A larger node propagates only if the question
 * names it.
 */
const FAN_OUT_MAX = 256
/** Maximum number of records that such a hub propagates to: twice the number that is reranked. */
const HUB_FAN_OUT_MAX = 100
/** Number of candidate records that are examined to find those. */
const HUB_CANDIDATES = 200
/** Scores are whole multiples of 2^-48, so that sums do not depend on the order. */
const GRAINS = 2 ** 48

/** Growth of the node array when more nodes are found, in elements. */
const NODES_AT_ONCE = 4_096

/** Scores of one step, by document ordinal and by node. The arrays are zero between two rankings. */
interface Mass {
  readonly byPlace: Float64Array
  readonly places: number[]
  /** Nodes are created during the iteration, so this array is replaced when it is too short. */
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

/**
 * Propagates a hub's score to those of its records that match the question's words, in proportion to their word scores.
 */
function spreadHub(reached: readonly Scored[], grains: number, next: Mass): void {
  let total = 0
  for (const { score } of reached) total += score
  for (const { place, score } of reached) addPlace(next, place, Math.round((grains * score) / total))
}

/** Returns the hubs among the named nodes, each with its best records by word score. */
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
 * Runs personalized PageRank from the teleport vector over records and nodes. Returns the ordinals with a score. The
 * scores are in the scratch's `masses`, which `clearWalk` resets.
 */
export function walk(view: ScopeView, scratch: Scratch, restart: Restart): readonly number[] {
  let mass: Mass = { byPlace: scratch.masses, places: [], byNode: scratch.nodeMasses, nodes: [] }
  let next: Mass = { byPlace: scratch.nextMasses, places: [], byNode: scratch.nextNodeMasses, nodes: [] }
  const hubs = reachHubs(view, scratch, restart)
  addRestart(mass, restart, 1)
  // The number of steps is even, so that the result is in the first array.
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

/** Resets the scratch's `masses` to zero. */
export function clearWalk(scratch: Scratch, places: readonly number[]): void {
  for (const place of places) scratch.masses[place] = 0
}
