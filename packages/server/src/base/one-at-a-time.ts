/** Repeated work that never runs concurrently with itself. */
export interface OneAtATime {
  /** Starts the work. If it is running, it runs once more afterwards. */
  begin(): void
  /** Resolves when the work is not running. */
  readonly ended: Promise<void>
}

/** Creates repeated work. Calls `failed` on errors, and later runs continue. */
export function oneAtATime(work: () => Promise<void>, failed: (error: unknown) => void): OneAtATime {
  let working: Promise<void> | undefined
  let isAsked = false
  const run = async (): Promise<void> => {
    while (isAsked) {
      isAsked = false
      await work().catch(failed)
    }
  }
  return {
    begin: () => {
      isAsked = true
      working ??= run().finally(() => {
        working = undefined
      })
    },
    get ended() {
      return working ?? Promise.resolve()
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
