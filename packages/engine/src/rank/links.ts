import { ENTRY_KIND, KEY_FLAG } from '../text/analysis-codec.ts'
import { isOnlyMentioned, keyState, MENTION_UNITS } from './entities.ts'
import { longestFirst, type WordSpan } from './linking.ts'
import { eachStretch, POSTING_SHIFT } from './postings.ts'
import { type Edges, eachInScope, type KeyState, type Link, type Node, type ScopeView } from './scope-view.ts'
import { COUNT_BITS, eachEntry } from './store.ts'

/** A candidate mention whose key stands for something. */
interface NameCandidate extends WordSpan {
  readonly state: KeyState
}

/** Words that an entity's name has at least to count inside a longer name that no entity owns. */
const NESTED_WORDS_MIN = 2

function isOwned({ nodes }: KeyState): boolean {
  return nodes[0]!.entity >= 0
}

/** What a name counts that no entity owns and that a record begins with, after an article at most: it is about that. */
const LEADING_MENTIONS = 3

function leads({ state, at }: NameCandidate): boolean {
  return at <= 1 && !isOwned(state)
}

/** What a word is read as part of: no name, one that no entity owns, an entity's. */
const READ = { free: 0, bare: 1, owned: 2 } as const

/**
 * Of candidates that share words the longest, and inside one that no entity owns the full names of entities too: it may
 * be a title with a name, or two names. They stand before the word `end`.
 */
function readNames(candidates: readonly NameCandidate[], end: number): readonly NameCandidate[] {
  if (candidates.length < 2) return candidates
  const from = candidates[0]!.at
  const words = new Uint8Array(end - from)
  return longestFirst(candidates).filter(({ state, at, length }) => {
    const own = words.subarray(at - from, at - from + length)
    const taken = Math.max(...own)
    const isFull = length >= NESTED_WORDS_MIN && isOwned(state)
    if (taken === READ.owned || (taken === READ.bare && !isFull)) return false
    own.fill(isOwned(state) ? READ.owned : READ.bare)
    return true
  })
}

/** What a record holds; a name that several entities have, one of them the record's own, is that one's there. */
export function linksOf(view: ScopeView, place: number): readonly Link[] {
  const known = view.links.get(place)
  if (known !== undefined) return known
  const links = new Map<Node, Link>()
  const own = new Set<Node>()
  const add = (node: Node, units: number): void => {
    const link = links.get(node)
    if (link === undefined) links.set(node, { node, units, isOwn: own.has(node), share: 0 })
    else link.units += units
  }
  const addState = ({ nodes, units }: KeyState, times: number): void => {
    const ownNode = nodes.length > 1 ? nodes.find((node) => own.has(node)) : undefined
    if (ownNode !== undefined) add(ownNode, MENTION_UNITS * times)
    else for (const node of nodes) add(node, units * times)
  }
  let together: NameCandidate[] = []
  let at = 0
  let reached = 0
  const readTogether = (): void => {
    for (const name of readNames(together, reached)) {
      if (leads(name)) own.add(name.state.nodes[0]!)
      addState(name.state, leads(name) ? LEADING_MENTIONS : 1)
    }
    together = []
  }
  eachEntry(view.store, place, (key, kind, distance, length) => {
    at += length > 0 ? distance : 0
    const state = keyState(view, key)
    if (state === undefined || (kind === ENTRY_KIND.joined && !isOwned(state))) return
    if (kind === ENTRY_KIND.own) for (const node of state.nodes) own.add(node)
    if (length === 0) return addState(state, distance)
    if (at >= reached) readTogether()
    together.push({ state, at, length })
    reached = Math.max(reached, at + length)
  })
  readTogether()
  const result = [...links.values()]
  let total = 0
  for (const { node, units } of result) total += Math.sqrt(units) * node.idf * node.factor
  for (const link of result) link.share = (Math.sqrt(link.units) * link.node.idf * link.node.factor) / total
  view.links.set(place, result)
  view.remembered += result.length + 1
  return result
}

/** The store's scratch of units by place, with room for every place. */
function roomForUnits({ store }: ScopeView): Float64Array {
  if (store.unitSums.length < store.recordReach) store.unitSums = new Float64Array(store.recordReach * 1.25)
  return store.unitSums
}

