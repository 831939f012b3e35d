/** Those who wait for something to be done in this process, by its id. */
export interface Waiters {
  /** Resolves when it is done, or after `ms`. */
  until(id: string, ms: number): Promise<void>
  /** Says that it is done. */
  done(id: string): void
}

/** Nobody waits yet. */
export function createWaiters(): Waiters {
  const waiting = new Map<string, Set<() => void>>()
  return {
    until: (id, ms) =>
      new Promise((resolve) => {
        const set = waiting.get(id) ?? new Set()
        waiting.set(id, set)
        const leave = () => {
          clearTimeout(timer)
          set.delete(leave)
          if (set.size === 0) waiting.delete(id)
          resolve()
        }
        const timer = setTimeout(leave, ms)
        set.add(leave)
      }),
    done: (id) => {
      for (const leave of waiting.get(id) ?? []) leave()
    },
  }
}
