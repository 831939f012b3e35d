import { createBackoffs } from '../../base/backoffs.ts'
import type { Log } from '../../base/log.ts'

/** Maximum number of sandboxes at work. While one waits for its store, its batch occupies memory. */
const SLOTS_MAX = 16
const BACKOFF_MS_MIN = 500
const BACKOFF_MS_MAX = 15_000

/** Creates a bulkhead. It logs `failure` when work fails, and calls `ended` after each run. */
export function createBulkhead(log: Log, failure: string, ended = () => {}) {
  const backoffs = createBackoffs(BACKOFF_MS_MIN, BACKOFF_MS_MAX)
  const working = new Map<string, Promise<void>>()
  return {
    /** Starts the work. Returns false if the sandbox is busy or backing off, or too many are busy. */
    begin: (sandboxId: string, work: () => Promise<void>) => {
      if (working.has(sandboxId) || working.size >= SLOTS_MAX || !backoffs.isDue(sandboxId)) return false
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
    /** Resolves when no work is running. */
    get stopped() {
      return Promise.all(working.values()).then(() => undefined)
    },
  }
}
