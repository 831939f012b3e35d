import { sql as text } from 'kysely'
import type { Clock } from '../base/clock.ts'
import type { Sql } from './open.ts'

/** Milliseconds between queries of the database's time. */
const SYNC_INTERVAL_MS = 10_000

/** The database's time, which all processes that share it agree on. */
interface DatabaseClock extends Clock {
  stop(): void
}

/**
 * Opens a clock that follows the database and advances steadily between queries. Therefore a jump of this machine's
 * time does not affect leases, quotas or retention periods. The clock continues while the database does not respond.
 */
export async function openDatabaseClock(sql: Sql): Promise<DatabaseClock> {
  const ask = () =>
    sql.transact(null, async (tx) => {
      const fromMs = performance.now()
      const { at } = await tx.selectNoFrom(text<Date>`clock_timestamp()`.as('at')).executeTakeFirstOrThrow()
      // The database read its clock between the two readings here.
      return at.getTime() - (fromMs + performance.now()) / 2
    })
  let beganAtMs = await ask()
  let isAsking = false
  const timer = setInterval(async () => {
    if (isAsking) return
    isAsking = true
    beganAtMs = await ask().catch(() => beganAtMs)
    isAsking = false
  }, SYNC_INTERVAL_MS).unref()
  return {
    now: () => new Date(beganAtMs + performance.now()),
    stop: () => clearInterval(timer),
  }
}
