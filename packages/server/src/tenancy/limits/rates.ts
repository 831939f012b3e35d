import { setTimeout as sleep } from 'node:timers/promises'
import { sql as sqlText } from 'kysely'
import { type Clock, MS_PER_SECOND } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { TierLimits } from '../../config/limits.ts'
import type { Sql } from '../../db/open.ts'
import type { Reach } from '../reach/reach.ts'

/** What is counted by the minute: questions, reads, records taken in, deliveries to a webhook, calls of tools. */
type RateKind = 'queries' | 'reads' | 'records' | 'deliveries' | 'tool_calls'

/** What is limited: a sandbox, or one of its sources. */
export interface RateSubject {
  readonly userId: string
  readonly sandboxId: string
  /** The sandbox's id again, or the source's. */
  readonly subjectId: string
  readonly kind: RateKind
  /** What a minute allows; null is unlimited. */
  readonly limit: number | null
  /** What it allows all sandboxes of the account that have this tier, where they share a limit; null is unlimited. */
  readonly shared?: { readonly tier: string; readonly limit: number | null }
}

/** How much of the amount was granted. */
interface RateGrant {
  readonly granted: number
  /** The limit that leaves less: the subject's own, or where `isShared` the one that the account's sandboxes share. */
  readonly limit: number | null
  readonly isShared?: true
  /** What the minute still allows; null when unlimited. */
  readonly remaining: number | null
  /** Seconds until it allows more. */
  readonly resetSeconds: number
}

/** Counts what is used by the minute, over all processes, and never gives more than the limit in any 60 seconds. */
export interface Rates {
  /** One of what the subject's minute allows; `granted` is 0 when it allows none. */
  takeOne(subject: RateSubject): Promise<RateGrant>
  /** Takes `count` of what the subject's minute allows, or nothing. */
  takeAll(subject: RateSubject, count: number): Promise<RateGrant>
  /** As many as the subject's minute allows, at most `count`; with 0 it only looks. */
  takeUpTo(subject: RateSubject, count: number): Promise<RateGrant>
  /** The latest answer about a subject in this process. */
  latest(subject: RateSubject): RateGrant | undefined
  /** What the subject has used in the last minute. */
  used(subject: RateSubject): Promise<number>
}

interface PendingGrant {
  resolve: (taken: RateGrant) => void
  reject: (cause: unknown) => void
}

/** Subjects whose latest answer is kept in memory. */
const LATEST_MAX = 10_000
/** Requests that one statement may ask for; more wait for the next. */
const TOGETHER_MAX = 1_000

/** Opens the counting. Requests about one subject that come together are counted by one statement. */
export function openRates({ sql, clock }: { sql: Sql; clock: Clock }): Rates {
  const waiting = new Map<string, PendingGrant[]>()
  const latest = new Map<string, RateGrant>()

  const ask = async (subject: RateSubject, wanted: number, least: number): Promise<RateGrant> => {
    const taken = await takeRate(sql, subject, { wanted, least }, clock.now().toISOString().slice(0, DAY_CHARS))
    latest.delete(keyOf(subject))
    latest.set(keyOf(subject), taken)
    if (latest.size > LATEST_MAX) latest.delete(latest.keys().next().value as string)
    return taken
  }

  const serve = async (subject: RateSubject, queue: PendingGrant[]): Promise<void> => {
    while (queue.length > 0) {
      const together = queue.splice(0, TOGETHER_MAX)
      try {
        const taken = await ask(subject, together.length, 1)
        together.forEach(({ resolve }, at) => {
          resolve({ ...taken, granted: at < taken.granted ? 1 : 0 })
        })
      } catch (cause) {
        for (const { reject } of together) reject(cause)
      }
    }
    waiting.delete(keyOf(subject))
  }

  return {
    takeOne: (subject) =>
      new Promise((resolve, reject) => {
        const queue = waiting.get(keyOf(subject))
        if (queue) queue.push({ resolve, reject })
        else {
          const opened = [{ resolve, reject }]
          waiting.set(keyOf(subject), opened)
          void serve(subject, opened)
        }
      }),
    takeAll: (subject, count) => ask(subject, count, count),
    takeUpTo: (subject, count) => ask(subject, count, 1),
    latest: (subject) => latest.get(keyOf(subject)),
    used: async (subject) => {
      const alone = { ...subject, limit: FAR, shared: undefined }
      const { limit, remaining } = await takeRate(sql, alone, { wanted: 0, least: 1 }, '')
      return limit! - remaining!
    },
  }
}