/** Sums units by place in the store's scratch, where every place is zero between two calls. */
function sumUnits(view: ScopeView, node: Node, places: number[], contested: number[]): void {
  const { unitSums } = view.store
  for (const key of node.keys) {
    const state = keyState(view, key)
    if (state === undefined) continue
    eachInScope(view, view.store.keys, key, (posting) => {
      const count = posting & COUNT_BITS
      if (count === 0) return
      const place = posting >>> POSTING_SHIFT
      if (unitSums[place] === 0) places.push(place)
      unitSums[place]! += count * state.units
      if ((posting & KEY_FLAG.contested) > 0 || state.nodes.length > 1) contested.push(place)
    })
  }
}

/** The records of a node. */
export function edgesOf(view: ScopeView, node: Node): Edges {
  if (node.edges !== undefined) return node.edges
  const unitSums = roomForUnits(view)
  const places: number[] = []
  const contested: number[] = []
  sumUnits(view, node, places, contested)
  for (const place of contested) unitSums[place] = unitsOf(view, place, node) || -1
  const held = places.filter((place) => unitSums[place]! > 0)
  const units = Float64Array.from(held, (place) => unitSums[place]!)
  for (const place of places) unitSums[place] = 0
  let total = 0
  for (const value of units) total += value
  node.edges = { places: Uint32Array.from(held), units, total }
  view.remembered += held.length
  return node.edges
}

/** How firmly a record holds a node, in units; 0 when it does not. */
export function unitsOf(view: ScopeView, place: number, node: Node): number {
  if (node.entity >= 0 && isOnlyMentioned(view.store, node.entity))
    return heldBy(view, node).has(place) ? MENTION_UNITS : 0
  return linksOf(view, place).find((link) => link.node === node)?.units ?? 0
}

/** Where an entity is mentioned that nothing declares: no links, so that nothing is found by way of them. */
function heldBy(view: ScopeView, node: Node): ReadonlySet<number> {
  if (node.mentions === undefined) {
    const unitSums = roomForUnits(view)
    const places: number[] = []
    sumUnits(view, node, places, [])
    for (const place of places) unitSums[place] = 0
    node.mentions = new Set(places)
    view.remembered += places.length
  }
  return node.mentions
}

/** Whether a record holds a node. */
export function holds(view: ScopeView, place: number, node: Node): boolean {
  return unitsOf(view, place, node) > 0
}

/**
 * Calls `visit` once with each record that may hold a node and at most how firmly: one pass that keeps nothing, for
 * nodes of very many records. Where candidates share words, `unitsOf` decides.
 */
export function eachMentioning(view: ScopeView, node: Node, visit: (place: number, unitsMax: number) => void): void {
  const sums = roomForUnits(view)
  const places: number[] = []
  sumUnits(view, node, places, [])
  for (const place of places) {
    const units = sums[place]!
    sums[place] = 0
    visit(place, units)
  }
}

/** Whether a record in scope holds a node for certain; where this says no, names that share words may still hold it. */
export function isSurelyHeld(view: ScopeView, node: Node): boolean {
  return node.keys.some((key) => {
    if (keyState(view, key)?.nodes.length !== 1) return false
    const { open, store } = view
    let isHeld = false
    eachStretch(store.keys, key, (page, from, to) => {
      for (let at = from; at < to && !isHeld; at += 1) {
        const posting = page[at]!
        const isCertain = (posting & COUNT_BITS) > 0 && (posting & KEY_FLAG.contested) === 0
        isHeld = isCertain && open[store.recordParts[posting >>> POSTING_SHIFT]!] === 1
      }
    })
    return isHeld
  })
}

/**
 * The records that may hold a node and have a score, in no order: one pass that keeps nothing, for nodes of very many
 * records. Where candidates share words, `holds` decides.
 */
export function placesMentioning(view: ScopeView, node: Node, scores: Float64Array): Set<number> {
  const places = new Set<number>()
  for (const key of node.keys) {
    eachInScope(view, view.store.keys, key, (posting) => {
      const place = posting >>> POSTING_SHIFT
      if ((posting & COUNT_BITS) > 0 && scores[place] !== 0) places.add(place)
    })
  }
  return places
}
