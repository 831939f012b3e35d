import { ENTRY_KIND, KEY_FLAG } from '../text/analysis-codec.ts'
import { isOnlyMentioned, keyState, MENTION_UNITS } from './entities.ts'
import { sortLongestFirst, type WordSpan } from './linking.ts'
import { eachSegment, POSTING_SHIFT } from './postings.ts'
import { type Edges, eachInScope, type KeyState, type Link, type Node, type ScopeView } from './scope-view.ts'
import { COUNT_BITS, eachEntry } from './store.ts'

/** A candidate mention whose key refers to a node. */
interface NameCandidate extends WordSpan {
  readonly state: KeyState
}

/** Minimum number of words of an entity's name that counts inside a longer name without an owner. */
const NESTED_WORDS_MIN = 2

function isOwned({ nodes }: KeyState): boolean {
  return nodes[0]!.entity >= 0
}

/**
 * Number of mentions that a bare name at the beginning of a record counts for, because such a record is about it. An
 * article may precede the name.
 */
const LEADING_MENTIONS = 3

function isLeading({ state, at }: NameCandidate): boolean {
  return at <= 1 && !isOwned(state)
}

/** States of a word: in no name, in a name without an owner, in an entity's name. */
const WORD_STATE = { free: 0, bare: 1, owned: 2 } as const

/**
 * Resolves overlapping candidates: the longest wins. The full name of an entity also counts inside a longer bare name,
 * which can be a title or consist of two names. `candidates` are in order of position and end before the word `end`.
 */
function resolveOverlaps(candidates: readonly NameCandidate[], end: number): readonly NameCandidate[] {
  if (candidates.length < 2) return candidates
  const from = candidates[0]!.at
  const words = new Uint8Array(end - from)
  return sortLongestFirst(candidates).filter(({ state, at, length }) => {
    const own = words.subarray(at - from, at - from + length)
    const taken = Math.max(...own)
    const isFull = length >= NESTED_WORDS_MIN && isOwned(state)
    if (taken === WORD_STATE.owned || (taken === WORD_STATE.bare && !isFull)) return false
    own.fill(isOwned(state) ? WORD_STATE.owned : WORD_STATE.bare)
    return true
  })
}

/**
 * Returns the links of a record to nodes. If several entities share a mentioned name and one of them is the record's
 * own, all its mentions count for that one.
 */
export function linksOf(view: ScopeView, docId: number): readonly Link[] {
  const known = view.links.get(docId)
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
  let pending: NameCandidate[] = []
  let at = 0
  let pendingEnd = 0
  const flushPending = (): void => {
    for (const name of resolveOverlaps(pending, pendingEnd)) {
      if (isLeading(name)) own.add(name.state.nodes[0]!)
      addState(name.state, isLeading(name) ? LEADING_MENTIONS : 1)
    }
    pending = []
  }
  eachEntry(view.store, docId, (key, kind, distance, length) => {
    at += length > 0 ? distance : 0
    const state = keyState(view, key)
    if (state === undefined || (kind === ENTRY_KIND.joined && !isOwned(state))) return
    if (kind === ENTRY_KIND.own) for (const node of state.nodes) own.add(node)
    if (length === 0) return addState(state, distance)
    if (at >= pendingEnd) flushPending()
    pending.push({ state, at, length })
    pendingEnd = Math.max(pendingEnd, at + length)
  })
  flushPending()
  const result = [...links.values()]
  let total = 0
  for (const { node, units } of result) total += Math.sqrt(units) * node.idf * node.factor
  for (const link of result) link.share = (Math.sqrt(link.units) * link.node.idf * link.node.factor) / total
  view.links.set(docId, result)
  view.cachedItems += result.length + 1
  return result
}

/** Returns the store's scratch of units, large enough for every document ordinal. */
function unitScratch({ store }: ScopeView): Float64Array {
  if (store.unitSums.length < store.docIdLimit) store.unitSums = new Float64Array(store.docIdLimit * 1.25)
  return store.unitSums
}

/**
 * Sums the units of a node's mentions by document ordinal in the store's scratch, which is zero between calls. Adds the
 * ordinals to `docIds`, and those whose sum may be wrong because of overlaps to `contested`.
 */
