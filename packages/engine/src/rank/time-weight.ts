import { besideOf, type TimesBeside } from '../understand/empty-time.ts'
import { isWithin, type TimeSpan } from '../understand/time-span.ts'
import type { AskedTimes } from '../understand/times-asked.ts'
import { type ScopeView, sees } from './scope-view.ts'

/** What a record's score counts for, by place. */
export type Weight = (place: number) => number

/** A record of another time comes after all but the weakest of the time asked for, yet is not lost. */
const OUTSIDE_WEIGHT = 0.1
/** What is told after a time may tell of it: "I finished it in January" is said in May. */
const AFTERWARDS_WEIGHT = 0.4
/** A record that tells no time may be of any. */
const UNTIMED_WEIGHT = 0.5
/** A record of another time may well answer one of the other parts. */
const OUTSIDE_PARTIAL_WEIGHT = 0.8

const everyTime: Weight = () => 1

/** How much of its score each record keeps: all of it when it occurred in one of the times, or when there are none. */
export function timeWeight(view: ScopeView, time: AskedTimes | undefined): Weight {
  if (time === undefined) return everyTime
  const { recordTimes } = view.store
  const outside = time.isPartial ? OUTSIDE_PARTIAL_WEIGHT : OUTSIDE_WEIGHT
  const untimed = Math.max(outside, UNTIMED_WEIGHT)
  const afterwards = Math.max(outside, AFTERWARDS_WEIGHT)
  const firstEndMs = Math.min(...time.ranges.map(({ toMs }) => toMs))
  return (place) => {
    const atMs = recordTimes[place]!
    if (Number.isNaN(atMs)) return untimed
    if (time.ranges.some((range) => isWithin(atMs, range))) return 1
    return atMs >= firstEndMs ? afterwards : outside
  }
}

/** Multiplies the scores of the first `count` places by their weights. */
export function weigh(places: ArrayLike<number>, count: number, scores: Float64Array, weightOf: Weight): void {
  if (weightOf === everyTime) return
  for (let at = 0; at < count; at += 1) scores[places[at]!]! *= weightOf(places[at]!)
}

/** Whether any record in scope occurred in the span. */
export function occursIn(view: ScopeView, time: TimeSpan): boolean {
  const { recordReach, recordTimes } = view.store
  for (let place = 0; place < recordReach; place += 1) {
    const atMs = recordTimes[place]!
    if (isWithin(atMs, time) && sees(view, place)) return true
  }
  return false
}

/** The moments of records that are nearest to a span, on either side. */
export function timesBeside(view: ScopeView, time: TimeSpan): TimesBeside {
  const { recordReach, recordTimes } = view.store
  const seen = function* () {
    for (let place = 0; place < recordReach; place += 1) if (sees(view, place)) yield recordTimes[place]!
  }
  return besideOf(seen(), time)
}
