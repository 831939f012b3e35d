/** Exponential backoff for each key: what fails is left alone twice as long after each failure in a row. */
export interface Backoffs {
  /** Whether it may be tried now. */
  isDue(key: string): boolean
  failed(key: string): void
  succeeded(key: string): void
}

/** The most keys that are remembered; the oldest failure is forgotten first. */
const KEYS_MAX = 10_000

/** Backoffs that begin at `firstMs` and stop growing at `lastMs`. */
export function createBackoffs(firstMs: number, lastMs: number): Backoffs {
  const failures = new Map<string, { waitMs: number; untilMs: number }>()
  return {
    isDue: (key) => performance.now() >= (failures.get(key)?.untilMs ?? 0),
    failed: (key) => {
      const before = failures.get(key)
      const waitMs = before ? Math.min(lastMs, before.waitMs * 2) : firstMs
      failures.delete(key)
      failures.set(key, { waitMs, untilMs: performance.now() + waitMs })
      const [oldest] = failures.keys()
      if (failures.size > KEYS_MAX && oldest !== undefined) failures.delete(oldest)
    },
    succeeded: (key) => void failures.delete(key),
  }
}
