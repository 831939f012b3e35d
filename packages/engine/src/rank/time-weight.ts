import { type NearestTimes, nearestTimesTo } from '../understand/empty-time.ts'
import type { QuestionTimes } from '../understand/find-times.ts'
import { isWithin, type TimeSpan } from '../understand/time-span.ts'
import { isInScope, type ScopeView } from './scope-view.ts'

/** Returns the factor of a record's score, given its ordinal. */
export type Weight = (docId: number) => number

/** Factor of a record before the requested time. It ranks below all but the weakest records of that time. */
const OUTSIDE_WEIGHT = 0.1
/**
 * Factor of a record after the requested time, which may report about it: "I finished it in January", written in May.
 */
const AFTERWARDS_WEIGHT = 0.4
/** Factor of a record without a time, which may belong to any time. */
const UNTIMED_WEIGHT = 0.5
/** Minimum factor if the time belongs to a part of the question only. The record may answer another part. */
const OUTSIDE_PARTIAL_WEIGHT = 0.8

const everyTime: Weight = () => 1

/** Returns the weight function for a time. The weight is 1 in its ranges, and everywhere if there is no time. */
export function timeWeight(view: ScopeView, time: QuestionTimes | undefined): Weight {
  if (time === undefined) return everyTime
  const { recordTimes } = view.store
  const outside = time.isPartial ? OUTSIDE_PARTIAL_WEIGHT : OUTSIDE_WEIGHT
  const untimed = Math.max(outside, UNTIMED_WEIGHT)
  const afterwards = Math.max(outside, AFTERWARDS_WEIGHT)
  const firstEndMs = Math.min(...time.ranges.map(({ toMs }) => toMs))
  return (docId) => {
    const atMs = recordTimes[docId]!
    if (Number.isNaN(atMs)) return untimed
    if (time.ranges.some((range) => isWithin(atMs, range))) return 1
    return atMs >= firstEndMs ? afterwards : outside
  }
}

/** Multiplies the scores of the first `count` ordinals by their weights. */
export function weigh(docIds: ArrayLike<number>, count: number, scores: Float64Array, weightOf: Weight): void {
  if (weightOf === everyTime) return
  for (let at = 0; at < count; at += 1) scores[docIds[at]!]! *= weightOf(docIds[at]!)
}

/** Returns true if any record in scope occurred in the span. */
export function occursIn(view: ScopeView, time: TimeSpan): boolean {
  const { docIdLimit, recordTimes } = view.store
  for (let docId = 0; docId < docIdLimit; docId += 1) {
    const atMs = recordTimes[docId]!
    if (isWithin(atMs, time) && isInScope(view, docId)) return true
  }
  return false
}

/** Returns the nearest record times before and after a span. */
export function nearestTimes(view: ScopeView, time: TimeSpan): NearestTimes {
  const { docIdLimit, recordTimes } = view.store
  const times = function* () {
    for (let docId = 0; docId < docIdLimit; docId += 1) if (isInScope(view, docId)) yield recordTimes[docId]!
  }
  return nearestTimesTo(times(), time)
}
