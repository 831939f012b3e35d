import { ENTRY_KIND, KEY_FLAG } from '../analyser/analysis-codec.ts'
import { LOWER_CASE } from './analysis-reader.ts'
import { eachStretch, POSTING_SHIFT, type Postings } from './postings.ts'
import { COUNT_BITS, eachEntry, type GraphStore, keysOf, ownersOf } from './store.ts'

/** Which records a question may know of: those of the project, and those of no project from the sources; null is all. */
export interface Scope {
  projectId: string | null
  sourceIds: ReadonlySet<string> | null
}

/** Something that records share: an entity, or a name that no entity owns. */
export interface Node {
  /** Its position in the view's `nodes`. */
  readonly at: number
  /** Place of the entity, or -1. */
  readonly entity: number
  /** Keys of the node that count in the scope. */
  readonly keys: readonly number[]
  /** Records in scope that hold it. */
  readonly degree: number
  readonly idf: number
  /** How much a step to it weighs: an entity more than a bare name. */
  readonly factor: number
  edges: Edges | undefined
}

/** The records of a node with how firmly each holds it, in whole units so that sums do not depend on their order. */
export interface Edges {
  readonly places: Uint32Array
  readonly units: Float64Array
  readonly total: number
}

/** What a record holds. */
export interface Link {
  readonly node: Node
  /** Mentions and declarations. */
  units: number
  isOwn: boolean
  /** Share of a step from the record that goes this way; those of a record sum to 1. */
  share: number
}

interface KeyState {
  readonly nodes: readonly Node[]
  /** Units that one mention gives to each node. */
  readonly units: number
}

/** A graph as one scope sees it at one version; it remembers what it worked out. */
export interface ScopeView {
  readonly store: GraphStore
  readonly version: number
  /** By part: 1 when its records are in scope. */
  readonly open: Uint8Array
  readonly records: number
  readonly averageLength: number
  /** Greatest degree of a name that no entity owns. */
  readonly bareDegreeMax: number
  readonly nodes: Node[]
  readonly withdrawals: number
  readonly longCounts: Map<number, KeyCounts>
  readonly keyStates: Map<number, KeyState | undefined>
  readonly entityNodes: Map<number, Node>
  readonly links: Map<number, readonly Link[]>
  /** Things remembered, so that a view that grew large is dropped. */
  remembered: number
}

/** One mention in units: divisible by every small number of owners. */
export const MENTION_UNITS = 5_040
const BARE_FACTOR = 0.5
/** A bare name in fewer records joins nothing; in more than this share (or floor) of them it tells nothing apart. */
const BARE_DEGREE_MIN = 2
const BARE_DEGREE_SHARE = 0.02
const BARE_DEGREE_FLOOR = 3
/** Postings in a list that is worth remembering the counts of. */
const LONG_LIST_MIN = 256
/** A word written in lower case in more than this share of the records that capitalise it is no name. */
const LOWER_CASE_SHARE = 0.3

export function isEverything(scope: Scope | null): boolean {
  return scope === null || (scope.projectId === null && scope.sourceIds === null)
}

/** A view of the store as it is; what `before`, an older view of the same scope, counted and still holds is taken over. */
export function createView(store: GraphStore, scope: Scope | null, before?: ScopeView): ScopeView {
  const open = new Uint8Array(store.parts.length)
  let records = 0
  let length = 0
  for (const [place, part] of store.parts.entries()) {
    if (place === 0) continue
    const isOpen =
      scope === null ||
      isEverything(scope) ||
      (part.projectId === null
        ? part.sourceId !== null && scope.sourceIds?.has(part.sourceId) === true
        : part.projectId === scope.projectId)
    if (!isOpen) continue
    open[place] = 1
    records += part.records
    length += part.length
  }
  return {
    store,
    version: store.version,
    open,
    records,
    averageLength: records === 0 ? 1 : Math.max(1, length / records),
    bareDegreeMax: Math.max(BARE_DEGREE_FLOOR, BARE_DEGREE_SHARE * records),
    nodes: [],
    withdrawals: store.withdrawals,
    longCounts: before?.withdrawals === store.withdrawals ? before.longCounts : new Map(),
    keyStates: new Map(),
    entityNodes: new Map(),
    links: new Map(),
    remembered: 0,
  }
}

/** Whether a record's place is in scope. */
export function sees(view: ScopeView, place: number): boolean {
  return view.open[view.store.recordParts[place]!] === 1
}

/** Calls `visit` with each posting of a list that is in scope. */
export function eachInScope(view: ScopeView, postings: Postings, list: number, visit: (posting: number) => void): void {
  const { open, store } = view
  const parts = store.recordParts
  eachStretch(postings, list, (page, from, to) => {
    for (let at = from; at < to; at += 1) {
      const posting = page[at]!
      if (open[parts[posting >>> POSTING_SHIFT]!] === 1) visit(posting)
    }
  })
}

/** What a list of a key's postings says; a view keeps those of long lists for the next one, which counts what is new. */
export interface KeyCounts {
  /** Postings that were counted. */
  counted: number
  degree: number
  nameLike: number
  isDeclared: boolean
}

