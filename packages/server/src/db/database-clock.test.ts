import { setTimeout as sleep } from 'node:timers/promises'
import { sql as text } from 'kysely'
import { afterEach, expect, test, vi } from 'vitest'
import { onEachEngine } from '../../../../tests/harness/postgres.ts'
import { openDatabaseClock } from './database-clock.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Two readings of one clock are always closer than this, even on a busy machine. The tested jumps are a day. */
const NEAR_MS = 3_600_000
const ASKED_EVERY_MS = 10_000
const SET_BACK_MS_MAX = 1_000

onEachEngine((sql) => {
  afterEach(() => {
    vi.useRealTimers()
  })
  const databaseMs = () =>
    sql().transact(null, async (tx) => {
      const { at } = await tx.selectNoFrom(text<Date>`clock_timestamp()`.as('at')).executeTakeFirstOrThrow()
      return at.getTime()
    })

  test('it continues evenly when this machine’s time jumps forward by a day, or back by two', async () => {
    const clock = await openDatabaseClock(sql())
    vi.useFakeTimers({ toFake: ['Date'] })
    for (const jumpMs of [DAY_MS, -2 * DAY_MS]) {
      vi.setSystemTime(Date.now() + jumpMs)
      expect(Math.abs(clock.now().getTime() - (await databaseMs()))).toBeLessThan(NEAR_MS)
    }
    clock.stop()
  })

  test('its drift is corrected at the next query of the database', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    const clock = await openDatabaseClock(sql())
    const before = clock.now().getTime()
    await sleep(50)
    expect(clock.now().getTime()).toBe(before)
    // More time has passed on the clock than in the database.
    vi.advanceTimersByTime(ASKED_EVERY_MS)
    expect(clock.now().getTime()).toBe(before + ASKED_EVERY_MS)
    await expect.poll(() => clock.now().getTime()).not.toBe(before + ASKED_EVERY_MS)
    const corrected = clock.now().getTime()
    expect(corrected).toBeGreaterThanOrEqual(before)
    // The machine's clock may be set back slightly during the test.
    expect(corrected).toBeLessThanOrEqual((await databaseMs()) + SET_BACK_MS_MAX)
    clock.stop()
    vi.advanceTimersByTime(2 * ASKED_EVERY_MS)
    await databaseMs()
    expect(clock.now().getTime()).toBe(corrected + 2 * ASKED_EVERY_MS)
  })
})
