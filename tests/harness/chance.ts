/** Chance that a failure can be repeated with: a linear congruential generator, from 0 to below 1. */
export function chanceFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
