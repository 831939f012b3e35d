import { createBackoffs } from '../base/backoffs.ts'
import { Fault } from '../base/fault.ts'
import { createBulkhead } from '../store/buckets/bulkhead.ts'
import type { Planes } from '../store/planes.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { applyBatch } from './apply.ts'
import type { CommittedChange } from './commit-entities.ts'
import type { Handoffs } from './handoffs.ts'
import type { IdleTimer, KeyedMutex, WorkQueue } from './keyed-mutex.ts'
import { createSlotPool } from './keyed-mutex.ts'

/** Milliseconds until a sandbox is tried again if its slot had no effect or no slot was free. */
const RETRY_MS = 500
/** Backoff in milliseconds for a sandbox whose batch failed. Without it, failed attempts could fill a full disk. */
const BACKOFF_MS = { first: 500, last: 4_000 } as const
/**
 * Milliseconds for which occasional records of a sandbox are collected. A batch costs as much as many of its records.
 */
const GATHER_MS = 400
/**
 * Number of scheduling rounds for which occasional records are collected if many sandboxes have some. One round gives a
 * slot to each waiting sandbox.
 */
const GATHER_BATCHES = 4
/**
 * Maximum milliseconds of collecting. Delivered records can be queried within two seconds, however many sandboxes
 * receive some.
 */
const GATHER_MS_MAX = 1_000
/** Milliseconds after which a slot gives up its lane. Most of a longer slot is spent waiting for storage. */
const SLOT_MS_MAX = 1_000
/** Maximum number of longer slots that run in addition to the lanes, per lane. */
const SLOW_PER_SLOT = 2
/** Maximum number of sandboxes for which the last slot or store failure is remembered. */
const REMEMBERED_MAX = 10_000

const OUTCOMES = ['written', 'unchanged', 'removed', 'failed'] as const

interface BatchScheduler {
  /**
   * Starts a slot of a sandbox. Resolves when the next slot may start. If the sandbox has its own bucket, or if its
   * last slot in the service's storage failed, the slot runs in a bulkhead.
   */
  begin(sandbox: SandboxRef): Promise<void>
  /** Returns the milliseconds since a slot of the sandbox started here. */
  msSinceStart(sandboxId: string): number
  /** Returns the time at which collected records of a sandbox are due, on the scale of `performance.now()`. */
  gatherDueMs(sandboxId: string): number
  /** Returns true if the sandbox's work waits for a key, so that checking it again would change nothing. */
  isAwaitingKey(sandboxId: string): boolean
  /** Returns the number of records applied since the process started, by outcome. */
  applied(): { outcome: string; count: number }[]
  /** Returns the number of sandboxes in the service's storage whose store failed at their last slot in this process. */
  unserved(): number
  /** Returns the number of slots that had no effect because another process held the lease. */
  leasedElsewhere(): number
  /** Resolves when no slot is running. */
  readonly stopped: Promise<unknown>
}

interface SchedulerContext {
  queue: WorkQueue
  mutex: KeyedMutex
  idleTimer: IdleTimer
  wakeAt(sandbox: SandboxRef, dueMs: number): void
  wake(sandbox: SandboxRef): void
  handoffs: Handoffs
  completed(jobId: string): void
  changed(sandbox: SandboxRef, changed: CommittedChange): void
}

