import { createBackoffs } from '../../base/backoffs.ts'
import type { Log } from '../../base/log.ts'

/**
 * Work on sandboxes that have a bucket of their own, or whose objects were not given. Each is at work by itself, so
 * that a store which does not answer holds up its own sandbox alone, and is left alone for longer each time that it
 * fails.
 */
interface Bulkhead {
  /**
   * Begins the work. Returns false when the sandbox is being worked on or left alone, or when the most that may work at
   * once do.
   */
  begin(sandboxId: string, work: () => Promise<void>): boolean
  /** Resolves when nothing is at work. */
  readonly stopped: Promise<void>
}

/** Sandboxes at work at a time: one that waits for its store costs memory for one batch. */
const PLACES_MAX = 16
const FIRST_MS = 500
const LAST_MS = 15_000

/** A bulkhead that says in the log, as `failure`, when work comes to nothing, and calls `ended` after any work. */
export function createBulkhead(log: Log, failure: string, ended = () => {}): Bulkhead {
  const backoffs = createBackoffs(FIRST_MS, LAST_MS)
  const working = new Map<string, Promise<void>>()
  return {
    begin: (sandboxId, work) => {
      if (working.has(sandboxId) || working.size >= PLACES_MAX || !backoffs.isDue(sandboxId)) return false
      const done = work()
        .then(
          () => backoffs.succeeded(sandboxId),
          (error: unknown) => {
            backoffs.failed(sandboxId)
            log.warn(failure, { sandboxId, error })
          },
        )
        .finally(() => {
          working.delete(sandboxId)
          ended()
        })
      working.set(sandboxId, done)
      return true
    },
    get stopped() {
      return Promise.all(working.values()).then(() => undefined)
    },
  }
}