/** More than any minute sees. */
const FAR = Number.MAX_SAFE_INTEGER

const DAY_CHARS = 'YYYY-MM-DD'.length

function keyOf({ subjectId, kind }: RateSubject): string {
  return `${kind} ${subjectId}`
}

interface TakenRow {
  granted: number
  used: number
  free_in: number
  /** Null where what is shared was not asked for. */
  account_used: number | null
  account_free_in: number | null
}

interface AmountWanted {
  wanted: number
  /** Less than this is no use, so nothing is taken. */
  least: number
}

/**
 * Takes from a subject's minute, and from the one it shares, and counts what was given to the day's usage, in one
 * statement. What is only counted need not survive a power loss, so nobody waits for the disk. `second` stands in for
 * the database's time.
 */
export async function takeRate(
  sql: Sql,
  { userId, sandboxId, subjectId, kind, limit, shared }: RateSubject,
  { wanted, least }: AmountWanted,
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

/** What the limits of each kind are called. */
const NAMES = {
  queries: { own: 'queries_per_minute', ofAccount: 'account_queries_per_minute' },
  reads: { own: 'reads_per_minute', ofAccount: 'account_reads_per_minute' },
  records: { own: 'ingest_records_per_minute', ofAccount: 'account_ingest_records_per_minute' },
} as const

/** The limits a minute of a sandbox's tier, for the sandbox and its whole account: questions, reads, or records. */
export function sandboxRate(
  kind: 'queries' | 'reads' | 'records',
  { holderId, sandboxId, tier }: Pick<Reach, 'holderId' | 'sandboxId' | 'tier'>,
  limits: TierLimits,
): RateSubject {
  const { own, ofAccount } = NAMES[kind]
  const shared = { tier, limit: limits[tier][ofAccount] }
  return { userId: holderId, sandboxId, subjectId: sandboxId, kind, limit: limits[tier][own], shared }
}

const MINUTE_SECONDS = 60

/** What counting a sandbox's records takes. */
interface RecordRates {
  readonly limits: TierLimits
  readonly rates: Rates
}

/** Counts the records of a whole body; throws `rate_limited` when the sandbox's minute does not allow all of them. */
export async function takeRecords(ctx: RecordRates, reach: Reach, count: number): Promise<void> {
  if (count === 0) return
  const taken = await ctx.rates.takeAll(sandboxRate('records', reach, ctx.limits), count)
  if (taken.granted === count) return
  const isHopeless = taken.limit !== null && count > taken.limit
  throw tooManyRecords(
    taken,
    isHopeless
      ? `A minute takes ${taken.limit} records, the body has ${count}: send it in parts, or as a stream of NDJSON.`
      : undefined,
  )
}

/** The fault of a body that comes too early. */
export function tooManyRecords({ limit, isShared, resetSeconds }: RateGrant, detail?: string): Fault {
  const whose = isShared ? 'All sandboxes of the account that have this tier take' : 'This sandbox takes'
  return new Fault(isShared ? 'account_limits' : 'rate_limited', {
    detail: detail ?? `${whose} ${limit} records a minute; wait as long as Retry-After says.`,
    retryAfterSeconds: resetSeconds || MINUTE_SECONDS,
  })
}

/** Counts a piece of a stream, and waits until the sandbox's minute allows it: the sender is slowed, not refused. */
export async function awaitRecords(
  ctx: RecordRates & { readonly signal: AbortSignal },
  reach: Reach,
  count: number,
): Promise<void> {
  const subject = sandboxRate('records', reach, ctx.limits)
  let left = count
  while (left > 0) {
    const taken = await ctx.rates.takeUpTo(subject, left)
    left -= taken.granted
    if (left > 0) await sleep((taken.resetSeconds || 1) * MS_PER_SECOND, undefined, { signal: ctx.signal })
  }
}
