/** Maximum milliseconds that a computation waits for other work before it continues. */
const YIELD_MS_MAX = 20

/**
 * Creates a function that a long computation calls often in order to yield. It yields only after a time slice. With
 * `others` it then also waits until they are idle, at most 20 ms.
 */
export function createYieldPoint(
  sliceMs: number,
  others?: ActivityGauge,
  nowMs = () => performance.now(),
): () => Promise<void> | undefined {
  let until = nowMs() + sliceMs
  const pause = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    await others?.whenIdle(YIELD_MS_MAX)
    until = nowMs() + sliceMs
  }
  return () => (nowMs() < until ? undefined : pause())
}

/** Counts running work of one kind. Other work can wait until none is running. */
export interface ActivityGauge {
  /** Counts a start. Returns a function that counts the end; calling it again does nothing. */
  begin(): () => void
  /** Resolves when nothing is running, and at the latest after `ms`. Returns undefined if nothing is running now. */
  whenIdle(ms: number): Promise<void> | undefined
}

export function createActivityGauge(): ActivityGauge {
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
        // Waits for one iteration of the event loop, so that the response of the finished work is sent first.
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
