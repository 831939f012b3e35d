import type { AtWork } from './at-work.ts'

/** The longest wait of each slice for other work, so that the computation ends. */
const GIVEN_WAY_MS_MAX = 20

/**
 * Makes a function that a long computation calls often to let other work in: it waits only when its slice of time is
 * over. With `others` it also waits while any of those is at work.
 */
export function createYieldPoint(sliceMs: number, others?: AtWork): () => Promise<void> | undefined {
  let until = performance.now() + sliceMs
  const pause = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    await others?.whenIdle(GIVEN_WAY_MS_MAX)
    until = performance.now() + sliceMs
  }
  return () => (performance.now() < until ? undefined : pause())
}
