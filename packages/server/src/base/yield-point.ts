import type { AtWork } from './at-work.ts'

/** How long each slice of what gives way to other work waits for that at most, so that it comes to its end. */
const GIVEN_WAY_MS_MAX = 20

/**
 * Lets other work in during a long computation: call it often, and it waits only when its slice of time is over. With
 * `others` it also gives way while any of those is at work.
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
