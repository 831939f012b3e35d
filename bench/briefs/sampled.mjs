// Draws a sample by a hash of seed and id, so that other items in the list do not influence it.
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
