/** Work that is begun again and again, and goes on once at a time. */
export interface OneAtATime {
  /** Begins the work; while it goes on, it is begun once more when it has ended. */
  begin(): void
  /** Resolves when nothing goes on. */
  readonly ended: Promise<void>
}

/** Work of which a failure is told, and that is begun again all the same. */
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

/** Calls `make` when its value is first asked for, and keeps the value. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
