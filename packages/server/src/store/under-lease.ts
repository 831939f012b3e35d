import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../base/fault.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { type Lease, takeLease, withHeldKey } from './lease.ts'
import type { Planes } from './planes.ts'

/** Serializes the work on a sandbox's data within this process. */
export interface SandboxMutex {
  /** Runs work on a sandbox's data between the batches that this process applies to it. */
  runExclusive<T>(sandboxId: string, work: () => Promise<T>): Promise<T>
  /** Keeps this process's lease on the sandbox until the work ends, also between batches. */
  keepLease<T>(sandboxId: string, work: () => Promise<T>): Promise<T>
}

/** Milliseconds to wait for a lease of another process, and between attempts. */
const WAIT_MS = 10_000
const RETRY_MS = 250

/** Runs work under the sandbox's lease, between two batches. Throws `unavailable` after WAIT_MS without the lease. */
export async function underLease<T>(
  planes: Planes,
  applier: Pick<SandboxMutex, 'runExclusive'>,
  sandbox: SandboxRef,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const until = performance.now() + WAIT_MS
  for (;;) {
    const done = await applier.runExclusive(sandbox.sandboxId, async () => {
      const lease = await planes.sql.transact(sandbox.userId, (tx) => takeLease(tx, sandbox, planes))
      return lease && { result: await work(withHeldKey(planes.seals, lease)) }
    })
    if (done) return done.result
    if (performance.now() > until) throw new Fault('unavailable')
    await sleep(RETRY_MS)
  }
}
