import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { isLeasable } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'
import type { SandboxTurns } from '../store/under-lease.ts'
import { keepKeys } from '../tenancy/caller-keys/kept-keys.ts'
import type { SandboxRef } from '../tenancy/sandboxes/sandbox-ref.ts'
import { ATTEMPTS_MAX } from './apply.ts'
import { createBatchTurns } from './batch-turns.ts'
import type { Changed } from './changed.ts'
import { createComparison } from './comparison.ts'
import { openLeaseKeeper } from './lease-keeper.ts'
import { createTurns } from './turns.ts'
import { createUpkeepLane } from './upkeep-lane.ts'
import { createWaitingLine } from './waiting-line.ts'

/** How often the inbox is looked through for work that no one in this process announced. */
const SWEEP_MS = 1_000

/** Work that has not ended so long after its sandbox's key was last brought goes on when it is brought again. */
const KEPT_MS_MAX = 10 * 60_000

const FAILED = ['pair', 'type', 'sandbox'] as const

/** The worker that applies inboxes: sandboxes side by side, of each one bounded batch at a time. */
export interface Applier extends SandboxTurns {
  /** Says that the sandbox's inbox has work that someone waits for. */
  wake(sandbox: SandboxRef): void
  /** Says that it has work that comes one by one: at once in a sandbox at rest, else together with what comes next. */
  gather(sandbox: SandboxRef): void
  /** Resolves when the job has completed in this process, or after `ms`. */
  untilCompleted(jobId: string, ms: number): Promise<void>
  /** Whether records of the sandbox wait for their turn, or work on it goes on. */
  isAtWork(sandboxId: string): boolean
  /** Says that other work has changed the sandbox, so that it is tidied when it rests. */
  changed(sandbox: SandboxRef, changed: Changed): void
  /** Records applied since the program began, by what became of them. */
  read(): { outcome: string; count: number }[]
  /** What could not be compared since this began: pairs of things, types, and sandboxes that are tried again. */
  failedComparisons(): { outcome: string; count: number }[]
  /** Finishes the batch at work, stops and gives every lease up. */
  stop(): Promise<void>
}

/** Starts the worker of this process. */
export function startApplier(planes: Planes): Applier {
  const watchers = new Map<string, Set<() => void>>()
  const line = createWaitingLine()
  const leases = openLeaseKeeper(planes)
  const turns = createTurns((sandboxId, work) => leases.keep(sandboxId, work))
  const stopping = new AbortController()

  const isAtWork = (sandboxId: string) => line.has(sandboxId) || turns.isTaken(sandboxId)
  const needsKey = async (sandbox: SandboxRef) => isAtWork(sandbox.sandboxId) || hasWork(planes, sandbox)
  const keys = keepKeys(planes.seals, needsKey, KEPT_MS_MAX)
  const wakeAt = ({ userId, sandboxId }: SandboxRef, dueMs: number): void => {
    keys.keep({ userId, sandboxId })
    line.add({ userId, sandboxId }, dueMs)
  }
  const wake = (sandbox: SandboxRef): void => wakeAt(sandbox, 0)
  const alone: Applier['alone'] = (sandboxId, work) => turns.take(sandboxId, work).finally(line.rouse)

  const upkeep = createUpkeepLane(planes, { alone })
  const { quietMs } = upkeep
  const comparisons = [false, true].map((isOwn) =>
    createComparison(planes, { alone, keepLease: leases.keep }, { keys, quietMs, isOwn }),
  )
  const completed = (jobId: string) => {
    for (const done of watchers.get(jobId) ?? []) done()
  }
  const batches = createBatchTurns(planes, { line, turns, wakeAt, completed, changed: upkeep.changed })

  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const next = line.takeDue(turns.isTaken)
      if (next) await batches.begin(next)
      else await line.pause(SWEEP_MS)
    }
  }
  const sweep = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        for (const sandbox of await sandboxesWithWork(planes)) if (!batches.isSealed(sandbox.sandboxId)) wake(sandbox)
        await keys.releaseIdle()
        for (const comparison of comparisons) comparison.look()
        upkeep.look()
      } catch (error) {
        planes.log.warn('inbox sweep failed', { error })
      }
      line.rouse()
      await sleep(SWEEP_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  const running = Promise.all([work(), sweep()])
  return {
    wake,
    gather: (sandbox) => {
      if (!line.has(sandbox.sandboxId)) wakeAt(sandbox, batches.gatheredMs(sandbox.sandboxId))
    },
    untilCompleted: (jobId, ms) => watch(watchers, jobId, ms),
    alone,
    keepLease: leases.keep,
    isAtWork,
    changed: upkeep.changed,
    read: batches.applied,
    failedComparisons: () =>
      FAILED.map((outcome) => ({ outcome, count: comparisons.reduce((sum, { failed }) => sum + failed[outcome], 0) })),
    stop: async () => {
      stopping.abort()
      for (const comparison of comparisons) comparison.stop()
      line.rouse()
      await running
      await batches.stopped
      await upkeep.stop()
      await Promise.all(comparisons.map(({ stopped }) => stopped))
      keys.releaseAll()
      await leases.stop()
    },
  }
}

/** Sandboxes in whose inbox something waits, without those that another process is at work on. */
async function sandboxesWithWork(planes: Planes): Promise<SandboxRef[]> {
  const rows = await planes.sql.transact({ worker: true }, (tx) =>
    tx
      .selectFrom((is) =>
        is
          .selectFrom('inbox')
          .select(['user_id', 'sandbox_id'])
          .where('attempts', '<', ATTEMPTS_MAX)
          .distinct()
          .as('waiting'),
      )
      .innerJoin('sandbox_head', (join) =>
        join
          .onRef('sandbox_head.user_id', '=', 'waiting.user_id')
          .onRef('sandbox_head.sandbox_id', '=', 'waiting.sandbox_id'),
      )
      .select(['waiting.user_id', 'waiting.sandbox_id'])
      .where(isLeasable(planes.ownerId))
      .execute(),
  )
  return rows.map((row) => ({ userId: row.user_id, sandboxId: row.sandbox_id }))
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

/** Whether something waits to be applied, or to be compared. */
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
