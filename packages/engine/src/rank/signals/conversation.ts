import { TURN_FLAG } from '../../text/analysis-codec.ts'
import { K1, type Scratch, saturationAt, type WordScores } from '../bm25.ts'
import { keyState } from '../entities.ts'
import type { LinkedQuestion } from '../linking.ts'
import { withCapacity } from '../number-tables.ts'
import { eachSegment, POSTING_SHIFT } from '../postings.ts'
import { tieBreakerOf, topDocs } from '../record-doc-ids.ts'
import { isInScope, type Node, type ScopeView } from '../scope-view.ts'
import { eachMarked, type GraphStore, type Order } from '../store.ts'
import type { Weight } from '../time-weight.ts'

/**
 * A neighboring record in a conversation, packed into one number because a question examines thousands of them.
 * `docIdOf` and `offsetOf` unpack it.
 */
export type Neighbour = number

/** Number of records on each side that count as neighbors. */
const NEIGHBOURS_MAX = 3
/**
 * Number of low bits for the relative position, which has 2 × NEIGHBOURS_MAX values. The document ordinal is in the 24
 * bits above.
 */
const OFFSET_BITS = 3
const OFFSET_MASK = 2 ** OFFSET_BITS - 1

/** Returns the document ordinal of a neighbor. */
function docIdOf(neighbour: Neighbour): number {
  return neighbour >>> OFFSET_BITS
}

/**
 * Returns the relative position of a neighbor. 0 is the record just before, 1 the one before that, and so on;
 * NEIGHBOURS_MAX is the record just after.
 */
function offsetOf(neighbour: Neighbour): number {
  return neighbour & OFFSET_MASK
}

/** Pause in a channel that ends a conversation: two hours, in milliseconds. */
export const PAUSE_MS = 2 * 60 * 60 * 1_000

/** Compares by time, then by position, then by tie-breaker. The result does not depend on the order of arrival. */
function inTime(store: GraphStore): InTime {
  const { recordTimes, recordPositions } = store
  return (a, b) =>
    (recordTimes[a]! || 0) - (recordTimes[b]! || 0) ||
    recordPositions[a]! - recordPositions[b]! ||
    (a === b ? 0 : tieBreakerOf(store, a) - tieBreakerOf(store, b))
}

type InTime = (a: number, b: number) => number

/** Returns the index of the first of `length` records that is not before `docId`. */
function lowerBound({ docIds }: Order, length: number, docId: number, compare: InTime): number {
  let from = 0
  let to = length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (compare(docIds[middle]!, docId) < 0) from = middle + 1
    else to = middle
  }
  return from
}

/** Returns the chronological order of a conversation. Records that arrived since the last call are merged in. */
function orderOf(store: GraphStore, list: number): Order {
  const count = store.conversations.counts[list]!
  let order = store.orders.get(list)
  if (order?.length === count) return order
  order ??= { docIds: new Uint32Array(0), length: 0 }
  store.orders.set(list, order)
  const arrived: number[] = []
  const take = (page: Uint32Array, from: number, to: number): void => {
    for (let at = from; at < to; at += 1) arrived.push(page[at]! >>> POSTING_SHIFT)
  }
  eachSegment(store.conversations, list, take, order.length)
  const compare = inTime(store)
  arrived.sort(compare)
  const docIds = withCapacity(order.docIds, count)
  order.docIds = docIds
  // Merges from the end: each new record moves with all that follow it, so that nothing is moved twice.
  let end = order.length
  for (let at = arrived.length - 1; at >= 0; at -= 1) {
    const before = lowerBound(order, end, arrived[at]!, compare)
    docIds.copyWithin(before + at + 1, before, end)
    docIds[before + at] = arrived[at]!
    end = before
  }
  order.length = count
  return order
}

/** Returns the index of a record in its chronological order. Searches first near the known position of a neighbor. */
function positionOf(
  store: GraphStore,
  order: Order,
  docId: number,
  adjacent: ConversationPosition | undefined,
): number {
  const { docIds } = order
  if (adjacent?.order === order) {
    for (let step = 1; step <= NEIGHBOURS_MAX; step += 1) {
      if (docIds[adjacent.at - step] === docId) return adjacent.at - step
      if (docIds[adjacent.at + step] === docId) return adjacent.at + step
    }
  }
  let at = lowerBound(order, order.length, docId, inTime(store))
  while (docIds[at] !== docId) at += 1
  return at
}

