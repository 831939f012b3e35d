import { MS_PER_SECOND } from '../base/clock.ts'
import { dropLeases, listHeldLeases, renewLeases } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'

/** Renews the leases of this process while it uses them, so that leases can be short. */
interface LeaseKeeper {
  /**
   * Runs the work and keeps the sandbox's lease meanwhile. Afterwards it releases the lease if other processes work on
   * the sandbox too.
   */
  hold<T>(sandboxId: string, work: () => Promise<T>): Promise<T>
  /** Releases the leases of this process for which `isKept` returns false. */
  releaseUnless(isKept: (sandboxId: string) => boolean): Promise<void>
  /** Stops renewing and releases all leases of this process. Must be called only when no work is running. */
  stop(): Promise<void>
}

/** Number of renewals during the duration of a lease. Two of them may fail before it expires. */
const RENEWALS_PER_LEASE = 3
/** Milliseconds after which work is considered stuck, and its lease is no longer renewed. */
const WORK_MS_MAX = 3_600_000

type LeasePlanes = Pick<Planes, 'cluster' | 'sql' | 'log' | 'observe' | 'ownerId' | 'leaseSeconds'>

/** Opens the lease keeper. One statement renews all leases in use. Without work, no statement is sent. */
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
      log.warn('leases could not be renewed', { error })
    })
  }
  /** Releases the lease, unless other work here still uses it. */
  const releaseLease = async (sandboxId: string): Promise<void> => {
    if ([...working].some((other) => other.sandboxId === sandboxId)) return
    await sql
      .transact({ worker: true }, (tx) => dropLeases(tx, ownerId, [sandboxId]))
      .catch((error: unknown) => {
        log.warn('a lease could not be released; it expires', { sandboxId, error })
      })
  }
  const tick = (): void => {
    renewing ??= renew().finally(() => {
      renewing = undefined
    })
  }
  const timer = setInterval(tick, (leaseSeconds * MS_PER_SECOND) / RENEWALS_PER_LEASE).unref()
  return {
    hold: async (sandboxId, work) => {
      const entry = { sandboxId, sinceMs: performance.now() }
      working.add(entry)
      try {
        return await work()
      } finally {
        working.delete(entry)
        if (!cluster.isSettled(sandboxId)) await releaseLease(sandboxId)
      }
    },
    releaseUnless: (isKept) =>
      sql.transact({ worker: true }, async (tx) => {
        const ids = (await listHeldLeases(tx, ownerId)).filter((id) => !isKept(id))
        if (ids.length > 0) await dropLeases(tx, ownerId, ids)
      }),
    stop: async () => {
      clearInterval(timer)
      await renewing
      await sql
        .transact({ worker: true }, (tx) => dropLeases(tx, ownerId))
        .catch((error: unknown) => {
          log.warn('leases could not be released; they expire', { error })
        })
    },
  }
}
