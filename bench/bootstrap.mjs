// Tests if two variants differ significantly on a set: a paired bootstrap over its questions (Efron's percentile
// interval).
import { seeded } from './workload.mjs'

const RESAMPLES = 2_000
const SEED = 20_261_122
/** Share of resampled changes below the interval and above it; 95 % lie within. */
const TAIL = 0.025

/**
 * Returns the mean change from one variant's scores to another's on the same questions, and its 95 % interval.
 * Deterministic for equal scores.
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

/** Returns true if the interval excludes zero. @param {{ low: number, high: number }} interval */
export function isBeyondNoise({ low, high }) {
  return low > 0 || high < 0
}
