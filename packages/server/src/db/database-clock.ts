import { sql as text } from 'kysely'
import type { Clock } from '../base/clock.ts'
import type { Sql } from './open.ts'

/** Milliseconds between queries of the database's time. */
const SYNC_INTERVAL_MS = 10_000

/** Clock that follows the database, so that all processes of a database agree on the time. */
interface DatabaseClock extends Clock {
  stop(): void
}

/**
 * Opens a clock that is synchronized with the database and advances with this process's monotonic clock. A jump of this
 * machine's time thus does not affect leases, quotas or retention. The clock runs on if the database stops responding.
 */
export async function openDatabaseClock(sql: Sql): Promise<DatabaseClock> {
  const queryOffsetMs = () =>
    sql.transact(null, async (tx) => {
      const sentMs = performance.now()
      const { at } = await tx.selectNoFrom(text<Date>`clock_timestamp()`.as('at')).executeTakeFirstOrThrow()
      // Assumes that the database read its clock halfway between request and response.
      return at.getTime() - (sentMs + performance.now()) / 2
    })
  let offsetMs = await queryOffsetMs()
  let isQuerying = false
  const timer = setInterval(async () => {
    if (isQuerying) return
    isQuerying = true
    offsetMs = await queryOffsetMs().catch(() => offsetMs)
    isQuerying = false
  }, SYNC_INTERVAL_MS).unref()
  return {
    now: () => new Date(offsetMs + performance.now()),
    stop: () => clearInterval(timer),
  }
}
