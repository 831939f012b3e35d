// Whether two ways differ beyond the noise of a set: a paired bootstrap over its questions (Efron's percentiles).
import { seeded } from './workload.mjs'

const RESAMPLES = 2_000
const SEED = 20_261_122
/** Shares of the resampled changes that lie below the interval and above it, for 95 %. */
const TAIL = 0.025

/**
 * The mean change from one way's scores to another's on the same questions, and its 95 % interval; equal scores give
 * equal intervals.
 * @param {readonly number[]} before
 * @param {readonly number[]} after
 */
export function pairedChange(before, after) {
  const count = before.length
  if (count === 0 || after.length !== count) throw new RangeError('both ways need a score for each question')
  const changes = Float64Array.from(before, (score, at) => (after[at] ?? 0) - score)
  const random = seeded(SEED)
  const means = Float64Array.from({ length: RESAMPLES }, () => {
    let sum = 0
    for (let at = 0; at < count; at += 1) sum += changes[Math.floor(random() * count)] ?? 0
    return sum / count
  }).sort()
  const at = Math.floor(TAIL * RESAMPLES)
  const change = changes.reduce((sum, each) => sum + each, 0) / count
  return { change, low: means[at] ?? 0, high: means[RESAMPLES - 1 - at] ?? 0 }
}

/** Whether an interval has nothing to do with no change. @param {{ low: number, high: number }} interval */
export function isBeyondNoise({ low, high }) {
  return low > 0 || high < 0
}
