import { sql } from 'kysely'
import { MS_PER_SECOND } from '../base/clock.ts'
import { createWaiters } from '../base/waiters.ts'
import type { Planes } from '../store/planes.ts'
import type { SandboxMutex } from '../store/under-lease.ts'
import { createRetainedKeys } from '../tenancy/caller-keys/retained-keys.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { ATTEMPTS_MAX } from './apply.ts'
import { createBatchScheduler } from './batch-scheduler.ts'
import type { CommittedChange } from './commit-entities.ts'
import type { CompactionLane } from './compaction-lane.ts'
import { openHandoffs } from './handoffs.ts'
import { createWaker, startInboxPoller } from './inbox-poller.ts'
import { createIdleTimer, createKeyedMutex, createWorkQueue } from './keyed-mutex.ts'
import { openLeaseKeeper } from './lease-keeper.ts'
import { createLinkageWorker, type LinkageWorker } from './linkage-worker.ts'
import { createIdleLanes } from './snapshot-lane.ts'

/** Maximum milliseconds of a pause while no work is due. */
const PAUSE_MS_MAX = 1_000

const FAILED = ['pair', 'type', 'sandbox'] as const

/** The worker that applies inboxes. Sandboxes are processed concurrently. Each has one bounded batch at a time. */
export interface Applier extends SandboxMutex {
  /** Tells the worker that the sandbox's inbox has records for which a caller waits. */
  wake(sandbox: SandboxRef): void
  /**
   * Tells the worker that the inbox has records from small, occasional deliveries. They are applied at once if the
   * sandbox is idle, otherwise together with the next deliveries.
   */
  wakeDelayed(sandbox: SandboxRef): void
  /** Resolves when the job has completed in this process, or after `ms`. */
  untilCompleted(jobId: string, ms: number): Promise<void>
  /** Returns true if records of the sandbox are waiting for a slot or are being processed. */
  isBusy(sandboxId: string): boolean
  /** Returns the milliseconds since this process last applied a batch of any sandbox. */
  idleMs(): number
  /** Tells the worker that other work changed the sandbox, so that it is compacted when idle. */
  changed(sandbox: SandboxRef, changed: CommittedChange): void
  /** Returns the number of records applied since the process started, by outcome. */
  appliedCounts(): { outcome: string; count: number }[]
  /**
   * Returns two counts: sandboxes whose store failed at the last attempt, and slots that had no effect because another
   * process held the lease.
   */
  delayed(): { unserved: number; leasedElsewhere: number }
  /** Returns the number of failed comparisons since the start: pairs, types, and sandboxes, which are retried. */
  failedComparisons(): { outcome: string; count: number }[]
  /**
   * Releases the leases of idle sandboxes at once, and the leases of the others when their work ends. Other processes
   * can then take them.
   */
  releaseLeases(): Promise<void>
  /** Finishes the current batch, stops, and releases all leases. */
  stop(): Promise<void>
}

