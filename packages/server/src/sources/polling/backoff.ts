import { MS_PER_SECOND } from '../../base/clock.ts'

/** A number from 0 to below 1. */
export type Chance = () => number

const FIRST_MS = 15_000
/** The longest wait after a failure. */
export const BACKOFF_MS_MAX = 60 * 60_000
const LEAST_MS = 5_000
/** A provider that asks for more is asked again meanwhile. */
const RETRY_AFTER_MS_MAX = 15 * 60_000
const DOUBLINGS_MAX = 16
/** Sources that were registered together do not stay together. */
const JITTER_PART = 0.1

/**
 * How long to leave a provider alone after so many failures in a row: anything up to a bound that doubles each time,
 * so that many sources do not come back at once, and at least what the provider asked for.
 */
export function backoffMs(failures: number, retryAfterMs: number | undefined, chance: Chance): number {
  const bound = Math.min(BACKOFF_MS_MAX, FIRST_MS * 2 ** Math.min(failures, DOUBLINGS_MAX))
  const asked = Math.min(retryAfterMs ?? 0, RETRY_AFTER_MS_MAX)
  return Math.round(Math.max(LEAST_MS, chance() * bound, asked))
}

/** The time until the next regular pull: the interval, and up to a tenth more. */
export function intervalMs(seconds: number, chance: Chance): number {
  return Math.round(seconds * MS_PER_SECOND * (1 + chance() * JITTER_PART))
}