function addSide(view: ScopeView, order: Order, at: number, step: 1 | -1, isLoose: boolean, found: Neighbour[]): void {
  const { recordTimes } = view.store
  const own = recordTimes[order.docIds[at]!]!
  let steps = 0
  for (let next = at + step; next >= 0 && next < order.length && steps < NEIGHBOURS_MAX; next += step) {
    const docId = order.docIds[next]!
    if (isLoose && Math.abs(recordTimes[docId]! - own) > PAUSE_MS) return
    if (!isInScope(view, docId)) continue
    found.push((docId << OFFSET_BITS) | (step < 0 ? steps : NEIGHBOURS_MAX + steps))
    steps += 1
  }
}

/** Neighbors of a record in its conversation, and its own position, from which its neighbors are found quickly. */
interface ConversationPosition {
  readonly neighbours: readonly Neighbour[]
  readonly order: Order | undefined
  readonly at: number
  /** True if a pause ends the conversation. */
  readonly isLoose: boolean
}

const NO_CONVERSATION: ConversationPosition = { neighbours: [], order: undefined, at: 0, isLoose: false }

/**
 * Returns the position of a record in scope: in the thread that it started, otherwise in its thread or channel.
 * `adjacent` is the known position of a neighboring record.
 */
export function conversationPosition(
  view: ScopeView,
  docId: number,
  adjacent?: ConversationPosition,
): ConversationPosition {
  const { store } = view
  const look = (list: number, isLoose: boolean): ConversationPosition | undefined => {
    if (store.conversations.counts[list]! < 2) return undefined
    const order = orderOf(store, list)
    const at = positionOf(store, order, docId, adjacent)
    const neighbours: Neighbour[] = []
    addSide(view, order, at, -1, isLoose, neighbours)
    addSide(view, order, at, 1, isLoose, neighbours)
    return neighbours.length > 0 ? { neighbours, order, at, isLoose } : undefined
  }
  const thread = store.recordThreads[docId]!
  const begun = thread > 0 ? look(thread - 1, false) : undefined
  if (begun !== undefined) return begun
  const conversation = store.recordConversations[docId]!
  const isLoose = (store.recordTurns[docId]! & TURN_FLAG.loose) > 0
  return (conversation > 0 ? look(conversation - 1, isLoose) : undefined) ?? NO_CONVERSATION
}

/** Maximum number of records that are scored together with their neighbors. */
const RESCORED_MAX = 60
/**
 * Weights of a word in the record just before and just after, relative to a word of the record itself. FARTHER is the
 * additional factor for each further record.
 */
const BEFORE = 0.5
const AFTER = 0.4
const FARTHER = 0.6
/** Factor of BEFORE if the previous record asks a question, so that its words have full weight. */
const QUESTION_BEFORE = 2
/**
 * Length normalization for a record that is scored with its neighbors. It is weaker than for single records, because
 * the combined text is longer.
 */
const LENGTH_SHARE = 0.5
/** Factor of a record that ends with a question. */
const ENDS_WITH_QUESTION = 0.8
/** Factor of the weight of query terms that name an author. Messages rarely contain the name of their author. */
const NAMED = 0.25
/** Factor of a record whose author the question names. */
const SAID_BY_NAMED = 1.25

/** A record with its position in a conversation. */
interface PlacedRecord {
  readonly docId: number
  readonly position: ConversationPosition
  /** Author of the record, if the question names them. */
  readonly author: Node | undefined
}

/** Returns the people named in the question by author key. */
function namedAuthors(view: ScopeView, linked: LinkedQuestion): Map<number, Node> {
  const authors = new Map<number, Node>()
  for (const key of [...linked.nodes.keys()].flatMap(({ keys }) => keys)) {
    const author = keyState(view, key)?.nodes.find((node) => linked.nodes.has(node))
    if (author !== undefined) authors.set(key, author)
  }
  return authors
}

/** Returns the best records by words that are in a conversation, and their neighbors. */
function gatherRecords(view: ScopeView, scratch: Scratch, words: WordScores, linked: LinkedQuestion): PlacedRecord[] {
  const best = topDocs(view.store, scratch.touched, words.touched, scratch.scores, RESCORED_MAX)
  const authors = namedAuthors(view, linked)
  const addRecord = (docId: number, position: ConversationPosition): void => {
    records.set(docId, { docId, position, author: authors.get(view.store.recordAuthors[docId]! - 1) })
  }
  const records = new Map<number, PlacedRecord>()
  for (const { docId } of best) {
    if (records.has(docId)) continue
    const position = conversationPosition(view, docId)
    if (position.neighbours.length === 0) continue
    addRecord(docId, position)
    for (const near of position.neighbours) {
      const there = docIdOf(near)
      if (!records.has(there)) addRecord(there, conversationPosition(view, there, position))
    }
  }
  return [...records.values()]
}

