import { sql as sqlText } from 'kysely'
import { Fault } from '../../base/fault.ts'
import type { Sql } from '../../db/open.ts'
import type { DeliverySource } from './delivery-source.ts'

/** Whose deliveries are counted. */
export type CountedSource = Pick<DeliverySource, 'userId' | 'sandboxId' | 'sourceId'>

/** Whether a delivery has a place in its source's minute, and what is left of that. */
export interface Place {
  readonly isGranted: boolean
  readonly remaining: number
  /** Seconds until the minute allows more than now. */
  readonly resetSeconds: number
}

/** Counts deliveries by source over all processes: never more than the limit in any 60 seconds. */
export interface DeliveryRates {
  /** Takes a place. Rejects with `unavailable` when it cannot be counted, `unauthorized` when its source has gone. */
  take(source: CountedSource, limit: number): Promise<Place>
  close(): Promise<void>
}

interface Waiting {
  resolve: (place: Place) => void
  reject: (cause: unknown) => void
}

/** What this process knows of a source's minute. It holds for the second of the database in which it was asked. */
interface Known {
  source: CountedSource
  limit: number
  waiting: Waiting[]
  second: number
  untilMs: number
  /** Taken and not used yet. */
  left: number
  used: number
  resetSeconds: number
  /** What came in this second, and in the one before. */
  count: number
  countBefore: number
}

interface Answer {
  place: number
  granted: number
  used: number
  free_in: number
  second: number
  rest_ms: number
}

/** Sources of one statement. */
const TOGETHER_MAX = 500
/** Sources that are remembered. */
const KNOWN_MAX = 20_000
/** Places taken ahead for what the next moments bring, at most. */
const AHEAD_MAX = 100
/** What was taken ahead and is not used is given back this often. */
const GIVE_BACK_MS = 1_000
const SECOND_MS = 1_000

/**
 * Opens the counting. One statement asks for all sources that wait. For a source that is busy it also takes what the
 * second before brought, so that most deliveries find their place in memory. That is only done while half of the minute
 * is free, and what is left over goes back: near its limit a source is counted one by one, so the limit is exact.
 */
export function openDeliveryRates({ sql }: { sql: Sql }): DeliveryRates {
  const known = new Map<string, Known>()
  let due = new Set<Known>()
  let asking: Promise<void> | undefined

  const ask = async (): Promise<void> => {
    // Those that come in one turn of the event loop go together.
    await new Promise((resolve) => setImmediate(resolve))
    while (due.size > 0) {
      const together = [...due].slice(0, TOGETHER_MAX)
      for (const one of together) due.delete(one)
      await settle(sql, together)
    }
    asking = undefined
  }
  const want = (one: Known): void => {
    due.add(one)
    asking ??= ask()
  }

  const giveBack = (): void => {
    const nowMs = performance.now()
    for (const one of known.values()) if (one.left > 0 && one.untilMs <= nowMs) want(one)
  }
  const timer = setInterval(giveBack, GIVE_BACK_MS).unref()

  return {
    take: async (source, limit) => {
      const one = knownOf(known, source)
      // What was taken ahead under another limit is given back before a place is given under this one.
      if (one.limit !== limit) one.untilMs = 0
      one.limit = limit
      one.count += 1
      if (performance.now() < one.untilMs && one.waiting.length === 0) {
        if (one.left > 0) {
          one.left -= 1
          return placeOf(one, true)
        }
        if (one.used >= limit) return placeOf(one, false)
      }
      const placed = new Promise<Place>((resolve, reject) => one.waiting.push({ resolve, reject }))
      want(one)
      return placed
    },
    close: async () => {
      clearInterval(timer)
      due = new Set()
      await asking
    },
  }
}

function knownOf(known: Map<string, Known>, source: CountedSource): Known {
  const { sourceId } = source
  const one = known.get(sourceId) ?? { source, limit: 0, waiting: [], ...UNKNOWN }
  known.delete(sourceId)
  known.set(sourceId, one)
  if (known.size > KNOWN_MAX) {
    const [eldest] = known.values()
    if (eldest?.waiting.length === 0) known.delete(eldest.source.sourceId)
  }
  return one
}

