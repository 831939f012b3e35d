import { type ExpressionBuilder, sql } from 'kysely'
import { MS_PER_SECOND } from '../../base/clock.ts'
import type { Tables } from '../../db/tables.ts'
import { POLL_SECONDS_DEFAULT } from '../registry/store.ts'

/** The states in which a source is read. */
export const READ_STATES = ['active', 'error'] as const

/** How long nobody else reads a source whose reader has not come back. */
export const LEASE_MS = 60_000
/** A due time further ahead than this multiple of the longest wait was written by a wrong clock. */
const FAR = 2

/** When a lease that is taken or renewed now ends. */
export function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS)
}

/** Whether a source is to be read now, and nobody does. A time that a wrong clock wrote holds nothing up. */
export function isDue(is: ExpressionBuilder<Tables, 'source'>, now: Date) {
  const seconds = is.fn.coalesce('poll_interval_seconds', is.lit(POLL_SECONDS_DEFAULT))
  const farSeconds = sql`${FAR} * greatest(${seconds}, ${sql.lit(BACKOFF_MS_MAX / MS_PER_SECOND)})`
  const farAhead = sql<Date>`${now}::timestamptz + make_interval(secs => ${farSeconds})`
  const farLease = new Date(now.getTime() + FAR * LEASE_MS)
  return is.and([
    is('status', 'in', READ_STATES),
    is.or([is('ingestion_mode', '=', 'polling'), is('poll_job_id', 'is not', null)]),
    is.or([is('next_poll_at', 'is', null), is('next_poll_at', '<=', now), is('next_poll_at', '>', farAhead)]),
    is.or([is('poll_until', 'is', null), is('poll_until', '<', now), is('poll_until', '>', farLease)]),
  ])
}

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
