/** For how long what fails is left alone: twice as long each time that it fails in a row. */
export interface Backoffs {
  /** Whether it may be tried now. */
  isDue(key: string): boolean
  failed(key: string): void
  succeeded(key: string): void
}

/** What is remembered at most; of what failed longest ago it is forgotten that it did. */
const KEYS_MAX = 10_000

/** Backoffs that begins with `firstMs` and never lasts longer than `lastMs`. */
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
