import { type ExpressionBuilder, sql as sqlText } from 'kysely'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { CONSENT_FAILURES } from '../../base/pull-failure.ts'
import type { Tables } from '../../db/tables.ts'
import { ATTEMPTS_MAX } from '../../ingest/apply.ts'
import type { Planes } from '../../store/planes.ts'
import { PULLABLE } from '../connectors/connector-for.ts'
import { POLL_SECONDS_DEFAULT } from '../registry/store.ts'

/** States in which a source is polled. */
export const READ_STATES = ['active', 'error'] as const

/** Duration of a source's lease in milliseconds. It bounds the delay after a process has died. */
export const LEASE_MS = 60_000
/** Multiple of the longest delay. A later due time was written with a wrong clock. */
const FUTURE_FACTOR = 2

/** Returns the end of a lease that is taken or renewed at `now`. */
export function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS)
}

/** Returns a query condition for due sources without a lease. Implausible times are ignored. */
export function isDue(is: ExpressionBuilder<Tables, 'source'>, now: Date) {
  const seconds = is.fn.coalesce('poll_interval_seconds', is.lit(POLL_SECONDS_DEFAULT))
  const farSeconds = sqlText`${FUTURE_FACTOR} * greatest(${seconds}, ${sqlText.lit(BACKOFF_MS_MAX / MS_PER_SECOND)})`
  const farAhead = sqlText<Date>`${now}::timestamptz + make_interval(secs => ${farSeconds})`
  const farLease = new Date(now.getTime() + FUTURE_FACTOR * LEASE_MS)
  return is.and([
    is('status', 'in', READ_STATES),
    // Excludes sources that wait for a person's consent.
    is.or([is('last_error', 'is', null), is('last_error', 'not in', [...CONSENT_FAILURES])]),
    is.or([is('ingestion_mode', '=', 'polling'), is('poll_job_id', 'is not', null)]),
    is.or([is('next_poll_at', 'is', null), is('next_poll_at', '<=', now), is('next_poll_at', '>', farAhead)]),
    is.or([is('poll_until', 'is', null), is('poll_until', '<', now), is('poll_until', '>', farLease)]),
  ])
}

/** Returns a random number in [0, 1). */
export type RandomSource = () => number

const FIRST_MS = 15_000
/** Maximum delay after a failure in milliseconds. */
export const BACKOFF_MS_MAX = 60 * 60_000
const LEAST_MS = 5_000
/** Maximum `Retry-After` of a provider that is respected, in milliseconds. */
const RETRY_AFTER_MS_MAX = 15 * 60_000
const DOUBLINGS_MAX = 16
/** Jitter as a fraction of the interval, so that sources registered together do not stay synchronized. */
const JITTER_PART = 0.1

/** Returns the delay in milliseconds after failures: exponential backoff with full jitter, at least `retryAfterMs`. */
export function backoffMs(failures: number, retryAfterMs: number | undefined, chance: RandomSource): number {
  const bound = Math.min(BACKOFF_MS_MAX, FIRST_MS * 2 ** Math.min(failures, DOUBLINGS_MAX))
  const requested = Math.min(retryAfterMs ?? 0, RETRY_AFTER_MS_MAX)
  return Math.round(Math.max(LEAST_MS, chance() * bound, requested))
}

/** Returns the milliseconds until the next regular poll: the interval and up to a tenth more. */
export function intervalMs(seconds: number, chance: RandomSource): number {
  return Math.round(seconds * MS_PER_SECOND * (1 + chance() * JITTER_PART))
}

/** Pending work of the whole service. */
export interface Backlog {
  /** Records that are accepted but not applied, and the age of the oldest in seconds. */
  records: number
  recordsSeconds: number
  /** Records whose batch failed too often and is not retried. They stay stored. */
  givenUp: number
  /** Sources that are due and not leased, and how long the first has been due in seconds. */
  sources: number
  sourcesSeconds: number
}

/** Cache lifetime of the counts in milliseconds. Counting scans all pending rows. */
const FRESH_MS = 5_000

/** Returns a function that counts the pending work. Its result is at most FRESH_MS old. */
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
