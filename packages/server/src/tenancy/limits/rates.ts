import { setTimeout as sleep } from 'node:timers/promises'
import { sql as sqlText } from 'kysely'
import { type Clock, MS_PER_SECOND } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { TierLimits } from '../../config/limits.ts'
import type { Sql } from '../../db/open.ts'
import type { AccessScope } from '../access/access-scope.ts'

/** Kind of a per-minute limit: questions, reads, ingested records, webhook deliveries or tool calls. */
type RateKind = 'queries' | 'reads' | 'records' | 'deliveries' | 'tool_calls'

/** Subject of a rate limit: a sandbox or one of its sources. */
export interface RateSubject {
  readonly userId: string
  readonly sandboxId: string
  /** Id of the sandbox or the source. */
  readonly subjectId: string
  readonly kind: RateKind
  /** Limit per minute; null is unlimited. */
  readonly limit: number | null
  /** Limit per minute that all of the account's sandboxes of this tier share; null is unlimited. */
  readonly shared?: { readonly tier: string; readonly limit: number | null }
}

interface RateGrant {
  readonly granted: number
  /** Limit per minute with fewer units left: the subject's own, or the account's shared limit if `isShared`. */
  readonly limit: number | null
  readonly isShared?: true
  /** Units left in the current minute; null if unlimited. */
  readonly remaining: number | null
  /** Seconds until more is available. */
  readonly resetSeconds: number
}

/** Sliding-window rate limiter across all processes. It never grants more than the limit in any 60 seconds. */
export type Rates = ReturnType<typeof openRates>

interface PendingGrant {
  resolve: (taken: RateGrant) => void
  reject: (cause: unknown) => void
}

/** Maximum number of cached latest results. */
const LATEST_MAX = 10_000
/** Maximum number of requests served by one statement. Further requests wait for the next. */
const BATCH_MAX = 1_000

/** Opens the rate limiter. Concurrent requests for one subject are batched into one statement. */
export function openRates({ sql, clock }: { sql: Sql; clock: Clock }) {
  const waiting = new Map<string, PendingGrant[]>()
  const latest = new Map<string, RateGrant>()

  const take = async (subject: RateSubject, wanted: number, least: number): Promise<RateGrant> => {
    const taken = await takeRate(sql, subject, { wanted, least }, clock.now().toISOString().slice(0, DAY_CHARS))
    latest.delete(keyOf(subject))
    latest.set(keyOf(subject), taken)
    if (latest.size > LATEST_MAX) latest.delete(latest.keys().next().value as string)
    return taken
  }

  const serve = async (subject: RateSubject, queue: PendingGrant[]): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0, BATCH_MAX)
      try {
        const taken = await take(subject, batch.length, 1)
        batch.forEach(({ resolve }, at) => {
          resolve({ ...taken, granted: at < taken.granted ? 1 : 0 })
        })
      } catch (cause) {
        for (const { reject } of batch) reject(cause)
      }
    }
    waiting.delete(keyOf(subject))
  }

  return {
    /** Takes one unit. `granted` is 0 if none is available. */
    takeOne: (subject: RateSubject): Promise<RateGrant> =>
      new Promise((resolve, reject) => {
        const queue = waiting.get(keyOf(subject))
        if (queue) queue.push({ resolve, reject })
        else {
          const opened = [{ resolve, reject }]
          waiting.set(keyOf(subject), opened)
          void serve(subject, opened)
        }
      }),
    /** Takes `count` units or none. */
    takeAll: (subject: RateSubject, count: number) => take(subject, count, count),
    /** Takes up to `count` units. With 0 it only reads the state. */
    takeUpTo: (subject: RateSubject, count: number) => take(subject, count, 1),
    /** Returns the latest result for a subject in this process. */
    latest: (subject: RateSubject) => latest.get(keyOf(subject)),
    /** Returns the number of units used in the last minute. */
    used: async (subject: RateSubject) => {
      const unlimited = { ...subject, limit: NO_LIMIT, shared: undefined }
      const { limit, remaining } = await takeRate(sql, unlimited, { wanted: 0, least: 1 }, '')
      return limit! - remaining!
    },
  }
}

/** A limit above any real use. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER

const DAY_CHARS = 'YYYY-MM-DD'.length

function keyOf({ subjectId, kind }: RateSubject): string {
  return `${kind} ${subjectId}`
}

interface TakenRow {
  granted: number
  used: number
  free_in: number
  /** Null if no shared limit was given. */
  account_used: number | null
  account_free_in: number | null
}

interface RequestedAmount {
  wanted: number
  /** Minimum useful amount. If less is available, nothing is taken. */
  least: number
}

/**
 * Takes units from a subject's limit and its shared limit, and adds the granted units to the day's usage, in one
 * statement. The commit does not wait for the disk, because losing a count in a crash is acceptable. Tests pass
 * `second` in place of the database's time.
 */
