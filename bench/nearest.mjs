// The nearest records to a question's vector, as the benchmarks on question sets compare them.

/** Records of either order that are fused, and the cosine from which on a record is near. */
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
 * @param {number} [least]  cosine from which on a record counts
 * @param {number} [limit]
 */
export function nearest(asked, all, least = SIMILARITY_MIN, limit = NEAR_MAX) {
  return all
    .map(({ id, vectors }) => ({ id, likeness: Math.max(0, ...vectors.map((vector) => cosine(asked, vector))) }))
    .filter(({ likeness }) => likeness >= least)
    .sort((one, other) => other.likeness - one.likeness)
    .slice(0, limit)
}
