import { sql as sqlText } from 'kysely'
import { MS_PER_SECOND } from '../../../base/clock.ts'
import { Fault } from '../../../base/fault.ts'
import { sandboxColumns } from '../../../db/of-sandbox.ts'
import type { Sql } from '../../../db/open.ts'
import type { DeliverySource } from './delivery-source.ts'

/** Source whose deliveries are counted. */
export type CountedSource = Pick<DeliverySource, 'userId' | 'sandboxId' | 'sourceId'>

/** Result of a rate limit check: the decision, and the number of further deliveries in the current minute. */
export interface RateSlot {
  readonly isGranted: boolean
  readonly remaining: number
  /** Seconds until more deliveries are allowed. */
  readonly resetSeconds: number
}

/** Rate limiter by source across all processes: never more than the limit in any 60 seconds. */
export type DeliveryRates = ReturnType<typeof openDeliveryRates>

interface PendingSlot {
  resolve: (slot: RateSlot) => void
  reject: (cause: unknown) => void
}

/** This process's cached state of a source's rate limit. It is valid until `untilMs`. */
interface SourceMinute {
  source: CountedSource
  limit: number
  waiting: PendingSlot[]
  untilMs: number
  /** Reserved and unused slots, and the second of the database's clock in which they are counted. */
  left: number
  second: number
  used: number
  resetSeconds: number
  /** Deliveries in the current and the previous second, and the end of the current one. */
  count: number
  countBefore: number
  countedUntilMs: number
}

interface SlotsRow {
  place: number
  granted: number
  used: number
  free_in: number
  second: number
  rest_ms: number
}

/** Maximum number of sources per SQL statement. */
const BATCH_MAX = 500
/** Default maximum number of sources in the cache. */
const KNOWN_MAX = 20_000
/** Maximum number of slots reserved for the next second, and slots per delivery of the previous second. */
const PREFETCH_MAX = 100
const PREFETCH_FACTOR = 1.25
/** Milliseconds between returns of unused reservations. */
const RETURN_MS = 1_000

interface RatesPorts {
  readonly sql: Sql
  /** Returns the milliseconds since any fixed moment. Default: the process's monotonic clock. */
  readonly monotonicMs?: () => number
  /** Maximum number of sources in the cache. */
  readonly knownMax?: number
}

/**
 * Opens the rate limiter. One SQL statement counts all queued deliveries. For a busy source it also reserves as many
 * slots as the previous second used, so that most deliveries are counted in memory. It reserves only while half of the
 * limit per minute is free, and returns unused slots. Near the limit, deliveries are counted one by one, so the limit
 * is exact. Reservations are counted in the database's next second and used within one second after the request.
 * Therefore none leaves the sliding minute too early, and busy sources do not all query at the start of a second.
 */
export function openDeliveryRates(ports: RatesPorts) {
  const { sql, monotonicMs = () => performance.now(), knownMax = KNOWN_MAX } = ports
  const known = new Map<string, SourceMinute>()
  let due = new Set<SourceMinute>()
  let flushing: Promise<void> | undefined

  const flush = async (): Promise<void> => {
    // Deliveries of the same event loop iteration share a statement.
    await new Promise((resolve) => setImmediate(resolve))
    while (due.size > 0) {
      const batch = [...due].slice(0, BATCH_MAX)
      for (const one of batch) due.delete(one)
      await settle({ sql, monotonicMs }, batch)
    }
    flushing = undefined
  }
  const enqueue = (one: SourceMinute): void => {
    due.add(one)
    flushing ??= flush()
  }

  const returnUnused = (): void => {
    const nowMs = monotonicMs()
    for (const one of known.values()) if (one.left > 0 && one.untilMs <= nowMs) enqueue(one)
  }
  const timer = setInterval(returnUnused, RETURN_MS).unref()

  return {
    /** Counts one delivery. Rejects with `unavailable`, or with `unauthorized` if its source was deleted. */
    take: async (source: CountedSource, limit: number) => {
      const one = knownOf(known, source)
      const evicted = known.size > knownMax ? evictEldest(known) : undefined
      // Returns the reservations of an evicted entry and makes no new ones for it.
      if (evicted && evicted.left > 0) enqueue(Object.assign(evicted, { count: 0, countBefore: 0 }))
      // Reservations made under another limit are returned before one is granted under this limit.
      if (one.limit !== limit) one.untilMs = 0
      one.limit = limit
      one.count += 1
      if (monotonicMs() < one.untilMs && one.waiting.length === 0) {
        if (one.left > 0) {
          one.left -= 1
          return slotOf(one, true)
        }
        if (one.used >= limit) return slotOf(one, false)
      }
      const promise = new Promise<RateSlot>((resolve, reject) => one.waiting.push({ resolve, reject }))
      enqueue(one)
      return promise
    },
    close: async () => {
      clearInterval(timer)
      due = new Set()
      await flushing
    },
  }
}

