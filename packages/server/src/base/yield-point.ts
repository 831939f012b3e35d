/** The longest wait of each slice for other work, so that the computation ends. */
const GIVEN_WAY_MS_MAX = 20

/**
 * Makes a function that a long computation calls often to let other work in: it waits only when its slice of time is
 * over. With `others` it also waits while any of those is at work.
 */
export function createYieldPoint(
  sliceMs: number,
  others?: AtWork,
  nowMs = () => performance.now(),
): () => Promise<void> | undefined {
  let until = nowMs() + sliceMs
  const pause = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    await others?.whenIdle(GIVEN_WAY_MS_MAX)
    until = nowMs() + sliceMs
  }
  return () => (nowMs() < until ? undefined : pause())
}

/** Counts running work of one kind, so that other work can wait until none runs. */
export interface AtWork {
  /** Counts one more, and returns the function that ends it; only the first call of that counts. */
  begin(): () => void
  /** Resolves when nothing runs any more, after `ms` at the latest; undefined when nothing runs now. */
  whenIdle(ms: number): Promise<void> | undefined
}

export function createAtWork(): AtWork {
  let count = 0
  const waiting = new Set<() => void>()
  return {
    begin: () => {
      let isOver = false
      count += 1
      return () => {
        if (isOver) return
        isOver = true
        count -= 1
        // What ends still has its answer to send.
        if (count === 0) for (const go of waiting) setImmediate(go)
      }
    },
    whenIdle: (ms) => {
      if (count === 0) return undefined
      return new Promise((resolve) => {
        const go = () => {
          clearTimeout(timer)
          waiting.delete(go)
          resolve()
        }
        const timer = setTimeout(go, ms)
        waiting.add(go)
      })
    },
  }
}