function sumUnits(view: ScopeView, node: Node, docIds: number[], contested: number[]): void {
  const { unitSums } = view.store
  for (const key of node.keys) {
    const state = keyState(view, key)
    if (state === undefined) continue
    eachInScope(view, view.store.keys, key, (posting) => {
      const count = posting & COUNT_BITS
      if (count === 0) return
      const docId = posting >>> POSTING_SHIFT
      if (unitSums[docId] === 0) docIds.push(docId)
      unitSums[docId]! += count * state.units
      if ((posting & KEY_FLAG.contested) > 0 || state.nodes.length > 1) contested.push(docId)
    })
  }
}

/** Returns the records of a node with the strength of their links. */
export function edgesOf(view: ScopeView, node: Node): Edges {
  if (node.edges !== undefined) return node.edges
  const unitSums = unitScratch(view)
  const docIds: number[] = []
  const contested: number[] = []
  sumUnits(view, node, docIds, contested)
  for (const docId of contested) unitSums[docId] = unitsOf(view, docId, node) || -1
  const linked = docIds.filter((docId) => unitSums[docId]! > 0)
  const units = Float64Array.from(linked, (docId) => unitSums[docId]!)
  for (const docId of docIds) unitSums[docId] = 0
  let total = 0
  for (const value of units) total += value
  node.edges = { docIds: Uint32Array.from(linked), units, total }
  view.cachedItems += linked.length
  return node.edges
}

/** Returns the strength of a record's link to a node in units, or 0 if there is none. */
export function unitsOf(view: ScopeView, docId: number, node: Node): number {
  if (node.entity >= 0 && isOnlyMentioned(view.store, node.entity))
    return mentioningDocIds(view, node).has(docId) ? MENTION_UNITS : 0
  return linksOf(view, docId).find((link) => link.node === node)?.units ?? 0
}

/**
 * Returns the ordinals that mention an entity that no record declares. Such an entity has no links, so PageRank does
 * not spread through it.
 */
function mentioningDocIds(view: ScopeView, node: Node): ReadonlySet<number> {
  if (node.mentions === undefined) {
    const unitSums = unitScratch(view)
    const docIds: number[] = []
    sumUnits(view, node, docIds, [])
    for (const docId of docIds) unitSums[docId] = 0
    node.mentions = new Set(docIds)
    view.cachedItems += docIds.length
  }
  return node.mentions
}

export function isLinkedTo(view: ScopeView, docId: number, node: Node): boolean {
  return unitsOf(view, docId, node) > 0
}

/**
 * Calls `visit` once for each record that may be linked to a node, with an upper bound of the strength. It is a single
 * pass that caches nothing, for nodes with very many records. If mentions overlap, `unitsOf` gives the exact value.
 */
export function eachMentioning(view: ScopeView, node: Node, visit: (docId: number, unitsMax: number) => void): void {
  const sums = unitScratch(view)
  const docIds: number[] = []
  sumUnits(view, node, docIds, [])
  for (const docId of docIds) {
    const units = sums[docId]!
    sums[docId] = 0
    visit(docId, units)
  }
}

/** Returns true if a record in scope is linked to a node regardless of overlaps. If false, one may still be linked. */
export function isCertainlyLinked(view: ScopeView, node: Node): boolean {
  return node.keys.some((key) => {
    if (keyState(view, key)?.nodes.length !== 1) return false
    const { open, store } = view
    let isLinked = false
    eachSegment(store.keys, key, (page, from, to) => {
      for (let at = from; at < to && !isLinked; at += 1) {
        const posting = page[at]!
        const isCertain = (posting & COUNT_BITS) > 0 && (posting & KEY_FLAG.contested) === 0
        isLinked = isCertain && open[store.recordParts[posting >>> POSTING_SHIFT]!] === 1
      }
    })
    return isLinked
  })
}

/**
 * Returns the records that have a score and may be linked to a node, unordered. It is a single pass that caches
 * nothing, for nodes with very many records. Check the results with `isLinkedTo`, which excludes overlapped mentions.
 */
export function scoredMentioning(view: ScopeView, node: Node, scores: Float64Array): Set<number> {
  const docIds = new Set<number>()
  for (const key of node.keys) {
    eachInScope(view, view.store.keys, key, (posting) => {
      const docId = posting >>> POSTING_SHIFT
      if ((posting & COUNT_BITS) > 0 && scores[docId] !== 0) docIds.add(docId)
    })
  }
  return docIds
}
