// Exact nearest-neighbor search over record vectors for the benchmarks on question sets.

/** Maximum records of each ranking that are fused, and the minimum cosine of a near record. */
export const NEAR_MAX = 40
export const SIMILARITY_MIN = 0.3

/** @param {ArrayLike<number>} one @param {ArrayLike<number>} other */
export function cosine(one, other) {
  let sum = 0
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0)
  return sum
}

/**
 * Returns the nearest records to a vector, each by its nearest passage.
 * @param {Float32Array} asked
 * @param {readonly { id: string, vectors: readonly Float32Array[] }[]} all
 * @param {number} [least]  minimum cosine of a returned record
 * @param {number} [limit]
 */
export function nearest(asked, all, least = SIMILARITY_MIN, limit = NEAR_MAX) {
  return all
    .map(({ id, vectors }) => ({ id, likeness: Math.max(0, ...vectors.map((vector) => cosine(asked, vector))) }))
    .filter(({ likeness }) => likeness >= least)
    .sort((one, other) => other.likeness - one.likeness)
    .slice(0, limit)
}
