/** A task that can be started repeatedly. At most one run is active. */
export interface OneAtATime {
  /** Starts a run. If one is active, another run follows it. */
  begin(): void
  /** Resolves when no run is active. */
  readonly ended: Promise<void>
}

/** Creates a task that never runs twice at the same time. If a run fails, `failed` is called; later runs continue. */
export function oneAtATime(work: () => Promise<void>, failed: (error: unknown) => void): OneAtATime {
  let working: Promise<void> | undefined
  let isRequested = false
  const run = async (): Promise<void> => {
    while (isRequested) {
      isRequested = false
      await work().catch(failed)
    }
  }
  return {
    begin: () => {
      isRequested = true
      working ??= run().finally(() => {
        working = undefined
      })
    },
    get ended() {
      return working ?? Promise.resolve()
    },
  }
}

/** Runs a task at regular intervals, never twice at the same time. `stop` resolves when no run is active. */
export function repeatedly(intervalMs: number, work: () => Promise<void>, failed: (error: unknown) => void) {
  const task = oneAtATime(work, failed)
  const timer = setInterval(task.begin, intervalMs).unref()
  return {
    begin: task.begin,
    stop: (): Promise<void> => {
      clearInterval(timer)
      return task.ended
    },
  }
}

/** Returns a function that calls `make` once, on first use, and caches the result. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
