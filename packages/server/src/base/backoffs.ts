import { MS_PER_SECOND } from './clock.ts'

/** Exponential backoff for each key: what fails is left alone twice as long after each failure in a row. */
interface Backoffs {
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

/**
 * How long a `Retry-After` asks to wait, in milliseconds: its seconds, or the time from the answer's own `Date` until
 * the date that it names. Undefined for anything else.
 */
export function retryAfterMs(headers: Headers): number | undefined {
  const given = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/.test(given)) return Number(given) * MS_PER_SECOND
  const waitMs = Date.parse(given) - Date.parse(headers.get('date') ?? '')
  return /^[A-Z]/.test(given) && waitMs > 0 ? waitMs : undefined
}
