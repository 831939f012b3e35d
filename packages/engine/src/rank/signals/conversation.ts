import { TURN_FLAG } from '../../text/analysis-codec.ts'
import { K1, type Scratch, saturationAt, type WordScores } from '../bm25.ts'
import { keyState } from '../entities.ts'
import type { Linked } from '../linking.ts'
import { withRoom } from '../number-tables.ts'
import { eachStretch, POSTING_SHIFT } from '../postings.ts'
import { bestPlaces, tieOf } from '../record-places.ts'
import { type Node, type ScopeView, sees } from '../scope-view.ts'
import { eachMarked, type GraphStore, type Order } from '../store.ts'
import type { Weight } from '../time-weight.ts'

/**
 * A neighboring record of a conversation, packed into one number because a question examines thousands. Unpacked by
 * `placeOf` and `nearnessOf`.
 */
export type Neighbour = number

/** Number of records on each side that count as neighbors. */
const REACH = 3
/**
 * Number of low bits for the relative position, which has 2 × REACH values. The document ordinal uses the 24 bits
 * above.
 */
const NEARNESS_BITS = 3
const NEARNESS_MASK = 2 ** NEARNESS_BITS - 1

/** Returns the document ordinal of a neighbor. */
export function placeOf(neighbour: Neighbour): number {
  return neighbour >>> NEARNESS_BITS
}

/**
 * Returns the relative position of a neighbor: from 0 for the record just before and older ones, from REACH for the
 * record just after and newer ones.
 */
function nearnessOf(neighbour: Neighbour): number {
  return neighbour & NEARNESS_MASK
}

/** Pause in a channel that ends a conversation: two hours, in milliseconds. */
export const PAUSE_MS = 2 * 60 * 60 * 1_000

/** Compares by time, then by position and tie-breaker, independently of the order of arrival. */
function inTime(store: GraphStore): InTime {
  const { recordTimes, recordPositions } = store
  return (a, b) =>
    (recordTimes[a]! || 0) - (recordTimes[b]! || 0) ||
    recordPositions[a]! - recordPositions[b]! ||
    (a === b ? 0 : tieOf(store, a) - tieOf(store, b))
}

type InTime = (a: number, b: number) => number

/** Returns the index of the first of `length` records that is not before `place`. */
function lowerBound({ places }: Order, length: number, place: number, compare: InTime): number {
  let from = 0
  let to = length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (compare(places[middle]!, place) < 0) from = middle + 1
    else to = middle
  }
  return from
}

/** Returns the chronological order of a conversation. Records that arrived since the last call are merged in. */
function orderOf(store: GraphStore, list: number): Order {
  const count = store.conversations.counts[list]!
  let order = store.orders.get(list)
  if (order?.length === count) return order
  order ??= { places: new Uint32Array(0), length: 0 }
  store.orders.set(list, order)
  const arrived: number[] = []
  const take = (page: Uint32Array, from: number, to: number): void => {
    for (let at = from; at < to; at += 1) arrived.push(page[at]! >>> POSTING_SHIFT)
  }
  eachStretch(store.conversations, list, take, order.length)
  const compare = inTime(store)
  arrived.sort(compare)
  const places = withRoom(order.places, count)
  order.places = places
  // Merges from the end: each new record moves with all that follow it, so that nothing is moved twice.
  let end = order.length
  for (let at = arrived.length - 1; at >= 0; at -= 1) {
    const before = lowerBound(order, end, arrived[at]!, compare)
    places.copyWithin(before + at + 1, before, end)
    places[before + at] = arrived[at]!
    end = before
  }
  order.length = count
  return order
}

/** Returns the index of a record in its order. Tries the surroundings of a known neighbor first. */
function findIn(store: GraphStore, order: Order, place: number, beside: Standing | undefined): number {
  const { places } = order
  if (beside?.order === order) {
    for (let step = 1; step <= REACH; step += 1) {
      if (places[beside.at - step] === place) return beside.at - step
      if (places[beside.at + step] === place) return beside.at + step
    }
  }
  let at = lowerBound(order, order.length, place, inTime(store))
  while (places[at] !== place) at += 1
  return at
}

