import type { Scratch, WordScores } from './bm25.ts'
import type { LinkedQuestion } from './linking.ts'
import { edgesOf, isLinkedTo, linksOf, scoredMentioning } from './links.ts'
import { withCapacity } from './number-tables.ts'
import { POSTING_SHIFT } from './postings.ts'
import { type Scored, topDocs } from './record-doc-ids.ts'
import type { Node, ScopeView } from './scope-view.ts'

/** Teleport vector of personalized PageRank, over nodes and document ordinals. */
interface TeleportVector {
  readonly nodes: ReadonlyMap<Node, number>
  readonly docIds: ReadonlyMap<number, number>
}

/** Share of the teleport vector for named entities. The rest goes to records found by words. */
const NAMED_SHARE = 0.7
/** Factor of a query term that is part of a linked name, because the name already contributes. */
const LINKED_TERM_SHARE = 0.5
/** Maximum number of records in the teleport vector. */
const TELEPORT_RECORDS_MAX = 50
/** Shares are integers in units of 1/2^32, so that up to a million of them are added exactly. */
const GRAIN = 2 ** 32

/** Distributes each term's idf over its records, in proportion to its saturation and their word scores. */
function distributeTerms(scratch: Scratch, words: WordScores, linked: LinkedQuestion): void {
  const { postings, scores, teleports, shares } = scratch
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
    const factor = (idf * (linked.named.has(position) ? LINKED_TERM_SHARE : 1)) / total
    for (let at = from; at < to; at += 1) teleports[postings[at]! >>> POSTING_SHIFT]! += factor * shares[at]!
  }
}

/** Computes the teleport vector from the named entities and, by term, the records with query terms. */
export function teleportVectorOf(
  view: ScopeView,
  scratch: Scratch,
  words: WordScores,
  linked: LinkedQuestion,
): TeleportVector {
  distributeTerms(scratch, words, linked)
  const best = topDocs(view.store, scratch.touched, words.touched, scratch.teleports, TELEPORT_RECORDS_MAX)
  let sum = 0
  for (const { score } of best) sum += score
  let idfSum = 0
  for (const [node, weight] of linked.nodes) idfSum += node.idf * weight
  const named = idfSum === 0 ? 0 : sum === 0 ? 1 : NAMED_SHARE * linked.certainty
  const nodes = new Map<Node, number>()
  for (const [node, weight] of linked.nodes) nodes.set(node, (named * node.idf * weight) / idfSum)
  const docIds = new Map<number, number>()
  for (const { docId, score } of best) docIds.set(docId, ((1 - named) * score) / sum)
  return { nodes, docIds }
}

/** Number of iterations. It must be even; see `runPageRank`. */
const STEPS = 4
/** Teleport probability, 1 minus the damping factor. */
const TELEPORT_SHARE = 0.2
/**
 * Minimum scores of records and of nodes that propagate. Smaller scores hardly change the order of the results, and the
 * limits bound the work of a step.
 */
const DOC_SCORE_MIN = 2e-3
const NODE_SCORE_MIN = 1e-4
/**
 * Minimum average score that a node passes to each of its records. With less it does not propagate, which bounds the
 * work of all steps.
 */
const SCORE_PER_RECORD_MIN = 1e-4
/**
 * Maximum number of records of a node that propagates to all of them. A node with more is a hub, which propagates only
 * if the question names it.
 */
const FAN_OUT_MAX = 256
/** Maximum number of records that a hub propagates to. */
const HUB_FAN_OUT_MAX = 100
/** Number of candidate records that are examined to find the records of a hub. */
const HUB_CANDIDATES = 200
/** Scores are integers in units of 1/2^48, so that sums do not depend on the order of addition. */
const SCORE_UNITS = 2 ** 48

/** Number of elements by which the node array grows. */
const NODES_GROWTH = 4_096

/** Scores of one step, by document ordinal and by node. The arrays are zero between two rankings. */
interface StepScores {
  readonly byDoc: Float64Array
  readonly docIds: number[]
  /** Scores by node index. The array is replaced by a longer one when nodes are created during the iteration. */
  byNode: Float64Array
  readonly nodes: Node[]
}

function addDoc(stepScores: StepScores, docId: number, units: number): void {
  if (stepScores.byDoc[docId] === 0) stepScores.docIds.push(docId)
  stepScores.byDoc[docId]! += units
}

function addNode(stepScores: StepScores, node: Node, units: number): void {
  if (node.at >= stepScores.byNode.length) stepScores.byNode = withCapacity(stepScores.byNode, node.at + NODES_GROWTH)
  if (stepScores.byNode[node.at] === 0) stepScores.nodes.push(node)
  stepScores.byNode[node.at]! += units
}

