import type { QuestionTimes } from '../understand/find-times.ts'
import { isWithin } from '../understand/time-span.ts'
import { growScratch, type Scratch } from './bm25.ts'
import { linksOf } from './links.ts'
import { onePerRecord, recordDocId, type Scored, topDocs } from './record-doc-ids.ts'
import { isInScope, type Node, type ScopeView } from './scope-view.ts'
import { demoteCopies } from './signals/copies.ts'

/** Maximum number of records that are examined, latest first. */
const EXAMINED_MAX = 500
/** Offset that makes every time of a Date positive, because scores must be positive. */
const EPOCH_SHIFT = 8.64e15 + 1
/** Factor of a node's weight after each selected record with the node, so that the next record covers another topic. */
const REPEATED_NODE_FACTOR = 0.5
/** Weights are integers in units of 1/2^20, so that sums do not depend on the order of addition. */
const WEIGHT_UNITS = 2 ** 20

/**
 * Ranks the records of some time ranges for a question that has no other topic. Prefers records with entities that many
 * of these records share and that are rare elsewhere. Each selected record lowers the weight of its entities. Records
 * that share nothing come last, latest first.
 */
export function rankTimes(view: ScopeView, scratch: Scratch, { ranges }: QuestionTimes, limit: number): Scored[] {
  const { store } = view
  growScratch(scratch, store.docIdLimit)
  const docIds: number[] = []
  for (let docId = 0; docId < store.docIdLimit; docId += 1) {
    const atMs = store.recordTimes[docId]!
    if (ranges.some((range) => isWithin(atMs, range)) && isInScope(view, docId)) docIds.push(docId)
  }
  const newest = latest(view, scratch, docIds)
  const found = cover(view, newest, weightsOf(view, newest), limit)
  return demoteCopies(view, scratch, onePerRecord(store, found)).slice(0, limit)
}

function latest({ store }: ScopeView, { graphScores }: Scratch, docIds: readonly number[]): number[] {
  for (const docId of docIds) graphScores[docId] = store.recordTimes[docId]! + EPOCH_SHIFT
  const found = topDocs(store, docIds, docIds.length, graphScores, EXAMINED_MAX)
  for (const docId of docIds) graphScores[docId] = 0
  return found.map(({ docId }) => docId)
}

/** Returns the weight of each node that several of the records share. */
function weightsOf(view: ScopeView, docIds: readonly number[]): Map<Node, number> {
  const holders = new Map<Node, Set<number>>()
  for (const docId of docIds) {
    for (const { node } of linksOf(view, docId)) {
      const records = holders.get(node) ?? new Set()
      holders.set(node, records.add(recordDocId(view.store, docId)))
    }
  }
  const weights = new Map<Node, number>()
  for (const [node, { size }] of holders)
    weights.set(node, Math.round(node.idf * node.factor * Math.log2(size) * WEIGHT_UNITS))
  return weights
}

/** Selects documents by greedy weighted coverage of nodes. A selection reduces the weights of its nodes. */
function cover(view: ScopeView, docIds: readonly number[], weights: Map<Node, number>, limit: number): Scored[] {
  const left = new Set(docIds)
  const selected: Scored[] = []
  const records = new Set<number>()
  while (left.size > 0 && records.size < limit) {
    let best: Scored = { docId: -1, score: -1 }
    for (const docId of left) {
      let score = 0
      for (const { node } of linksOf(view, docId)) score += weights.get(node)!
      if (score > best.score) best = { docId, score }
    }
    left.delete(best.docId)
    selected.push(best)
    records.add(recordDocId(view.store, best.docId))
    for (const { node } of linksOf(view, best.docId)) {
      weights.set(node, Math.round(weights.get(node)! * REPEATED_NODE_FACTOR))
    }
  }
  return selected
}