/** Weight of a neighbor's words by relative position. */
const NEIGHBOUR_WEIGHTS = Array.from({ length: 2 * NEIGHBOURS_MAX }, (_, at) =>
  at < NEIGHBOURS_MAX ? BEFORE * FARTHER ** at : AFTER * FARTHER ** (at - NEIGHBOURS_MAX),
)

function neighbourWeight(view: ScopeView, near: Neighbour): number {
  const offset = offsetOf(near)
  const isAsked = offset === 0 && (view.store.recordTurns[docIdOf(near)]! & TURN_FLAG.asks) > 0
  return isAsked ? NEIGHBOUR_WEIGHTS[offset]! * QUESTION_BEFORE : NEIGHBOUR_WEIGHTS[offset]!
}

/** Assigns a row to each record and its neighbors. Returns the rows by ordinal. */
function assignRows(records: readonly PlacedRecord[]): Map<number, number> {
  const rows = new Map<number, number>()
  const add = (docId: number): void => {
    if (!rows.has(docId)) rows.set(docId, rows.size)
  }
  for (const { docId, position } of records) {
    add(docId)
    for (const near of position.neighbours) add(docIdOf(near))
  }
  return rows
}

/** Returns the BM25 term saturations as a row-major matrix. `rows` has the row of each document; columns are terms. */
function saturationMatrix(
  view: ScopeView,
  { marks }: Scratch,
  width: number,
  rows: ReadonlyMap<number, number>,
): Float64Array {
  const matrix = new Float64Array(rows.size * width)
  for (const [docId, row] of rows) {
    eachMarked(view.store, docId, Number.POSITIVE_INFINITY, marks, (mark, frequency) => {
      matrix[row * width + mark - 1] = saturationAt(view, docId, frequency, LENGTH_SHARE)
    })
  }
  return matrix
}

/** Returns the weight of each query term. Terms that name an author of the records weigh less. */
function weightsOf(words: WordScores, linked: LinkedQuestion, records: readonly PlacedRecord[]): number[] {
  const authors = new Set(records.flatMap(({ author }) => author ?? []))
  const naming = new Set([...authors].flatMap((author) => linked.terms.get(author) ?? []))
  return words.terms.map(({ idf, position }) => (naming.has(position) ? NAMED * idf : idf))
}

/**
 * Rescores the best records together with their neighbors in the conversation, because a question's words are often
 * split between a message and its reply. A query term that a record lacks counts with the weight of the neighbors that
 * contain it.
 */
export function scoreTogether(
  view: ScopeView,
  scratch: Scratch,
  words: WordScores,
  linked: LinkedQuestion,
  weightOf: Weight,
): WordScores {
  const records = gatherRecords(view, scratch, words, linked)
  if (records.length === 0) return words
  const rows = assignRows(records)
  const matrix = saturationMatrix(view, scratch, words.terms.length, rows)
  const weights = weightsOf(words, linked, records)
  const { scores, touched } = scratch
  const fromNeighbours = new Float64Array(weights.length)
  let count = words.touched
  for (const { docId, position, author } of records) {
    fromNeighbours.fill(0)
    for (const near of position.neighbours) {
      const from = rows.get(docIdOf(near))! * weights.length
      const weight = neighbourWeight(view, near)
      for (let at = 0; at < weights.length; at += 1) fromNeighbours[at]! += weight * matrix[from + at]!
    }
    const own = rows.get(docId)! * weights.length
    let score = 0
    for (let at = 0; at < weights.length; at += 1) {
      score += weights[at]! * (K1 + 1) * Math.max(matrix[own + at]!, Math.min(1, fromNeighbours[at]!))
    }
    if ((view.store.recordTurns[docId]! & TURN_FLAG.endsAsking) > 0) score *= ENDS_WITH_QUESTION
    if (author !== undefined) score *= SAID_BY_NAMED
    if (score === 0) continue
    if (scores[docId] === 0) touched[count++] = docId
    scores[docId] = score * weightOf(docId)
  }
  let best = 0
  for (let at = 0; at < count; at += 1) best = Math.max(best, scores[touched[at]!]!)
  // Authors are rarely named in their own messages, so their names also weigh less in the later signals.
  const terms = words.terms.map((term, at) => ({ ...term, idf: weights[at]! }))
  return { terms, touched: count, best }
}