/** Starts the worker of this process. */
export function startApplier(planes: Planes): Applier {
  const { wait: untilCompleted, completed } = createWaiters()
  const [queue, idleTimer] = [createWorkQueue(), createIdleTimer()]
  const leases = openLeaseKeeper(planes)
  const mutex = createKeyedMutex((sandboxId, work) => leases.hold(sandboxId, work))
  const stopping = new AbortController()

  const isBusy = (sandboxId: string) => queue.has(sandboxId) || mutex.isLocked(sandboxId)
  const needsKey = async (sandbox: SandboxRef) => isBusy(sandbox.sandboxId) || hasWork(planes, sandbox)
  const keys = createRetainedKeys(planes.seals, needsKey)
  const { wakeAt, wakeLocal, isLocal } = createWaker(planes, queue, keys)
  const runExclusive: Applier['runExclusive'] = (sandboxId, work) => mutex.run(sandboxId, work).finally(queue.wake)

  const compaction = createIdleLanes(planes, { runExclusive })
  const { quietMs, changed } = compaction
  const comparisons = [false, true].map((isOwn) =>
    createLinkageWorker(planes, { runExclusive, keepLease: leases.hold }, { keys, quietMs, isLocal, isOwn }),
  )
  const handoffs = openHandoffs(planes, {
    completed,
    mayHold: (sandboxId) => batches.msSinceStart(sandboxId) < planes.leaseSeconds * MS_PER_SECOND,
    receive: (sandbox, isGathered) => wakeAt(sandbox, isGathered ? batches.gatherDueMs(sandbox.sandboxId) : 0),
  })
  const wake = (sandbox: SandboxRef): void => {
    if (!isLocal(sandbox.sandboxId)) handoffs.send(sandbox)
    else handoffs.recordLocal(sandbox)
    wakeLocal(sandbox)
  }
  const batches = createBatchScheduler(planes, { queue, mutex, idleTimer, wakeAt, wake, handoffs, completed, changed })

  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const next = queue.takeDue(mutex.isLocked)
      if (next) await batches.begin(next)
      else await queue.pause(PAUSE_MS_MAX)
    }
  }
  const poller = startInboxPoller(planes, {
    onWork: (sandbox) => (batches.isAwaitingKey(sandbox.sandboxId) ? undefined : wakeLocal(sandbox)),
    onUncompared: () => {
      for (const { runDue } of comparisons) runDue()
    },
    onTick: compaction.runDue,
    releaseKeys: keys.releaseIdle,
    releaseLeases: () => leases.releaseUnless((sandboxId) => isLocal(sandboxId) || mutex.isLocked(sandboxId)),
  })
  const running = work()
  return {
    wake,
    wakeDelayed: (sandbox) => {
      if (queue.has(sandbox.sandboxId)) return
      if (isLocal(sandbox.sandboxId)) return wakeAt(sandbox, batches.gatherDueMs(sandbox.sandboxId))
      handoffs.send(sandbox, true)
      wakeLocal(sandbox)
    },
    untilCompleted,
    runExclusive,
    keepLease: leases.hold,
    isBusy,
    idleMs: idleTimer.idleMs,
    changed,
    appliedCounts: batches.applied,
    delayed: () => ({ unserved: batches.unserved(), leasedElsewhere: batches.leasedElsewhere() }),
    failedComparisons: () => countFailed(comparisons),
    releaseLeases: async () => {
      await poller.releaseLeases()
      await stopIdleWork(compaction, comparisons)
      await poller.releaseLeases()
    },
    stop: async () => {
      stopping.abort()
      queue.wake()
      await Promise.all([running, poller.stop()])
      await batches.stopped
      await stopIdleWork(compaction, comparisons)
      keys.releaseAll()
      await leases.stop()
    },
  }
}

async function stopIdleWork(compaction: CompactionLane, comparisons: readonly LinkageWorker[]): Promise<void> {
  for (const comparison of comparisons) comparison.stop()
  await compaction.stop()
  await Promise.all(comparisons.map(({ stopped }) => stopped))
}

function countFailed(comparisons: readonly LinkageWorker[]): { outcome: string; count: number }[] {
  return FAILED.map((outcome) => ({
    outcome,
    count: comparisons.reduce((sum, { failed }) => sum + failed[outcome], 0),
  }))
}

/** Returns true if the sandbox has records that wait to be applied, or entities that wait for record linkage. */
async function hasWork(planes: Pick<Planes, 'sql'>, { userId, sandboxId }: SandboxRef): Promise<boolean> {
  const sandboxKey = { user_id: userId, sandbox_id: sandboxId }
  return planes.sql.transact(userId, async (tx) => {
    const waiting = await tx
      .selectFrom('inbox')
      .select('id')
      .where((is) => is.and(sandboxKey))
      .where('attempts', '<', ATTEMPTS_MAX)
      .limit(1)
      .executeTakeFirst()
    if (waiting) return true
    const uncompared = await tx
      .selectFrom('sandbox_head')
      .select(sql`1`.as('one'))
      .where((is) => is.and(sandboxKey))
      .whereRef('comparable_seq', '>', 'compared_seq')
      .executeTakeFirst()
    return uncompared !== undefined
  })
}
