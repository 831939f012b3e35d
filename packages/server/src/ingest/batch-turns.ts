import { createBackoffs } from '../base/backoffs.ts'
import { Fault } from '../base/fault.ts'
import { createBulkhead } from '../store/buckets/bulkhead.ts'
import type { Planes } from '../store/planes.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { applyBatch } from './apply.ts'
import type { Changed } from './commit-entities.ts'
import type { Errands } from './errands.ts'
import type { Rest, Turns, WaitingLine } from './turns.ts'
import { createLanes } from './turns.ts'

/** How long a sandbox is left alone whose turn came to nothing, or that has no place. */
const RETRY_MS = 500
/** One whose batch failed is left alone longer each time, so that a disk that is full is not filled with tries. */
const PATIENCE_MS = { first: 500, last: 4_000 } as const
/** What trickles into a sandbox is applied together, this often: each batch costs as much as many of its records. */
const GATHER_MS = 400
/** Where many are fed so, each waits so many times as long as one turn of all takes: the rest is for others. */
const GATHER_TURNS = 4
/** What was delivered can be queried within two seconds, however many are fed. */
const GATHER_MS_MAX = 1_000
/** Sandboxes in the platform's storage are worked on side by side: most of a turn's time is spent waiting for it. */
const LANE_MS_MAX = 1_000
/** Turns that have lasted longer and go on beside, for each lane. */
const SLOW_PER_LANE = 2
/** Sandboxes of which it is remembered when their last turn began, and of which that their store failed. */
const REMEMBERED_MAX = 10_000

const OUTCOMES = ['written', 'unchanged', 'removed', 'failed'] as const

interface BatchTurns {
  /**
   * Begins a turn of a sandbox, and resolves when another may begin. A sandbox with its own bucket, and one whose
   * objects the platform's store did not give at its last turn, is worked on beside the others.
   */
  begin(sandbox: SandboxRef): Promise<void>
  /** How long ago a turn of the sandbox began here. */
  sinceBegunMs(sandboxId: string): number
  /** When what comes one by one into a sandbox is due. */
  gatheredMs(sandboxId: string): number
  /** Whether its work waits for a key: looking at it again would find the same. */
  isSealed(sandboxId: string): boolean
  /** Records applied since the program began, by what became of them. */
  applied(): { outcome: string; count: number }[]
  /** Sandboxes in the platform's storage whose store failed at their last turn. */
  unserved(): number
  /** Turns that came to nothing, as another process has the lease. */
  leasedElsewhere(): number
  /** Resolves when no turn is at work. */
  readonly stopped: Promise<unknown>
}

/** What batch turns use, and whom they tell. */
interface Surroundings {
  line: WaitingLine
  turns: Turns
  rest: Rest
  wakeAt(sandbox: SandboxRef, dueMs: number): void
  wake(sandbox: SandboxRef): void
  errands: Errands
  completed(jobId: string): void
  changed(sandbox: SandboxRef, changed: Changed): void
}

