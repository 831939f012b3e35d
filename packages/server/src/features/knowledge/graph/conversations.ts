import { TURN_FLAG } from '../analyser/analysis-codec.ts'
import { tieOf } from './best.ts'
import { withRoom } from './key-index.ts'
import { eachStretch, POSTING_SHIFT } from './postings.ts'
import { type ScopeView, sees } from './scope-view.ts'
import type { GraphStore, Order } from './store.ts'

/** A record that was said near another, in one number, as a question looks at thousands: see its two readers. */
export type Neighbour = number

/** Records on each side that still belong to what is said. */
export const REACH = 3
/** The low bits are the nearness, which has twice REACH values; a place takes 24 bits above them. */
const NEARNESS_BITS = 3
const NEARNESS_MASK = 2 ** NEARNESS_BITS - 1

/** The place of a neighbour. */
export function placeOf(neighbour: Neighbour): number {
  return neighbour >>> NEARNESS_BITS
}

/** How near a neighbour is: from 0 the last said before, the one before that …, from REACH the next said after …. */
export function nearnessOf(neighbour: Neighbour): number {
  return neighbour & NEARNESS_MASK
}

/** In a channel, a pause of this length ends a talk. */
const PAUSE_MS = 2 * 60 * 60 * 1_000
/** So many new records are put into an order one by one; for more it is sorted as a whole. */
const INSERTED_MAX = 64

/** Orders by time, then by what tells apart records of one time, whatever the order of arrival. */
function inTime(store: GraphStore): (a: number, b: number) => number {
  const { recordTimes, recordPositions } = store
  return (a, b) =>
    (recordTimes[a]! || 0) - (recordTimes[b]! || 0) ||
    recordPositions[a]! - recordPositions[b]! ||
    (a === b ? 0 : tieOf(store, a) - tieOf(store, b))
}

/** Where the first record stands that is not before `place`. */
function lowerBound(order: Order, place: number, compare: (a: number, b: number) => number): number {
  let from = 0
  let to = order.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (compare(order.places[middle]!, place) < 0) from = middle + 1
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
  order.places = withRoom(order.places, count)
  if (arrived.length > INSERTED_MAX) {
    const all = [...order.places.subarray(0, order.length), ...arrived].sort(compare)
    order.places.set(all)
    order.length = count
    return order
  }
  for (const place of arrived) {
    const at = lowerBound(order, place, compare)
    order.places.copyWithin(at + 1, at, order.length)
    order.places[at] = place
    order.length += 1
  }
  return order
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

/** What was said next to a record in scope: in the thread that it began, else in its thread or place. */
export function neighboursOf(view: ScopeView, place: number): Neighbour[] {
  const { store } = view
  const { counts } = store.conversations
  const thread = store.recordThreads[place]!
  const found: Neighbour[] = []
  const look = (list: number, isLoose: boolean): void => {
    if (counts[list]! < 2) return
    const order = orderOf(store, list)
    let at = lowerBound(order, place, inTime(store))
    while (order.places[at] !== place) at += 1
    addSide(view, order, at, -1, isLoose, found)
    addSide(view, order, at, 1, isLoose, found)
  }
  if (thread > 0) look(thread - 1, false)
  const conversation = store.recordConversations[place]!
  const isLoose = (store.recordTurns[place]! & TURN_FLAG.loose) > 0
  if (found.length === 0 && conversation > 0) look(conversation - 1, isLoose)
  return found
}