function addTeleport(stepScores: StepScores, teleport: TeleportVector, share: number): void {
  for (const [docId, part] of teleport.docIds) addDoc(stepScores, docId, Math.round(part * share * SCORE_UNITS))
  for (const [node, part] of teleport.nodes) addNode(stepScores, node, Math.round(part * share * SCORE_UNITS))
}

function clear(stepScores: StepScores): void {
  for (const docId of stepScores.docIds) stepScores.byDoc[docId] = 0
  for (const node of stepScores.nodes) stepScores.byNode[node.at] = 0
  stepScores.docIds.length = 0
  stepScores.nodes.length = 0
}

function spreadDoc(view: ScopeView, docId: number, units: number, next: StepScores): void {
  for (const { node, share } of linksOf(view, docId)) addNode(next, node, Math.round(units * share))
}

function spreadNode(view: ScopeView, node: Node, grains: number, next: StepScores): void {
  const { docIds, units, total } = edgesOf(view, node)
  for (let at = 0; at < docIds.length; at += 1) addDoc(next, docIds[at]!, Math.round((grains * units[at]!) / total))
}

/** Propagates a hub's score to its records that match the question's words, in proportion to their word scores. */
function spreadHub(reached: readonly Scored[], units: number, next: StepScores): void {
  let total = 0
  for (const { score } of reached) total += score
  for (const { docId, score } of reached) addDoc(next, docId, Math.round((units * score) / total))
}

/** Returns the hubs among the named nodes, each with its best records by word score. */
function findHubs(view: ScopeView, scratch: Scratch, teleport: TeleportVector): Map<Node, Scored[]> {
  const hubs = new Map<Node, Scored[]>()
  for (const node of teleport.nodes.keys()) {
    if (node.degree <= FAN_OUT_MAX) continue
    const docIds = [...scoredMentioning(view, node, scratch.scores)]
    const best = topDocs(view.store, docIds, docIds.length, scratch.scores, HUB_CANDIDATES)
    const records: Scored[] = []
    for (const found of best) {
      if (records.length === HUB_FAN_OUT_MAX) break
      if (isLinkedTo(view, found.docId, node)) records.push(found)
    }
    hubs.set(node, records)
  }
  return hubs
}

function step(
  view: ScopeView,
  hubs: ReadonlyMap<Node, Scored[]>,
  teleport: TeleportVector,
  current: StepScores,
  next: StepScores,
): void {
  addTeleport(next, teleport, TELEPORT_SHARE)
  const least = NODE_SCORE_MIN * SCORE_UNITS
  for (const docId of current.docIds) {
    const units = current.byDoc[docId]!
    if (units >= DOC_SCORE_MIN * SCORE_UNITS) spreadDoc(view, docId, units * (1 - TELEPORT_SHARE), next)
  }
  for (const node of current.nodes) {
    const units = current.byNode[node.at]!
    if (units < least) continue
    const isNamed = teleport.nodes.has(node)
    const onward = units * (1 - TELEPORT_SHARE)
    if (node.degree > FAN_OUT_MAX) {
      spreadHub(hubs.get(node) ?? [], onward, next)
    } else if (isNamed || units >= node.degree * SCORE_PER_RECORD_MIN * SCORE_UNITS)
      spreadNode(view, node, onward, next)
  }
  clear(current)
}

/** Runs personalized PageRank. Writes `graphScores` and returns their ordinals, for `clearPageRank`. */
export function runPageRank(view: ScopeView, scratch: Scratch, teleport: TeleportVector): readonly number[] {
  let current: StepScores = { byDoc: scratch.graphScores, docIds: [], byNode: scratch.nodeScores, nodes: [] }
  let next: StepScores = { byDoc: scratch.nextGraphScores, docIds: [], byNode: scratch.nextNodeScores, nodes: [] }
  const hubs = findHubs(view, scratch, teleport)
  addTeleport(current, teleport, 1)
  // The number of steps is even, so the result is in the first of the two alternating arrays.
  for (let count = 0; count < STEPS; count += 1) {
    step(view, hubs, teleport, current, next)
    const previous = current
    current = next
    next = previous
  }
  for (const node of current.nodes) current.byNode[node.at] = 0
  scratch.nodeScores = current.byNode
  scratch.nextNodeScores = next.byNode
  return current.docIds
}

/** Resets the scratch's `graphScores` to zero. */
export function clearPageRank(scratch: Scratch, docIds: readonly number[]): void {
  for (const docId of docIds) scratch.graphScores[docId] = 0
}
