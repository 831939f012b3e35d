/**
 * Returns a seeded random number generator with values in [0, 1): a linear congruential generator. Failures are
 * reproducible.
 */
export function chanceFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
