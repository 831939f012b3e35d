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
