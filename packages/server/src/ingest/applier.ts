import { sql } from 'kysely'
import { MS_PER_SECOND } from '../base/clock.ts'
import type { Planes } from '../store/planes.ts'
import type { SandboxTurns } from '../store/under-lease.ts'
import { keepKeys } from '../tenancy/caller-keys/kept-keys.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { ATTEMPTS_MAX } from './apply.ts'
import { createBatchTurns } from './batch-turns.ts'
import type { Changed } from './commit-entities.ts'
import { type Comparison, createComparison } from './comparison.ts'
import { openErrands } from './errands.ts'
import { createRestLanes } from './graph-lane.ts'
import { openLeaseKeeper } from './lease-keeper.ts'
import { createWaking, startLooking } from './looking.ts'
import { createRest, createTurns, createWaitingLine } from './turns.ts'
import type { UpkeepLane } from './upkeep-lane.ts'

/** Maximum milliseconds of a pause while nothing is due. */
const PAUSE_MS_MAX = 1_000

const FAILED = ['pair', 'type', 'sandbox'] as const

/** The worker that applies inboxes. Sandboxes run concurrently, each with one bounded batch at a time. */
export interface Applier extends SandboxTurns {
  /** Notes that the sandbox's inbox has work that a caller waits for. */
  wake(sandbox: SandboxRef): void
  /**
   * Notes that the inbox has work from a trickle of deliveries. It is applied at once if the sandbox is idle, else with
   * the next deliveries.
   */
  gather(sandbox: SandboxRef): void
  /** Resolves when the job has completed in this process, or after `ms`. */
  untilCompleted(jobId: string, ms: number): Promise<void>
  /** Returns true if the sandbox's records wait for a slot or are being processed. */
  isAtWork(sandboxId: string): boolean
  /** Returns the milliseconds since a batch of any sandbox was applied here. */
  restsForMs(): number
  /** Notes that other work changed the sandbox, so that it is compacted when idle. */
  changed(sandbox: SandboxRef, changed: Changed): void
  /** Returns the number of records applied since the process started, by outcome. */
  read(): { outcome: string; count: number }[]
  /**
   * Returns the number of sandboxes whose store failed at the last attempt, and of slots lost because another process
   * held the lease.
   */
  heldUp(): { unserved: number; leasedElsewhere: number }
  /** Returns the numbers of failed comparisons since the start: pairs, types, and sandboxes, which are retried. */
  failedComparisons(): { outcome: string; count: number }[]
  /**
   * Releases the leases of idle sandboxes, and of the others when their work ends, so that other processes can take
   * them.
   */
  yield(): Promise<void>
  /** Finishes the current batch, stops, and releases all leases. */
  stop(): Promise<void>
}