function addSide(view: ScopeView, order: Order, at: number, step: 1 | -1, isLoose: boolean, found: Neighbour[]): void {
  const { recordTimes } = view.store
  const own = recordTimes[order.places[at]!]!
  let steps = 0
  for (let next = at + step; next >= 0 && next < order.length && steps < REACH; next += step) {
    const place = order.places[next]!
    if (isLoose && Math.abs(recordTimes[place]! - own) > PAUSE_MS) return
    if (!sees(view, place)) continue
    found.push((place << NEARNESS_BITS) | (step < 0 ? steps : REACH + steps))
    steps += 1
  }
}

/** Neighbors of a record in its conversation, and its own position, from which its neighbors are found quickly. */
export interface Standing {
  readonly neighbours: readonly Neighbour[]
  readonly order: Order | undefined
  readonly at: number
  /** True if a pause ends the conversation. */
  readonly isLoose: boolean
}

const ALONE: Standing = { neighbours: [], order: undefined, at: 0, isLoose: false }

/**
 * Returns the position of a record in scope: in the thread that it started, otherwise in its thread or channel.
 * `beside` is the position of a neighbor.
 */
export function standingOf(view: ScopeView, place: number, beside?: Standing): Standing {
  const { store } = view
  const look = (list: number, isLoose: boolean): Standing | undefined => {
    if (store.conversations.counts[list]! < 2) return undefined
    const order = orderOf(store, list)
    const at = findIn(store, order, place, beside)
    const neighbours: Neighbour[] = []
    addSide(view, order, at, -1, isLoose, neighbours)
    addSide(view, order, at, 1, isLoose, neighbours)
    return neighbours.length > 0 ? { neighbours, order, at, isLoose } : undefined
  }
  const thread = store.recordThreads[place]!
  const begun = thread > 0 ? look(thread - 1, false) : undefined
  if (begun !== undefined) return begun
  const conversation = store.recordConversations[place]!
  const isLoose = (store.recordTurns[place]! & TURN_FLAG.loose) > 0
  return (conversation > 0 ? look(conversation - 1, isLoose) : undefined) ?? ALONE
}

/** Maximum number of records that are scored together with their neighbors. */
const READ_TOGETHER = 60
/**
 * Weights of a word in the record just before and just after, relative to a word of the record itself. FARTHER is the
 * factor for each further step.
 */
const BEFORE = 0.5
const AFTER = 0.4
const FARTHER = 0.6
/** Factor of a question before a record, which may answer it. The question's words then count in full. */
const ASKED = 2
/**
 * Length normalization for records scored with neighbors. It is weaker than for single records, because together they
 * are longer.
 */
const LENGTH_SHARE = 0.5
/** Factor of a record that ends with a question, relative to a statement. */
const ASKING = 0.8
/** Weight of words that are an author's name. Messages name the person addressed, not the speaker. */
const NAMED = 0.25
/** Factor of a record whose author the question names. */
const SAID_BY_NAMED = 1.25

/** A record with its position in a conversation. */
interface ReadTurn {
  readonly place: number
  readonly standing: Standing
  /** Author of the record, if the question names them. */
  readonly author: Node | undefined
}

/** Returns the people named in the question by author key. */
function namedAuthors(view: ScopeView, linked: Linked): Map<number, Node> {
  const authors = new Map<number, Node>()
  for (const key of [...linked.nodes.keys()].flatMap(({ keys }) => keys)) {
    const author = keyState(view, key)?.nodes.find((node) => linked.nodes.has(node))
    if (author !== undefined) authors.set(key, author)
  }
  return authors
}

/** Returns the best records by words that are in a conversation, and their neighbors. */
function readAll(view: ScopeView, scratch: Scratch, words: WordScores, linked: Linked): ReadTurn[] {
  const best = bestPlaces(view.store, scratch.touched, words.touched, scratch.scores, READ_TOGETHER)
  const authors = namedAuthors(view, linked)
  const read = (place: number, standing: Standing): void => {
    readings.set(place, { place, standing, author: authors.get(view.store.recordAuthors[place]! - 1) })
  }
  const readings = new Map<number, ReadTurn>()
  for (const { place } of best) {
    if (readings.has(place)) continue
    const standing = standingOf(view, place)
    if (standing.neighbours.length === 0) continue
    read(place, standing)
    for (const near of standing.neighbours) {
      const there = placeOf(near)
      if (!readings.has(there)) read(there, standingOf(view, there, standing))
    }
  }
  return [...readings.values()]
}

