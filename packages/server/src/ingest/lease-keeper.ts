import { MS_PER_SECOND } from '../base/clock.ts'
import { dropLeases, dropLeasesOf, heldLeases, renewLeases } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'

/** Keeps this process's leases for as long as its work takes, so that a lease can be short. */
interface LeaseKeeper {
  /**
   * Runs the work; a lease of the sandbox that is held while it goes on does not run out, and is given up at its end
   * where other processes have to do with the sandbox too.
   */
  keep<T>(sandboxId: string, work: () => Promise<T>): Promise<T>
  /** Gives up the leases of this process but those that are kept. */
  giveUp(isKept: (sandboxId: string) => boolean): Promise<void>
  /** Renews nothing more and gives every lease of this process up. It is for when no work goes on any more. */
  stop(): Promise<void>
}

/** Two renewals may fail before a lease runs out. */
const RENEWALS_PER_LEASE = 3
/** Work that has not ended by then hangs: others get the sandbox. */
const WORK_MS_MAX = 3_600_000

type LeasePlanes = Pick<Planes, 'cluster' | 'sql' | 'log' | 'observe' | 'ownerId' | 'leaseSeconds'>

/** Opens the keeping of leases: one statement renews all that work goes on under, and none is made without work. */
export function openLeaseKeeper(planes: LeasePlanes): LeaseKeeper {
  const { cluster, sql, log, observe, ownerId, leaseSeconds } = planes
  const working = new Set<{ sandboxId: string; sinceMs: number }>()
  let renewing: Promise<void> | undefined
  const renew = async (): Promise<void> => {
    const fromMs = performance.now() - WORK_MS_MAX
    const ids = new Set([...working].flatMap(({ sandboxId, sinceMs }) => (sinceMs > fromMs ? [sandboxId] : [])))
    if (ids.size === 0) return
    const write = () => sql.transact({ worker: true }, (tx) => renewLeases(tx, planes, [...ids]))
    await observe('leases.renew', write).catch((error: unknown) => {
      log.warn('leases were not renewed', { error })
    })
  }
  /** Others work on the sandbox too, and need not wait until the lease runs out. */
  const giveBack = async (sandboxId: string): Promise<void> => {
    if ([...working].some((other) => other.sandboxId === sandboxId)) return
    await sql
      .transact({ worker: true }, (tx) => dropLeasesOf(tx, ownerId, [sandboxId]))
      .catch((error: unknown) => {
        log.warn('a lease was not given up, and runs out', { sandboxId, error })
      })
  }
  const tick = (): void => {
    renewing ??= renew().finally(() => {
      renewing = undefined
    })
  }
  const timer = setInterval(tick, (leaseSeconds * MS_PER_SECOND) / RENEWALS_PER_LEASE).unref()
  return {
    keep: async (sandboxId, work) => {
      const entry = { sandboxId, sinceMs: performance.now() }
      working.add(entry)
      try {
        return await work()
      } finally {
        working.delete(entry)
        if (!cluster.isSettled(sandboxId)) await giveBack(sandboxId)
      }
    },
    giveUp: (isKept) =>
      sql.transact({ worker: true }, async (tx) => {
        const ids = (await heldLeases(tx, ownerId)).filter((id) => !isKept(id))
        if (ids.length > 0) await dropLeasesOf(tx, ownerId, ids)
      }),
    stop: async () => {
      clearInterval(timer)
      await renewing
      await sql
        .transact({ worker: true }, (tx) => dropLeases(tx, ownerId))
        .catch((error: unknown) => {
          log.warn('leases were not given up, and run out', { error })
        })
    },
  }
}