export async function takeRate(
  sql: Sql,
  { userId, sandboxId, subjectId, kind, limit, shared }: RateSubject,
  { wanted, least }: RequestedAmount,
  day: string,
  second: number | null = null,
): Promise<RateGrant> {
  const [row] = await sql.write(
    userId,
    (tx) => ({
      compile: () =>
        sqlText<TakenRow>`
    with taken as materialized (
      select * from take_shared_rate(${userId}, ${sandboxId}, ${subjectId}, ${kind},
        ${limit}::bigint, ${wanted}::bigint, ${least}::bigint, ${second}::bigint,
        ${shared?.tier ?? ''}::text, ${shared?.limit ?? null}::bigint)
    ), counted as (
      insert into usage (user_id, day, queries, ingested_records)
        select ${userId}, ${day}, granted * ${Number(kind === 'queries')}::integer,
          granted * ${Number(kind === 'records')}::integer
        from taken where granted > 0 and ${kind === 'queries' || kind === 'records'}::boolean
        on conflict (user_id, day) do update set queries = usage.queries + excluded.queries,
          ingested_records = usage.ingested_records + excluded.ingested_records
    )
    select * from taken`.compile(tx),
    }),
    { isDurable: false },
  )
  const { granted, used, account_used: sharedUsed } = row!
  const remaining = limit === null ? null : Math.max(0, limit - used)
  const sharedLimit = shared?.limit ?? null
  if (sharedLimit !== null && sharedUsed !== null) {
    const sharedRemaining = Math.max(0, sharedLimit - sharedUsed)
    if (remaining === null || sharedRemaining < remaining) {
      const resetSeconds = row!.account_free_in ?? 0
      return { granted, limit: sharedLimit, isShared: true, remaining: sharedRemaining, resetSeconds }
    }
  }
  return { granted, limit, remaining, resetSeconds: row!.free_in }
}

/** Names of the tier limits by kind. */
const NAMES = {
  queries: { own: 'queries_per_minute', ofAccount: 'account_queries_per_minute' },
  reads: { own: 'reads_per_minute', ofAccount: 'account_reads_per_minute' },
  records: { own: 'ingest_records_per_minute', ofAccount: 'account_ingest_records_per_minute' },
} as const

/** Returns the per-minute rate subject of a sandbox: its own limit and the limit that the account shares. */
export function sandboxRate(
  kind: 'queries' | 'reads' | 'records',
  { holderId, sandboxId, tier }: Pick<AccessScope, 'holderId' | 'sandboxId' | 'tier'>,
  limits: TierLimits,
): RateSubject {
  const { own, ofAccount } = NAMES[kind]
  const shared = { tier, limit: limits[tier][ofAccount] }
  return { userId: holderId, sandboxId, subjectId: sandboxId, kind, limit: limits[tier][own], shared }
}

const MINUTE_SECONDS = 60

interface RecordRates {
  readonly limits: TierLimits
  readonly rates: Rates
}

/** Takes units for all records of a body. Throws `rate_limited` or `account_limits` if not all are available. */
export async function takeRecords(ctx: RecordRates, access: AccessScope, count: number): Promise<void> {
  if (count === 0) return
  const taken = await ctx.rates.takeAll(sandboxRate('records', access, ctx.limits), count)
  if (taken.granted === count) return
  const exceedsLimit = taken.limit !== null && count > taken.limit
  throw tooManyRecords(
    taken,
    exceedsLimit
      ? `The limit is ${taken.limit} records per minute; the body has ${count}. Send it in parts or as NDJSON.`
      : undefined,
  )
}

/** Returns the fault for records over the rate limit. */
export function tooManyRecords({ limit, isShared, resetSeconds }: RateGrant, detail?: string): Fault {
  const whose = isShared ? 'The account’s sandboxes of this tier together accept' : 'This sandbox accepts'
  return new Fault(isShared ? 'account_limits' : 'rate_limited', {
    detail: detail ?? `${whose} ${limit} records per minute. Wait for the seconds in Retry-After.`,
    retryAfterSeconds: resetSeconds || MINUTE_SECONDS,
  })
}

/** Takes units for one chunk of a stream and waits until all are available, which slows the sender. */
export async function awaitRecords(
  ctx: RecordRates & { readonly signal: AbortSignal },
  access: AccessScope,
  count: number,
): Promise<void> {
  const subject = sandboxRate('records', access, ctx.limits)
  let left = count
  while (left > 0) {
    const taken = await ctx.rates.takeUpTo(subject, left)
    left -= taken.granted
    if (left > 0) await sleep((taken.resetSeconds || 1) * MS_PER_SECOND, undefined, { signal: ctx.signal })
  }
}
