import { type ExpressionBuilder, sql, sql as sqlText } from 'kysely'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { CONSENT_FAILURES } from '../../base/pull-failure.ts'
import type { Tables } from '../../db/tables.ts'
import { ATTEMPTS_MAX } from '../../ingest/apply.ts'
import type { Planes } from '../../store/planes.ts'
import { PULLABLE } from '../connectors/connector-for.ts'
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
    // Only a person can help such a source.
    is.or([is('last_error', 'is', null), is('last_error', 'not in', [...CONSENT_FAILURES])]),
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

/** The work that waits in the whole service, for any of its processes. */
export interface Backlog {
  /** Records that are accepted and not applied, and for how long the eldest of them has waited. */
  records: number
  recordsSeconds: number
  /** Records whose batch failed so often that it is not tried again. They are kept. */
  givenUp: number
  /** Sources that are due and that nobody reads, and for how long the first of them has been. */
  sources: number
  sourcesSeconds: number
}

/** Counting goes over all that waits, so whoever asks more often gets the latest answer. */
const FRESH_MS = 5_000

/** Opens the counting of what waits; an answer is some seconds old at most. */
export function openBacklog(planes: Pick<Planes, 'sql' | 'clock'>): () => Promise<Backlog> {
  let latest: { atMs: number; backlog: Promise<Backlog> } | undefined
  return () => {
    const atMs = performance.now()
    if (latest === undefined || atMs - latest.atMs > FRESH_MS) latest = { atMs, backlog: readBacklog(planes) }
    return latest.backlog
  }
}

async function readBacklog({ sql, clock }: Pick<Planes, 'sql' | 'clock'>): Promise<Backlog> {
  const now = clock.now()
  const { records, sources } = await sql.transact({ worker: true }, async (tx) => ({
    records: await tx
      .selectFrom('inbox')
      .select([
        sqlText<number>`coalesce(sum(record_count) filter (where attempts < ${ATTEMPTS_MAX}), 0)::bigint`.as('count'),
        sqlText<Date | null>`min(received_at) filter (where attempts < ${ATTEMPTS_MAX})`.as('eldest'),
        sqlText<number>`coalesce(sum(record_count) filter (where attempts >= ${ATTEMPTS_MAX}), 0)::bigint`.as(
          'given_up',
        ),
      ])
      .executeTakeFirstOrThrow(),
    sources: await tx
      .selectFrom('source')
      .select([sqlText<number>`count(*)`.as('count'), sqlText<Date | null>`min(next_poll_at)`.as('eldest')])
      .where((is) => isDue(is, now))
      .where(sqlText<string>`translate(lower(provider), '-.', '__')`, 'in', PULLABLE)
      .executeTakeFirstOrThrow(),
  }))
  const secondsSince = (eldest: Date | null) =>
    eldest === null ? 0 : Math.max(0, (now.getTime() - eldest.getTime()) / MS_PER_SECOND)
  return {
    records: records.count,
    recordsSeconds: secondsSince(records.eldest),
    givenUp: records.given_up,
    sources: sources.count,
    sourcesSeconds: secondsSince(sources.eldest),
  }
}
