/** Maximum milliseconds that each slice waits for other work, so that the computation makes progress. */
const YIELD_MS_MAX = 20

/** Creates a function that yields when its time slice is over, and with `others` while any of those runs. */
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

/** Counts running work of one kind, so that other work can wait until none runs. */
export interface ActivityGauge {
  /** Counts a start and returns a function that counts the end. Further calls of it do nothing. */
  begin(): () => void
  /** Resolves when nothing is running, at the latest after `ms`. Returns undefined if nothing is running now. */
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
        // Ended work still has to send its response.
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