function countKey(view: ScopeView, key: number): KeyCounts {
  const { open, store } = view
  const length = store.keys.counts[key]!
  const known = view.longCounts.get(key)
  if (known?.counted === length) return known
  let degree = known?.degree ?? 0
  let nameLike = known?.nameLike ?? 0
  let isDeclared = known?.isDeclared ?? false
  const count = (page: Uint32Array, from: number, to: number): void => {
    for (let at = from; at < to; at += 1) {
      const posting = page[at]!
      if (open[store.recordParts[posting >>> POSTING_SHIFT]!] !== 1) continue
      if ((posting & COUNT_BITS) > 0) degree += 1
      if ((posting & KEY_FLAG.nameLike) > 0) nameLike += 1
      if ((posting & KEY_FLAG.declared) > 0) isDeclared = true
    }
  }
  eachStretch(store.keys, key, count, known?.counted ?? 0)
  const counts = { counted: length, degree, nameLike, isDeclared }
  if (length >= LONG_LIST_MIN) view.longCounts.set(key, counts)
  return counts
}

/** Several people of one first name: it is nobody's. */
function isSharedFirstName(view: ScopeView, key: number, owners: readonly number[]): boolean {
  const { store } = view
  return owners.length > 1 && store.keyWords[key]! > 0 && owners.every((owner) => store.entityIsPerson[owner] === 1)
}

function createNode(view: ScopeView, entity: number, keys: readonly number[], degree: number): Node {
  const idf = Math.log(1 + view.records / (degree + 1))
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
    if (!counts.isDeclared || isSharedFirstName(view, key, ownersOf(view.store, key))) continue
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
  let lowerCase = 0
  eachInScope(view, view.store.terms, word - 2, (posting) => {
    if ((posting & LOWER_CASE) > 0) lowerCase += 1
  })
  return lowerCase > LOWER_CASE_SHARE * nameLike
}

function readKey(view: ScopeView, key: number): KeyState | undefined {
  const { store } = view
  const counts = countKey(view, key)
  const owners = counts.isDeclared ? ownersOf(store, key) : []
  if (owners.length > 0) {
    if (isSharedFirstName(view, key, owners)) return undefined
    const byId = [...owners].sort((a, b) => (store.entityIds[a]! < store.entityIds[b]! ? -1 : 1))
    return { nodes: byId.map((owner) => entityNode(view, owner)), units: Math.round(MENTION_UNITS / owners.length) }
  }
  if (counts.nameLike < BARE_DEGREE_MIN || counts.degree > view.bareDegreeMax) return undefined
  if (isMostlyLowerCase(view, key, counts.nameLike)) return undefined
  return { nodes: [createNode(view, -1, [key], counts.degree)], units: MENTION_UNITS }
}

/** What a key stands for in the scope; undefined when for nothing. */
export function keyState(view: ScopeView, key: number): KeyState | undefined {
  const known = view.keyStates.get(key)
  if (known !== undefined || view.keyStates.has(key)) return known
  const state = readKey(view, key)
  view.keyStates.set(key, state)
  view.remembered += 1
  return state
}

/** What a record holds: of candidates that share words the first and longest that stands for something. */
export function linksOf(view: ScopeView, place: number): readonly Link[] {
  const known = view.links.get(place)
  if (known !== undefined) return known
  const links = new Map<Node, Link>()
  let at = 0
  let reached = 0
  eachEntry(view.store, place, (key, kind, distance, length) => {
    if (length > 0) {
      at += distance
      if (at < reached) return
    }
    const state = keyState(view, key)
    if (state === undefined) return
    if (length > 0) reached = at + length
    const times = length > 0 ? 1 : distance
    for (const node of state.nodes) {
      const link = links.get(node)
      if (link === undefined)
        links.set(node, { node, units: state.units * times, isOwn: kind === ENTRY_KIND.own, share: 0 })
      else {
        link.units += state.units * times
        link.isOwn ||= kind === ENTRY_KIND.own
      }
    }
  })
  const result = [...links.values()]
  let total = 0
  for (const { node, units } of result) total += Math.sqrt(units) * node.idf * node.factor
  for (const link of result) link.share = (Math.sqrt(link.units) * link.node.idf * link.node.factor) / total
  view.links.set(place, result)
  view.remembered += result.length + 1
  return result
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
      if ((posting & KEY_FLAG.contested) > 0) contested.push(place)
    })
  }
}

/** The records of a node. */
export function edgesOf(view: ScopeView, node: Node): Edges {
  if (node.edges !== undefined) return node.edges
  const { store } = view
  if (store.unitSums.length < store.recordReach) store.unitSums = new Float64Array(store.recordReach * 1.25)
  const { unitSums } = store
  const places: number[] = []
  const contested: number[] = []
  sumUnits(view, node, places, contested)
  for (const place of contested) unitSums[place] = linksOf(view, place).find((link) => link.node === node)?.units ?? -1
  const held = places.filter((place) => unitSums[place]! > 0)
  const units = Float64Array.from(held, (place) => unitSums[place]!)
  for (const place of places) unitSums[place] = 0
  let total = 0
  for (const value of units) total += value
  node.edges = { places: Uint32Array.from(held), units, total }
  view.remembered += held.length
  return node.edges
}

/** The records of a node that have a score, in no order: one pass that keeps nothing, for nodes of very many records. */
export function placesHolding(view: ScopeView, node: Node, scores: Float64Array): number[] {
  const held = new Set<number>()
  for (const key of node.keys) {
    eachInScope(view, view.store.keys, key, (posting) => {
      const place = posting >>> POSTING_SHIFT
      if ((posting & COUNT_BITS) === 0 || scores[place] === 0) return
      if ((posting & KEY_FLAG.contested) === 0 || linksOf(view, place).some((link) => link.node === node))
        held.add(place)
    })
  }
  return [...held]
}