const UNKNOWN = { second: 0, untilMs: 0, left: 0, used: 0, resetSeconds: 0, count: 0, countBefore: 0 }

function placeOf({ limit, used, left, resetSeconds }: Known, isGranted: boolean): Place {
  return { isGranted, remaining: Math.max(0, limit - used) + left, resetSeconds }
}

/** Asks for sources together. When one of them has gone meanwhile each is asked for alone, so that it fails alone. */
async function settle(sql: Sql, together: Known[]): Promise<void> {
  // In one order everywhere, so that processes never wait for each other in a circle.
  const asked = together.toSorted((one, other) => (one.source.sourceId < other.source.sourceId ? -1 : 1))
  const served = asked.map(({ waiting }) => waiting.splice(0))
  const beganMs = performance.now()
  for (const one of asked) roll(one, beganMs)
  const wanted = asked.map((one, at) => (served[at]?.length ?? 0) + aheadOf(one))
  try {
    const answers = await askDatabase(sql, asked, wanted)
    for (const answer of answers) {
      const one = asked[answer.place] as Known
      answerAll(one, served[answer.place] ?? [], answer, beganMs)
    }
  } catch (cause) {
    const isGone = cause instanceof Fault && cause.code === 'not_found'
    for (const [at, one] of asked.entries()) {
      const own = served[at] ?? []
      if (isGone && asked.length > 1) {
        one.waiting.unshift(...own)
        await settle(sql, [one])
      } else for (const { reject } of own) reject(isGone ? new Fault('unauthorized') : cause)
    }
  }
}

/** Begins another second when the one that is known is over. */
function roll(one: Known, nowMs: number): void {
  if (nowMs < one.untilMs) return
  const isNext = nowMs - one.untilMs < SECOND_MS
  one.countBefore = isNext ? one.count : 0
  one.count = 0
}

function aheadOf({ limit, used, countBefore, count }: Known): number {
  if (used > limit / 2) return 0
  return Math.max(0, Math.min(countBefore - count, AHEAD_MAX, Math.floor(limit / 2 - used)))
}

function answerAll(one: Known, served: Waiting[], answer: Answer, beganMs: number): void {
  const { granted, used, second, free_in: resetSeconds } = answer
  const places = Math.min(granted, served.length)
  // The database's second ends no sooner than this: the time that the question took is counted as gone.
  Object.assign(one, { second, used, resetSeconds, left: granted - places, untilMs: beganMs + answer.rest_ms })
  for (const [at, { resolve }] of served.entries()) resolve(placeOf(one, at < places))
}

/** What is only counted need not survive a power loss, so nobody waits for the disk. */
async function askDatabase(sql: Sql, asked: Known[], wanted: number[]): Promise<Answer[]> {
  const given = asked.map(({ source, limit, left, second }, place) => ({
    place,
    user_id: source.userId,
    sandbox_id: source.sandboxId,
    source_id: source.sourceId,
    allowed: limit,
    wanted: wanted[place],
    unused: left,
    unused_second: second,
  }))
  // While it is given back nobody may use it.
  for (const one of asked) one.left = 0
  return sql.write(
    { door: true },
    (tx) => ({
      compile: () =>
        sqlText<Answer>`
    with moment as materialized (select extract(epoch from clock_timestamp()) as at)
    select place, granted, used, free_in, floor(at)::bigint as second,
      ((1 - (at - floor(at))) * ${SECOND_MS}::integer)::integer as rest_ms
    from json_to_recordset(${JSON.stringify(given)}::text::json) as given (
      place integer, user_id text, sandbox_id text, source_id text, allowed bigint, wanted bigint, unused bigint,
      unused_second bigint
    ), moment, lateral take_deliveries(
      user_id, sandbox_id, source_id, allowed, wanted, floor(at)::bigint, unused, unused_second
    )`.compile(tx),
    }),
    { isDurable: false },
  )
}
