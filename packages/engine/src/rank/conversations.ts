import { TURN_FLAG } from '../text/analysis-codec.ts'
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
}

const ALONE: Standing = { neighbours: [], order: undefined, at: 0 }

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
    return neighbours.length > 0 ? { neighbours, order, at } : undefined
  }
  const thread = store.recordThreads[place]!
  const begun = thread > 0 ? look(thread - 1, false) : undefined
  if (begun !== undefined) return begun
  const conversation = store.recordConversations[place]!
  const isLoose = (store.recordTurns[place]! & TURN_FLAG.loose) > 0
  return (conversation > 0 ? look(conversation - 1, isLoose) : undefined) ?? ALONE
}
