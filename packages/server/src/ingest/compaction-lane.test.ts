import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { unobserved } from '../base/observe.ts'
import type { Planes } from '../store/planes.ts'
import { createCompactionLane } from './compaction-lane.ts'

const SANDBOX = { userId: 'user', sandboxId: 'sandbox' }

/** Opens a lane without idle time, and counts the compactions. A compaction ends at its first dataset. */
function openLane() {
  const planes = {
    compaction: { commits: 100, restMs: 0 },
    buckets: { isOwn: async () => false },
    log: { warn: () => undefined },
    observe: unobserved,
  }
  let compactions = 0
  const runExclusive = async <T>(): Promise<T> => {
    compactions += 1
    return false as T
  }
  const lane = createCompactionLane(planes as unknown as Planes, { runExclusive })
  return {
    changed: (commits: number, totalRecords: number) =>
      lane.changed(SANDBOX, { commits, records: 1, totalRecords, isRemoving: false }),
    runDue: async () => {
      lane.runDue()
      await turn()
      return compactions
    },
  }
}

it('compacts a large idle sandbox only after more commits than a small one', async () => {
  const small = openLane()
  small.changed(10, 1_000)
  expect(await small.runDue()).toBe(1)
  const large = openLane()
  large.changed(10, 200_000)
  expect(await large.runDue()).toBe(0)
})

it('treats a sandbox that changed after a compaction like one that has just become idle', async () => {
  const lane = openLane()
  lane.changed(10, 1_000)
  expect(await lane.runDue()).toBe(1)
  lane.changed(10, 1_000)
  expect(await lane.runDue()).toBe(2)
})
