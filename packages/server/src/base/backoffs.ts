import { MS_PER_SECOND } from './clock.ts'

/** Exponential backoff per key. The delay doubles with each consecutive failure. */
interface Backoffs {
  /** Returns true if the key may be tried now. */
  isDue(key: string): boolean
  failed(key: string): void
  succeeded(key: string): void
}

/** Maximum number of keys that are remembered. The oldest failure is forgotten first. */
const KEYS_MAX = 10_000

/** Creates backoffs with delays from `firstMs` to `lastMs`. */
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

/**
 * Returns the delay in a `Retry-After` header in milliseconds. A date in it is relative to the response's own `Date`.
 * Undefined for an invalid value.
 */
export function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/.test(value)) return Number(value) * MS_PER_SECOND
  const waitMs = Date.parse(value) - Date.parse(headers.get('date') ?? '')
  return /^[A-Z]/.test(value) && waitMs > 0 ? waitMs : undefined
}