/** Starts the worker of this process. */
export function startApplier(planes: Planes): Applier {
  const watchers = new Map<string, Set<() => void>>()
  const [line, rest] = [createWaitingLine(), createRest()]
  const leases = openLeaseKeeper(planes)
  const turns = createTurns((sandboxId, work) => leases.keep(sandboxId, work))
  const stopping = new AbortController()

  const isAtWork = (sandboxId: string) => line.has(sandboxId) || turns.isTaken(sandboxId)
  const needsKey = async (sandbox: SandboxRef) => isAtWork(sandbox.sandboxId) || hasWork(planes, sandbox)
  const keys = keepKeys(planes.seals, needsKey)
  const { at: wakeAt, inPlace: wakeInPlace, isHere } = createWaking(planes, line, keys)
  const alone: Applier['alone'] = (sandboxId, work) => turns.take(sandboxId, work).finally(line.rouse)

  const upkeep = createRestLanes(planes, { alone })
  const { quietMs, changed } = upkeep
  const comparisons = [false, true].map((isOwn) =>
    createComparison(planes, { alone, keepLease: leases.keep }, { keys, quietMs, isHere, isOwn }),
  )
  const completed = (jobId: string) => {
    for (const done of watchers.get(jobId) ?? []) done()
  }
  const errands = openErrands(planes, {
    completed,
    mayHold: (sandboxId) => batches.sinceBegunMs(sandboxId) < planes.leaseSeconds * MS_PER_SECOND,
    take: (sandbox, isGathered) => wakeAt(sandbox, isGathered ? batches.gatheredMs(sandbox.sandboxId) : 0),
  })
  const wake = (sandbox: SandboxRef): void => {
    if (!isHere(sandbox.sandboxId)) errands.give(sandbox)
    else errands.own(sandbox)
    wakeInPlace(sandbox)
  }
  const batches = createBatchTurns(planes, { line, turns, rest, wakeAt, wake, errands, completed, changed })

  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const next = line.takeDue(turns.isTaken)
      if (next) await batches.begin(next)
      else await line.pause(PAUSE_MS_MAX)
    }
  }
  const looking = startLooking(planes, {
    found: (sandbox) => (batches.isSealed(sandbox.sandboxId) ? undefined : wakeInPlace(sandbox)),
    foundUncompared: () => {
      for (const { look } of comparisons) look()
    },
    rested: upkeep.look,
    releaseKeys: keys.releaseIdle,
    giveUp: () => leases.giveUp((sandboxId) => isHere(sandboxId) || turns.isTaken(sandboxId)),
  })
  const running = work()
  return {
    wake,
    gather: (sandbox) => {
      if (line.has(sandbox.sandboxId)) return
      if (isHere(sandbox.sandboxId)) return wakeAt(sandbox, batches.gatheredMs(sandbox.sandboxId))
      errands.give(sandbox, true)
      wakeInPlace(sandbox)
    },
    untilCompleted: (jobId, ms) => watch(watchers, jobId, ms),
    alone,
    keepLease: leases.keep,
    isAtWork,
    restsForMs: rest.lastedMs,
    changed,
    read: batches.applied,
    heldUp: () => ({ unserved: batches.unserved(), leasedElsewhere: batches.leasedElsewhere() }),
    failedComparisons: () => failedIn(comparisons),
    yield: async () => {
      await looking.giveUp()
      await endRest(upkeep, comparisons)
      await looking.giveUp()
    },
    stop: async () => {
      stopping.abort()
      line.rouse()
      await Promise.all([running, looking.stop()])
      await batches.stopped
      await endRest(upkeep, comparisons)
      keys.releaseAll()
      await leases.stop()
    },
  }
}

/** Stops the idle-time work. */
async function endRest(upkeep: UpkeepLane, comparisons: readonly Comparison[]): Promise<void> {
  for (const comparison of comparisons) comparison.stop()
  await upkeep.stop()
  await Promise.all(comparisons.map(({ stopped }) => stopped))
}

function failedIn(comparisons: readonly Comparison[]): { outcome: string; count: number }[] {
  return FAILED.map((outcome) => ({
    outcome,
    count: comparisons.reduce((sum, { failed }) => sum + failed[outcome], 0),
  }))
}

function watch(watchers: Map<string, Set<() => void>>, jobId: string, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const set = watchers.get(jobId) ?? new Set()
    watchers.set(jobId, set)
    const done = () => {
      clearTimeout(timer)
      set.delete(done)
      if (set.size === 0) watchers.delete(jobId)
      resolve()
    }
    const timer = setTimeout(done, ms)
    set.add(done)
  })
}

/** Returns true if records wait to be applied or entities wait for record linkage. */
async function hasWork(planes: Pick<Planes, 'sql'>, { userId, sandboxId }: SandboxRef): Promise<boolean> {
  const place = { user_id: userId, sandbox_id: sandboxId }
  return planes.sql.transact(userId, async (tx) => {
    const waiting = await tx
      .selectFrom('inbox')
      .select('id')
      .where((is) => is.and(place))
      .where('attempts', '<', ATTEMPTS_MAX)
      .limit(1)
      .executeTakeFirst()
    if (waiting) return true
    const uncompared = await tx
      .selectFrom('sandbox_head')
      .select(sql`1`.as('one'))
      .where((is) => is.and(place))
      .whereRef('comparable_seq', '>', 'compared_seq')
      .executeTakeFirst()
    return uncompared !== undefined
  })
}
