import { sql as text } from 'kysely'
import type { Clock } from '../base/clock.ts'
import type { Sql } from './open.ts'

/** How often the database is asked for its time. */
const ASKED_EVERY_MS = 10_000

/** The time of the database, which every process that shares it agrees on. */
interface DatabaseClock extends Clock {
  /** Asks the database no more. */
  stop(): void
}

/**
 * Opens a clock that the database sets and that goes evenly in between: when this machine's own time jumps, neither
 * leases nor caps nor what is kept for a while notice. While the database does not answer, the clock goes on by itself.
 */
export async function openDatabaseClock(sql: Sql): Promise<DatabaseClock> {
  const ask = () =>
    sql.transact(null, async (tx) => {
      const fromMs = performance.now()
      const { at } = await tx.selectNoFrom(text<Date>`clock_timestamp()`.as('at')).executeTakeFirstOrThrow()
      // It was read somewhere on the way there and back.
      return at.getTime() - (fromMs + performance.now()) / 2
    })
  let beganAtMs = await ask()
  let isAsking = false
  const timer = setInterval(async () => {
    if (isAsking) return
    isAsking = true
    beganAtMs = await ask().catch(() => beganAtMs)
    isAsking = false
  }, ASKED_EVERY_MS).unref()
  return {
    now: () => new Date(beganAtMs + performance.now()),
    stop: () => clearInterval(timer),
  }
}
