import type { Question } from '../understand/analyse-question.ts'
import type { Scratch } from './bm25.ts'
import { entityNode } from './entities.ts'
import { findOrdinal } from './id-table.ts'
import type { LinkedQuestion } from './linking.ts'
import { eachMentioning, isLinkedTo } from './links.ts'
import { type RankedPassage, rankDocuments } from './rank-documents.ts'
import { byScore, docIdsOfRecord, findRecord, recordDocId, type Scored, topDocsExactly } from './record-doc-ids.ts'
import { isInScope, type Node, type ScopeView } from './scope-view.ts'

/** Ranked records of each pinned tuple of record and entity ids. */
interface PinnedRanking {
  lists: (Scored & { passages?: readonly RankedPassage[] })[][]
  linked: LinkedQuestion
}

/** Number of ranked records whose relevance to the question orders pinned records. Tie-breakers order the others. */
const QUESTION_RANKED_MAX = 1_000
/**
 * Maximum contribution of the relevance to a score. It is below 1, the contribution of a matching id, so the number of
 * matching ids decides first.
 */
const RELEVANCE_MAX = 0.9
/** Relevance of a record that contains the pinned ids but does not match the question. */
const LEAST_RELEVANCE = 1e-3

/** Records and entities that a pinned tuple names. The entities' records are used only if it names no record. */
interface Pins {
  readonly records: ReadonlySet<number>
  readonly nodes: readonly Node[]
}

function pinsOf(view: ScopeView, tuple: readonly string[]): Pins {
  const { entityTable } = view.store
  const records = new Set<number>()
  const nodes: Node[] = []
  for (const id of new Set(tuple)) {
    const record = findRecord(view.store, id)
    const entity = findOrdinal(entityTable, id)
    if (record !== undefined && isInScope(view, record)) records.add(record)
    if (entity !== undefined) nodes.push(entityNode(view, entity))
  }
  return { records, nodes }
}

/**
 * Returns the ordinals in scope that may be linked to a node. Writes an upper bound of the number of linked nodes to
 * `graphScores` of the scratch.
 */
function countLinked(view: ScopeView, { graphScores }: Scratch, nodes: readonly Node[]): number[] {
  const docIds: number[] = []
  for (const node of nodes) {
    // A record counts once, however many of its passages name the entity.
    const counted = new Set<number>()
    eachMentioning(view, node, (docId) => {
      const record = recordDocId(view.store, docId)
      if (view.store.passages.has(record)) {
        if (counted.has(record)) return
        counted.add(record)
      }
      if (graphScores[record] === 0) docIds.push(record)
      graphScores[record]! += 1
    })
  }
  return docIds
}

function scoreLinked(
  view: ScopeView,
  scratch: Scratch,
  { records, nodes }: Pins,
  relevance: ReadonlyMap<number, number>,
  limit: number,
): Scored[] {
  const { store } = view
  const countLinkedNodes = (docId: number): number =>
    nodes.filter((node) => docIdsOfRecord(store, docId).some((each) => isLinkedTo(view, each, node))).length
  const scoreOf = (docId: number, linkedNodes: number): number =>
    linkedNodes + (relevance.get(docId) ?? 0) * RELEVANCE_MAX
  if (records.size > 0) {
    const pinned = Array.from(records, (docId) => ({ docId, score: scoreOf(docId, countLinkedNodes(docId)) }))
    return pinned.sort(byScore(store)).slice(0, limit)
  }
  const { graphScores } = scratch
  const docIds = countLinked(view, scratch, nodes)
  for (const [docId, relevant] of relevance)
    if (graphScores[docId]! > 0) graphScores[docId]! += relevant * RELEVANCE_MAX
  const best = topDocsExactly(store, docIds, graphScores, limit, (docId) => {
    const linkedNodes = countLinkedNodes(docId)
    return linkedNodes === 0 ? 0 : scoreOf(docId, linkedNodes)
  })
  for (const docId of docIds) graphScores[docId] = 0
  return best
}

/**
 * Returns for each tuple the records that it names. If it names none, returns the records that contain most of its ids,
 * and orders equal ones by the question's ranking. A score is the record's relevance to the question, in (0, 1].
 */
export function rankTuples(
  view: ScopeView,
  scratch: Scratch,
  question: Question,
  tuples: readonly string[][],
  limit: number,
): PinnedRanking {
  const { scored, linked } = rankDocuments(view, scratch, question, QUESTION_RANKED_MAX)
  const byRecord = new Map(scored.map((each) => [recordDocId(view.store, each.docId), each]))
  const relevance = new Map(Array.from(byRecord, ([docId, { score }]) => [docId, score]))
  const lists = tuples.map((tuple) =>
    scoreLinked(view, scratch, pinsOf(view, tuple), relevance, limit).map(({ docId }) => {
      const { passages } = byRecord.get(docId) ?? {}
      return { docId, score: Math.max(LEAST_RELEVANCE, relevance.get(docId) ?? 0), ...(passages && { passages }) }
    }),
  )
  return { lists, linked }
}