/** Weight of a neighbor's words by relative position. */
const LENT = Array.from({ length: 2 * REACH }, (_, at) =>
  at < REACH ? BEFORE * FARTHER ** at : AFTER * FARTHER ** (at - REACH),
)

function lentBy(view: ScopeView, near: Neighbour): number {
  const nearness = nearnessOf(near)
  const isAsked = nearness === 0 && (view.store.recordTurns[placeOf(near)]! & TURN_FLAG.asks) > 0
  return isAsked ? LENT[nearness]! * ASKED : LENT[nearness]!
}

/** Assigns a row to each record and its neighbors. Returns the rows by ordinal. */
function numberRows(readings: readonly ReadTurn[]): Map<number, number> {
  const rows = new Map<number, number>()
  const add = (place: number): void => {
    if (!rows.has(place)) rows.set(place, rows.size)
  }
  for (const { place, standing } of readings) {
    add(place)
    for (const near of standing.neighbours) add(placeOf(near))
  }
  return rows
}

/** Returns a matrix with the saturation of each term, one row per numbered ordinal. */
function holdings(view: ScopeView, { marks }: Scratch, width: number, rows: ReadonlyMap<number, number>): Float64Array {
  const held = new Float64Array(rows.size * width)
  for (const [place, row] of rows) {
    eachMarked(view.store, place, Number.POSITIVE_INFINITY, marks, (mark, frequency) => {
      held[row * width + mark - 1] = saturationAt(view, place, frequency, LENGTH_SHARE)
    })
  }
  return held
}

/** Returns the weight of each query term. Terms that name an author of the records weigh less. */
function weightsOf(words: WordScores, linked: Linked, readings: readonly ReadTurn[]): number[] {
  const authors = new Set(readings.flatMap(({ author }) => author ?? []))
  const naming = new Set([...authors].flatMap((author) => linked.terms.get(author) ?? []))
  return words.terms.map(({ idf, position }) => (naming.has(position) ? NAMED * idf : idf))
}

/**
 * Rescores the best records together with their neighbors in the conversation. A query term that a record lacks counts
 * as much as its neighbors contain it, because a question's words are often split between a message and its reply.
 */
export function scoreTogether(
  view: ScopeView,
  scratch: Scratch,
  words: WordScores,
  linked: Linked,
  weightOf: Weight,
): WordScores {
  const readings = readAll(view, scratch, words, linked)
  if (readings.length === 0) return words
  const rows = numberRows(readings)
  const held = holdings(view, scratch, words.terms.length, rows)
  const weights = weightsOf(words, linked, readings)
  const { scores, touched } = scratch
  const heard = new Float64Array(weights.length)
  let count = words.touched
  for (const { place, standing, author } of readings) {
    heard.fill(0)
    for (const near of standing.neighbours) {
      const from = rows.get(placeOf(near))! * weights.length
      const lent = lentBy(view, near)
      for (let at = 0; at < weights.length; at += 1) heard[at]! += lent * held[from + at]!
    }
    const own = rows.get(place)! * weights.length
    let score = 0
    for (let at = 0; at < weights.length; at += 1) {
      score += weights[at]! * (K1 + 1) * Math.max(held[own + at]!, Math.min(1, heard[at]!))
    }
    if ((view.store.recordTurns[place]! & TURN_FLAG.endsAsking) > 0) score *= ASKING
    if (author !== undefined) score *= SAID_BY_NAMED
    if (score === 0) continue
    if (scores[place] === 0) touched[count++] = place
    scores[place] = score * weightOf(place)
  }
  let best = 0
  for (let at = 0; at < count; at += 1) best = Math.max(best, scores[touched[at]!]!)
  // Authors are rarely named in their own messages, so their names also weigh less in the later signals.
  const terms = words.terms.map((term, at) => ({ ...term, idf: weights[at]! }))
  return { terms, touched: count, best }
}