export function createBatchScheduler(
  planes: Planes,
  { queue, mutex, idleTimer, wakeAt, wake, handoffs, ...callbacks }: SchedulerContext,
): BatchScheduler {
  const startedAtMs = new Map<string, number>()
  const counts = { written: 0, unchanged: 0, removed: 0, failed: 0 }
  const awaitingKey = new Set<string>()
  const bulkhead = createBulkhead(planes.log, 'applying records in a customer bucket failed', queue.wake)
  /** Sandboxes in the service's storage whose store failed at their last slot, oldest failure first. */
  const unserved = new Set<string>()
  const backoffs = createBackoffs(BACKOFF_MS.first, BACKOFF_MS.last)
  const { commitsAtOnce } = planes
  const slots = createSlotPool({ slots: commitsAtOnce, slotMsMax: SLOT_MS_MAX, slowMax: commitsAtOnce * SLOW_PER_SLOT })
  /** Duration of the last slot in milliseconds. */
  let batchMs = 0
  let leasedElsewhere = 0

  const wakeLater = (sandbox: SandboxRef): void => wakeAt(sandbox, performance.now() + RETRY_MS)

  const waitForKey = (sandbox: SandboxRef): void => {
    awaitingKey.add(sandbox.sandboxId)
    planes.seals.whenHeld(sandbox.sandboxId, 'applier', () => {
      awaitingKey.delete(sandbox.sandboxId)
      wake(sandbox)
    })
    // The key may have arrived after the check.
    if (planes.seals.findAny(sandbox.sandboxId)) wake(sandbox)
  }

  const applyNextBatch = async (sandbox: SandboxRef): Promise<void> => {
    recordStart(startedAtMs, sandbox.sandboxId)
    const apply = () => idleTimer.track(() => applyBatch(planes, sandbox))
    const result = await mutex.run(sandbox.sandboxId, () => planes.observe('batch.apply', apply))
    batchMs = performance.now() - (startedAtMs.get(sandbox.sandboxId) ?? 0)
    unserved.delete(sandbox.sandboxId)
    if (result.counts) for (const outcome of OUTCOMES) counts[outcome] += result.counts[outcome]
    if (result.needsKey) waitForKey(sandbox)
    for (const jobId of result.completedJobs) callbacks.completed(jobId)
    handoffs.done(sandbox.sandboxId, result.completedJobs)
    if (result.isLeased) {
      leasedElsewhere += 1
      handoffs.leasedElsewhere(sandbox)
    }
    if (result.changed) callbacks.changed(sandbox, result.changed)
    if (result.applied > 0 && result.again) wake(sandbox)
    else if (result.again) wakeLater(sandbox)
  }

  /** Runs a slot in the service's storage. Never rejects. */
  const runBatch = async (sandbox: SandboxRef): Promise<void> => {
    const { sandboxId } = sandbox
    try {
      await applyNextBatch(sandbox)
      backoffs.succeeded(sandboxId)
    } catch (error) {
      backoffs.failed(sandboxId)
      if (error instanceof Fault && error.reason === 'storage_unavailable') remember(unserved, sandboxId)
      planes.log.error('apply failed', { sandboxId, error })
      wakeLater(sandbox)
    }
  }

  return {
    begin: async (sandbox) => {
      const { sandboxId } = sandbox
      if (unserved.has(sandboxId) || (await planes.buckets.isOwn(sandbox))) {
        if (!bulkhead.begin(sandboxId, () => applyNextBatch(sandbox))) wakeLater(sandbox)
        return
      }
      if (!backoffs.isDue(sandboxId)) return wakeLater(sandbox)
      // Other work on the sandbox has started. The scheduler is woken when it ends.
      if (mutex.isLocked(sandboxId)) return wakeAt(sandbox, 0)
      await slots.begin(() => runBatch(sandbox).finally(queue.wake))
    },
    msSinceStart: (sandboxId) => performance.now() - (startedAtMs.get(sandboxId) ?? Number.NEGATIVE_INFINITY),
    gatherDueMs: (sandboxId) => (startedAtMs.get(sandboxId) ?? 0) + gatherMs((batchMs * queue.size) / commitsAtOnce),
    isAwaitingKey: (sandboxId) => awaitingKey.has(sandboxId),
    unserved: () => unserved.size,
    leasedElsewhere: () => leasedElsewhere,
    applied: () => OUTCOMES.map((outcome) => ({ outcome, count: counts[outcome] })),
    get stopped() {
      return Promise.all([bulkhead.stopped, slots.stopped])
    },
  }
}

function gatherMs(roundMs: number): number {
  return Math.min(GATHER_MS_MAX, Math.max(GATHER_MS, GATHER_BATCHES * roundMs))
}

function remember(unserved: Set<string>, sandboxId: string): void {
  unserved.add(sandboxId)
  if (unserved.size > REMEMBERED_MAX) unserved.delete(unserved.keys().next().value as string)
}

function recordStart(begun: Map<string, number>, sandboxId: string): void {
  begun.delete(sandboxId)
  begun.set(sandboxId, performance.now())
  if (begun.size > REMEMBERED_MAX) begun.delete(begun.keys().next().value as string)
}
