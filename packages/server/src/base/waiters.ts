/** Requests that wait for something to complete, by its id. */
export interface Waiters {
  /** Resolves when `completed` is called with the id, or after `ms`. */
  wait(id: string, ms: number): Promise<void>
  completed(id: string): void
}

export function createWaiters(): Waiters {
  const waiters = new Map<string, Set<() => void>>()
  return {
    wait: (id, ms) =>
      new Promise((resolve) => {
        const set = waiters.get(id) ?? new Set()
        waiters.set(id, set)
        const done = () => {
          clearTimeout(timer)
          set.delete(done)
          if (set.size === 0) waiters.delete(id)
          resolve()
        }
        const timer = setTimeout(done, ms)
        set.add(done)
      }),
    completed: (id) => {
      for (const done of waiters.get(id) ?? []) done()
    },
  }
}
