import { bestPlaces } from './best.ts'
import type { Scratch } from './bm25.ts'
import type { Restart } from './restart.ts'
import { edgesOf, linksOf, type Node, placesHolding, type ScopeView } from './scope-view.ts'

const STEPS = 4
const RESTART_SHARE = 0.2
/** Less mass than this is not spread: it could not change the order of what is shown. */
const MASS_MIN = 1e-4
/** A step that would give each record less than this on average is left out, which bounds the records of all steps. */
const MASS_EACH_MIN = 5e-5
/** Records of an entity that a step spreads to; one with more spreads only when the question names it. */
const FAN_OUT_MAX = 512
/** Mass is counted in whole grains of 2^-48, so that sums do not depend on their order. */
const GRAINS = 2 ** 48

/** Mass on its way: by record place in an array that is zero between two walks, by node in a map. */
interface Mass {
  readonly byPlace: Float64Array
  readonly places: number[]
  readonly nodes: Map<Node, number>
}

function addPlace(mass: Mass, place: number, grains: number): void {
  if (mass.byPlace[place] === 0) mass.places.push(place)
  mass.byPlace[place]! += grains
}

function addNode(mass: Mass, node: Node, grains: number): void {
  mass.nodes.set(node, (mass.nodes.get(node) ?? 0) + grains)
}

function addRestart(mass: Mass, restart: Restart, share: number): void {
  for (const [place, part] of restart.places) addPlace(mass, place, Math.round(part * share * GRAINS))
  for (const [node, part] of restart.nodes) addNode(mass, node, Math.round(part * share * GRAINS))
}

function clear(mass: Mass): void {
  for (const place of mass.places) mass.byPlace[place] = 0
  mass.places.length = 0
  mass.nodes.clear()
}

function spreadPlace(view: ScopeView, place: number, grains: number, next: Mass): void {
  const links = linksOf(view, place)
  let total = 0
  for (const { node, units } of links) total += Math.sqrt(units) * node.idf * node.factor
  for (const { node, units } of links) {
    addNode(next, node, Math.round((grains * Math.sqrt(units) * node.idf * node.factor) / total))
  }
}

function spreadNode(view: ScopeView, node: Node, grains: number, next: Mass): void {
  const { places, units, total } = edgesOf(view, node)
  for (let at = 0; at < places.length; at += 1) addPlace(next, places[at]!, Math.round((grains * units[at]!) / total))
}

/** A named entity with very many records spreads to those that the question's words reach, in proportion. */
function spreadHub(view: ScopeView, scratch: Scratch, node: Node, grains: number, next: Mass): void {
  const reached = placesHolding(view, node, scratch.scores)
  const best = bestPlaces(view.store, reached, reached.length, scratch.scores, FAN_OUT_MAX)
  let total = 0
  for (const { score } of best) total += score
  for (const { place, score } of best) addPlace(next, place, Math.round((grains * score) / total))
}

function step(view: ScopeView, scratch: Scratch, restart: Restart, mass: Mass, next: Mass): void {
  addRestart(next, restart, RESTART_SHARE)
  const least = MASS_MIN * GRAINS
  for (const place of mass.places) {
    const grains = mass.byPlace[place]!
    if (grains >= least) spreadPlace(view, place, grains * (1 - RESTART_SHARE), next)
  }
  for (const [node, grains] of mass.nodes) {
    if (grains < least) continue
    const isNamed = restart.nodes.has(node)
    const onward = grains * (1 - RESTART_SHARE)
    if (node.degree > FAN_OUT_MAX) {
      if (isNamed) spreadHub(view, scratch, node, onward, next)
    } else if (isNamed || grains >= node.degree * MASS_EACH_MIN * GRAINS) spreadNode(view, node, onward, next)
  }
  clear(mass)
}

/**
 * Personalised PageRank from the restart over records and what they share: the places reached, each with its mass in
 * the scratch's `masses`, which `clearWalk` empties.
 */
export function walk(view: ScopeView, scratch: Scratch, restart: Restart): readonly number[] {
  let mass: Mass = { byPlace: scratch.masses, places: [], nodes: new Map() }
  let next: Mass = { byPlace: scratch.nextMasses, places: [], nodes: new Map() }
  addRestart(mass, restart, 1)
  // An even number of steps ends in the array that it began with.
  for (let count = 0; count < STEPS; count += 1) {
    step(view, scratch, restart, mass, next)
    const done = mass
    mass = next
    next = done
  }
  return mass.places
}

/** Makes the scratch's masses all zero again. */
export function clearWalk(scratch: Scratch, places: readonly number[]): void {
  for (const place of places) scratch.masses[place] = 0
}
