// A sample that is the same for the same seed, whatever else is in the list.
import { createHash } from 'node:crypto'

/**
 * @template {{ id: string }} T
 * @param {readonly T[]} list
 * @param {number} count
 * @param {string} seed
 */
export function sampled(list, count, seed) {
  if (list.length <= count) return [...list]
  const keyed = list.map((each) => ({ each, key: createHash('sha256').update(`${seed}/${each.id}`).digest('hex') }))
  return keyed
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .slice(0, count)
    .map(({ each }) => each)
}
