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

/** A record that was said near another, in one number, as a question looks at thousands: see its two readers. */
export type Neighbour = number

/** Records on each side that still belong to what is said. */
const REACH = 3
/** The low bits are the nearness, which has twice REACH values; a place takes 24 bits above them. */
const NEARNESS_BITS = 3
const NEARNESS_MASK = 2 ** NEARNESS_BITS - 1

/** The place of a neighbour. */
export function placeOf(neighbour: Neighbour): number {
  return neighbour >>> NEARNESS_BITS
}

/** How near a neighbour is: from 0 the last said before, the one before that …, from REACH the next said after …. */
function nearnessOf(neighbour: Neighbour): number {
  return neighbour & NEARNESS_MASK
}

/** In a channel, a pause of this length ends a talk. */
export const PAUSE_MS = 2 * 60 * 60 * 1_000

/** Orders by time, then by what tells apart records of one time, whatever the order of arrival. */
function inTime(store: GraphStore): InTime {
  const { recordTimes, recordPositions } = store
  return (a, b) =>
    (recordTimes[a]! || 0) - (recordTimes[b]! || 0) ||
    recordPositions[a]! - recordPositions[b]! ||
    (a === b ? 0 : tieOf(store, a) - tieOf(store, b))
}

type InTime = (a: number, b: number) => number

/** Where of the first `length` records the first stands that is not before `place`. */
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

/** The records of a conversation in order; what arrived since it was asked for last is put in its place. */
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
  // From the last on, each with all that comes after it, so that nothing is moved twice.
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

/** Where a record stands in its order; one that stands near a known place is found from there. */
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

/** What was said next to a record, and where it stands itself, so that its neighbours are found from there. */
export interface Standing {
  readonly neighbours: readonly Neighbour[]
  readonly order: Order | undefined
  readonly at: number
  /** Whether a pause ends what it stands in. */
  readonly isLoose: boolean
}

const ALONE: Standing = { neighbours: [], order: undefined, at: 0, isLoose: false }

/**
 * Where a record in scope stands: in the thread that it began, else in its thread or place. `beside` is where a
 * neighbour of it stands.
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

/** Records whose words are read together with what was said next to them. */
const READ_TOGETHER = 60
/** What a word said just before or after counts beside one of the record itself, and again for each step farther. */
const BEFORE = 0.5
const AFTER = 0.4
const FARTHER = 0.6
/** How much more a question lends to what follows it, which may answer it: its words count there in full. */
const ASKED = 2
/** How much the length of a record counts that is read with others: less than alone, as together they are longer. */
const LENGTH_SHARE = 0.5
/** What a record that ends with a question is worth beside one that tells. */
const ASKING = 0.8
/** What the words of an author's name count as words: who is spoken to is named, who speaks is not. */
const NAMED = 0.25
/** What a record is worth that somebody whom the question names said. */
const SAID_BY_NAMED = 1.25

/** A record and what was said next to it. */
interface ReadTurn {
  readonly place: number
  readonly standing: Standing
  /** Who said it, when the question names them. */
  readonly author: Node | undefined
}

/** By the key that joins records to their author, who of those that the question names said them. */
function namedAuthors(view: ScopeView, linked: Linked): Map<number, Node> {
  const authors = new Map<number, Node>()
  for (const key of [...linked.nodes.keys()].flatMap(({ keys }) => keys)) {
    const author = keyState(view, key)?.nodes.find((node) => linked.nodes.has(node))
    if (author !== undefined) authors.set(key, author)
  }
  return authors
}

/** The best records by their words that are part of a conversation, and what was said next to them. */
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

/** By nearness, what a word said there counts. */
const LENT = Array.from({ length: 2 * REACH }, (_, at) =>
  at < REACH ? BEFORE * FARTHER ** at : AFTER * FARTHER ** (at - REACH),
)

function lentBy(view: ScopeView, near: Neighbour): number {
  const nearness = nearnessOf(near)
  const isAsked = nearness === 0 && (view.store.recordTurns[placeOf(near)]! & TURN_FLAG.asks) > 0
  return isAsked ? LENT[nearness]! * ASKED : LENT[nearness]!
}

/** Gives every place that is read a row, and answers the rows by place. */
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

/** How much each numbered place holds of each term, row by row. */
function holdings(view: ScopeView, { marks }: Scratch, width: number, rows: ReadonlyMap<number, number>): Float64Array {
  const held = new Float64Array(rows.size * width)
  for (const [place, row] of rows) {
    eachMarked(view.store, place, Number.POSITIVE_INFINITY, marks, (mark, frequency) => {
      held[row * width + mark - 1] = saturationAt(view, place, frequency, LENGTH_SHARE)
    })
  }
  return held
}

/** By position in the words' terms, what each counts: little when it names someone who said something. */
function weightsOf(words: WordScores, linked: Linked, readings: readonly ReadTurn[]): number[] {
  const authors = new Set(readings.flatMap(({ author }) => author ?? []))
  const naming = new Set([...authors].flatMap((author) => linked.terms.get(author) ?? []))
  return words.terms.map(({ idf, position }) => (naming.has(position) ? NAMED * idf : idf))
}

/**
 * Scores the best records again together with what was said next to them: a word that a record lacks counts as far as
 * its neighbours hold it, since a question's words are often split over what was asked and what was answered.
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
  // Who is asked about is named less by those who speak, so the name says less of what is added to the words too.
  const terms = words.terms.map((term, at) => ({ ...term, idf: weights[at]! }))
  return { terms, touched: count, best }
}