/** Batch turns of one process. */
export function createBatchTurns(
  planes: Planes,
  { line, turns, rest, wakeAt, wake, errands, ...told }: Surroundings,
): BatchTurns {
  const begun = new Map<string, number>()
  const counts = { written: 0, unchanged: 0, removed: 0, failed: 0 }
  const sealed = new Set<string>()
  const bulkhead = createBulkhead(planes.log, 'work beside the other sandboxes failed', line.rouse)
  /** Sandboxes in the platform's storage whose store failed at their last turn, the longest known first. */
  const unserved = new Set<string>()
  const backoffs = createBackoffs(PATIENCE_MS.first, PATIENCE_MS.last)
  const { commitsAtOnce } = planes
  const lanes = createLanes({ lanes: commitsAtOnce, laneMsMax: LANE_MS_MAX, slowMax: commitsAtOnce * SLOW_PER_LANE })
  /** How long the last turn took. */
  let turnMs = 0
  let leasedElsewhere = 0

  const wakeLater = (sandbox: SandboxRef): void => wakeAt(sandbox, performance.now() + RETRY_MS)

  const waitForKey = (sandbox: SandboxRef): void => {
    sealed.add(sandbox.sandboxId)
    planes.seals.whenHeld(sandbox.sandboxId, 'applier', () => {
      sealed.delete(sandbox.sandboxId)
      wake(sandbox)
    })
    // It may have been brought since it was looked for.
    if (planes.seals.findAny(sandbox.sandboxId)) wake(sandbox)
  }

  const takeTurn = async (sandbox: SandboxRef): Promise<void> => {
    note(begun, sandbox.sandboxId)
    const apply = () => rest.endedBy(() => applyBatch(planes, sandbox))
    const turn = await turns.take(sandbox.sandboxId, () => planes.observe('batch.apply', apply))
    turnMs = performance.now() - (begun.get(sandbox.sandboxId) ?? 0)
    if (turn.applied > 0) unserved.delete(sandbox.sandboxId)
    if (turn.counts) for (const outcome of OUTCOMES) counts[outcome] += turn.counts[outcome]
    if (turn.needsKey) waitForKey(sandbox)
    for (const jobId of turn.completedJobs) told.completed(jobId)
    errands.done(sandbox.sandboxId, turn.completedJobs)
    if (turn.isLeased) {
      leasedElsewhere += 1
      errands.leasedElsewhere(sandbox)
    }
    if (turn.changed) told.changed(sandbox, turn.changed)
    if (turn.applied > 0 && turn.again) wake(sandbox)
    else if (turn.again) wakeLater(sandbox)
  }

  /** A turn in the platform's storage, which never rejects. */
  const turnOf = async (sandbox: SandboxRef): Promise<void> => {
    const { sandboxId } = sandbox
    try {
      await takeTurn(sandbox)
      backoffs.succeeded(sandboxId)
    } catch (error) {
      backoffs.failed(sandboxId)
      if (error instanceof Fault && error.reason === 'storage_unavailable') noteLatest(unserved, sandboxId)
      planes.log.error('apply failed', { sandboxId, error })
      wakeLater(sandbox)
    }
  }

  return {
    begin: async (sandbox) => {
      const { sandboxId } = sandbox
      if (unserved.has(sandboxId) || (await planes.buckets.isOwn(sandbox))) {
        if (!bulkhead.begin(sandboxId, () => takeTurn(sandbox))) wakeLater(sandbox)
        return
      }
      if (!backoffs.isDue(sandboxId)) return wakeLater(sandbox)
      // Other work on it has begun meanwhile; its end rouses this.
      if (turns.isTaken(sandboxId)) return wakeAt(sandbox, 0)
      await lanes.begin(() => turnOf(sandbox).finally(line.rouse))
    },
    sinceBegunMs: (sandboxId) => performance.now() - (begun.get(sandboxId) ?? Number.NEGATIVE_INFINITY),
    gatheredMs: (sandboxId) => (begun.get(sandboxId) ?? 0) + gatherMs((turnMs * line.size) / commitsAtOnce),
    isSealed: (sandboxId) => sealed.has(sandboxId),
    unserved: () => unserved.size,
    leasedElsewhere: () => leasedElsewhere,
    applied: () => OUTCOMES.map((outcome) => ({ outcome, count: counts[outcome] })),
    get stopped() {
      return Promise.all([bulkhead.stopped, lanes.stopped])
    },
  }
}

function gatherMs(roundMs: number): number {
  return Math.min(GATHER_MS_MAX, Math.max(GATHER_MS, GATHER_TURNS * roundMs))
}

function noteLatest(unserved: Set<string>, sandboxId: string): void {
  unserved.add(sandboxId)
  if (unserved.size > REMEMBERED_MAX) unserved.delete(unserved.keys().next().value as string)
}

function note(begun: Map<string, number>, sandboxId: string): void {
  begun.delete(sandboxId)
  begun.set(sandboxId, performance.now())
  if (begun.size > REMEMBERED_MAX) begun.delete(begun.keys().next().value as string)
}