function knownOf(known: Map<string, SourceMinute>, source: CountedSource): SourceMinute {
  const { sourceId } = source
  const one = known.get(sourceId) ?? { source, limit: 0, waiting: [], ...UNKNOWN }
  known.delete(sourceId)
  known.set(sourceId, one)
  return one
}

/** Removes the least recently used source, unless it has queued deliveries. */
function evictEldest(known: Map<string, SourceMinute>): SourceMinute | undefined {
  const [eldest] = known.values()
  if (eldest?.waiting.length !== 0) return undefined
  known.delete(eldest.source.sourceId)
  return eldest
}

const UNKNOWN = {
  untilMs: 0,
  left: 0,
  second: 0,
  used: 0,
  resetSeconds: 0,
  count: 0,
  countBefore: 0,
  countedUntilMs: 0,
}

function slotOf({ limit, used, left, resetSeconds }: SourceMinute, isGranted: boolean): RateSlot {
  return { isGranted, remaining: Math.max(0, limit - used) + left, resetSeconds }
}

/** Counts several sources in one statement, or separately if one of them was deleted meanwhile. */
async function settle(ports: Required<Omit<RatesPorts, 'knownMax'>>, batch: SourceMinute[]): Promise<void> {
  // Sorted, so that concurrent transactions lock rows in the same order and cannot deadlock.
  const ordered = batch.toSorted((one, other) => (one.source.sourceId < other.source.sourceId ? -1 : 1))
  const served = ordered.map(({ waiting }) => waiting.splice(0))
  const beganMs = ports.monotonicMs()
  for (const one of ordered) roll(one, beganMs)
  const requests = ordered.map((one, at) => ({ one, wanted: served[at]?.length ?? 0, ahead: prefetchOf(one) }))
  try {
    for (const row of await reserveSlots(ports.sql, requests)) {
      settleAll(ordered[row.place] as SourceMinute, served[row.place] ?? [], row, beganMs)
    }
  } catch (cause) {
    const isGone = cause instanceof Fault && cause.code === 'not_found'
    for (const [at, one] of ordered.entries()) {
      const own = served[at] ?? []
      if (isGone && ordered.length > 1) {
        one.waiting.unshift(...own)
        await settle(ports, [one])
      } else for (const { reject } of own) reject(isGone ? new Fault('unauthorized') : cause)
    }
  }
}

/** Starts the next one-second window when the current one has ended. */
function roll(one: SourceMinute, nowMs: number): void {
  if (nowMs < one.countedUntilMs) return
  const isNext = nowMs - one.countedUntilMs < MS_PER_SECOND
  one.countBefore = isNext ? one.count : 0
  one.count = 0
  one.countedUntilMs = nowMs + MS_PER_SECOND
}

function prefetchOf({ limit, used, countBefore, count }: SourceMinute): number {
  const expected = Math.ceil(countBefore * PREFETCH_FACTOR) - count
  return Math.max(0, Math.min(expected, PREFETCH_MAX, Math.floor(limit / 2 - used)))
}

function settleAll(one: SourceMinute, served: PendingSlot[], row: SlotsRow, beganMs: number): void {
  const { granted, used, second, free_in: resetSeconds } = row
  const slots = Math.min(granted, served.length)
  // `rest_ms` counts from the database's response, which came after `beganMs`. The sum is therefore never too late.
  Object.assign(one, { second, used, resetSeconds, left: granted - slots, untilMs: beganMs + row.rest_ms })
  for (const [at, { resolve }] of served.entries()) resolve(slotOf(one, at < slots))
}

/** Counts in the database. Losing counts in a power failure is acceptable, so the transaction is not synced to disk. */
async function reserveSlots(
  sql: Sql,
  requests: { one: SourceMinute; wanted: number; ahead: number }[],
): Promise<SlotsRow[]> {
  const given = requests.map(({ one: { source, limit, left, second }, wanted, ahead }, place) => ({
    place,
    ...sandboxColumns(source),
    source_id: source.sourceId,
    allowed: limit,
    wanted: wanted + ahead,
    is_ahead: ahead > 0,
    unused: left,
    unused_second: second,
  }))
  // Reservations must not be used while they are being returned.
  for (const { one } of requests) one.left = 0
  return sql.write(
    { door: true },
    (tx) => ({
      compile: () =>
        sqlText<SlotsRow>`
    with moment as materialized (select extract(epoch from clock_timestamp()) as at),
    given as materialized (
      select given.*, (floor(at) + is_ahead::integer)::bigint as second,
        case when is_ahead then ${MS_PER_SECOND}::integer
        else ((1 - (at - floor(at))) * ${MS_PER_SECOND}::integer)::integer end as rest_ms
      from json_to_recordset(${JSON.stringify(given)}::text::json) as given (
        place integer, user_id text, sandbox_id text, source_id text, allowed bigint, wanted bigint, is_ahead boolean,
        unused bigint, unused_second bigint
      ), moment
    )
    select place, granted, used, free_in, second, rest_ms
    from given, lateral take_deliveries(
      user_id, sandbox_id, source_id, allowed, wanted, second, unused, unused_second
    )`.compile(tx),
    }),
    { isDurable: false },
  )
}
