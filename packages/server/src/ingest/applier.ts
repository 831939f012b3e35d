import { setTimeout as sleep } from 'node:timers/promises'
import { createPatience } from '../base/patience.ts'
import { createSideline } from '../store/buckets/sideline.ts'
import { isLeasable } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'
import type { SandboxTurns } from '../store/under-lease.ts'
import { keepKeys } from '../tenancy/caller-keys/kept-keys.ts'
import type { SandboxRef } from '../tenancy/sandboxes/sandbox-ref.ts'
import { ATTEMPTS_MAX, applyBatch } from './apply.ts'
import type { Changed } from './changed.ts'
import { createComparison } from './comparison.ts'
import { hasWork } from './has-work.ts'
import { openLeaseKeeper } from './lease-keeper.ts'
import { createTurns, type Turns } from './turns.ts'
import { createUpkeepLane } from './upkeep-lane.ts'

/** How often the inbox is looked through for work that no one in this process announced. */
const SWEEP_MS = 1_000
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

/** Work that has not ended so long after its sandbox's key was last brought goes on when it is brought again. */
const KEPT_MS_MAX = 10 * 60_000

const OUTCOMES = ['written', 'unchanged', 'removed', 'failed'] as const
const FAILED = ['pair', 'type', 'sandbox'] as const

/** The worker that applies inboxes, taking sandboxes in turn, one bounded batch at a time. */
export interface Applier extends SandboxTurns {
  /** Says that the sandbox's inbox has work that someone waits for. */
  wake(sandbox: SandboxRef): void
  /** Says that it has work that comes one by one: at once in a sandbox at rest, else together with what comes next. */
  gather(sandbox: SandboxRef): void
  /** Resolves when the job has completed in this process, or after `ms`. */
  untilCompleted(jobId: string, ms: number): Promise<void>
  /** Says that other work has changed the sandbox, so that it is tidied when it rests. */
  changed(sandbox: SandboxRef, changed: Changed): void
  /** Records applied since the program began, by what became of them. */
  read(): { outcome: string; count: number }[]
  /** What could not be compared since this began: pairs of things, types, and sandboxes that are tried again. */
  failedComparisons(): { outcome: string; count: number }[]
  /** Finishes the batch at work, stops and gives every lease up. */
  stop(): Promise<void>
}

export function startApplier(planes: Planes): Applier {
  const waiting = new Map<string, Waiting>()
  const begun = new Map<string, number>()
  const applied = { written: 0, unchanged: 0, removed: 0, failed: 0 }
  const watchers = new Map<string, Set<() => void>>()
  /** Sandboxes with work that waits for a key: looking at them again would find the same. */
  const sealed = new Set<string>()
  const leases = openLeaseKeeper(planes)
  const turns = createTurns((sandboxId, work) => leases.keep(sandboxId, work))
  const stopping = new AbortController()
  let rouse = () => {}
  /** How long the last turn took. */
  let turnMs = 0
  const sideline = createSideline(planes.log, 'work in a bucket of its own failed', () => rouse())

  const patience = createPatience(PATIENCE_MS.first, PATIENCE_MS.last)

  const isAtWork = (sandboxId: string) => waiting.has(sandboxId) || turns.isTaken(sandboxId)
  const needsKey = async (sandbox: SandboxRef) => isAtWork(sandbox.sandboxId) || hasWork(planes, sandbox)
  const keys = keepKeys(planes.seals, needsKey, KEPT_MS_MAX)
  const wakeAt = ({ userId, sandboxId }: SandboxRef, dueMs: number): void => {
    keys.keep({ userId, sandboxId })
    const sooner = Math.min(dueMs, waiting.get(sandboxId)?.dueMs ?? dueMs)
    waiting.set(sandboxId, { sandbox: { userId, sandboxId }, dueMs: sooner })
    rouse()
  }

  const wake = (sandbox: SandboxRef): void => wakeAt(sandbox, 0)

  const gather = (sandbox: SandboxRef): void => {
    const { sandboxId } = sandbox
    const gatherMs = Math.min(GATHER_MS_MAX, Math.max(GATHER_MS, GATHER_TURNS * turnMs * waiting.size))
    if (!waiting.has(sandboxId)) wakeAt(sandbox, (begun.get(sandboxId) ?? 0) + gatherMs)
  }

  const takeTurn = async (sandbox: SandboxRef): Promise<void> => {
    note(begun, sandbox.sandboxId)
    const turn = await turns.take(sandbox.sandboxId, () => applyBatch(planes, sandbox, planes.ownerId))
    turnMs = performance.now() - (begun.get(sandbox.sandboxId) ?? 0)
    if (turn.counts) for (const outcome of OUTCOMES) applied[outcome] += turn.counts[outcome]
    if (turn.needsKey) waitForKey(sandbox)
    for (const jobId of turn.completedJobs) for (const done of watchers.get(jobId) ?? []) done()
    if (turn.changed) upkeep.changed(sandbox, turn.changed)
    if (turn.applied > 0 && turn.again) wake(sandbox)
    else if (turn.again) wakeLater(sandbox)
  }

  /** Works on a sandbox: on the platform's one after the other, on one with its own bucket beside them. */
  const workOn = async (sandbox: SandboxRef): Promise<void> => {
    const { sandboxId } = sandbox
    if (await planes.buckets.isOwn(sandbox)) {
      if (!sideline.begin(sandboxId, () => takeTurn(sandbox))) wakeLater(sandbox)
      return
    }
    if (!patience.isDue(sandboxId)) return wakeLater(sandbox)
    // Other work on it has begun meanwhile, for which no other sandbox is to wait; its end rouses this.
    if (turns.isTaken(sandboxId)) return wake(sandbox)
    await takeTurn(sandbox).then(
      () => patience.succeeded(sandboxId),
      (error: unknown) => {
        patience.failed(sandboxId)
        planes.log.error('apply failed', { sandboxId, error })
        wakeLater(sandbox)
      },
    )
  }

  const waitForKey = (sandbox: SandboxRef): void => {
    sealed.add(sandbox.sandboxId)
    planes.seals.whenHeld(sandbox.sandboxId, 'applier', () => {
      sealed.delete(sandbox.sandboxId)
      wake(sandbox)
    })
    // It may have been brought since it was looked for.
    if (planes.seals.findAny(sandbox.sandboxId)) wake(sandbox)
  }

  const wakeLater = (sandbox: SandboxRef): void => wakeAt(sandbox, performance.now() + RETRY_MS)

  /** Waits until there is news, or the first of those that are being gathered is due. */
  const pause = async (): Promise<void> => {
    const nowMs = performance.now()
    const dueMs = Math.min(...[...waiting.values()].map((one) => one.dueMs).filter((due) => due > nowMs), FAR_MS)
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      rouse = resolve
      timer = setTimeout(resolve, Math.min(SWEEP_MS, dueMs - nowMs))
    })
    clearTimeout(timer)
  }

  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const next = firstFree(waiting, turns)
      if (next) {
        waiting.delete(next.sandboxId)
        await workOn(next)
      } else await pause()
    }
  }

  const alone: Applier['alone'] = (sandboxId, work) => turns.take(sandboxId, work).finally(() => rouse())

  const upkeep = createUpkeepLane(planes, { alone })
  const { quietMs } = upkeep
  const comparisons = [false, true].map((isOwn) =>
    createComparison(planes, { alone, keepLease: leases.keep }, { keys, quietMs, isOwn }),
  )

  const sweep = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        for (const sandbox of await sandboxesWithWork(planes)) if (!sealed.has(sandbox.sandboxId)) wake(sandbox)
        await keys.releaseIdle()
        for (const comparison of comparisons) comparison.look()
        upkeep.look()
      } catch (error) {
        planes.log.warn('inbox sweep failed', { error })
      }
      rouse()
      await sleep(SWEEP_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  const running = Promise.all([work(), sweep()])
  return {
    wake,
    gather,
    untilCompleted: (jobId, ms) => watch(watchers, jobId, ms),
    alone,
    keepLease: leases.keep,
    changed: upkeep.changed,
    read: () => OUTCOMES.map((outcome) => ({ outcome, count: applied[outcome] })),
    failedComparisons: () =>
      FAILED.map((outcome) => ({ outcome, count: comparisons.reduce((sum, { failed }) => sum + failed[outcome], 0) })),
    stop: async () => {
      stopping.abort()
      for (const comparison of comparisons) comparison.stop()
      rouse()
      await running
      await sideline.stopped
      await upkeep.stop()
      await Promise.all(comparisons.map(({ stopped }) => stopped))
      keys.releaseAll()
      await leases.stop()
    },
  }
}

interface Waiting {
  sandbox: SandboxRef
  /** When its turn may begin. */
  dueMs: number
}

const FAR_MS = Number.MAX_SAFE_INTEGER

function firstFree(waiting: ReadonlyMap<string, Waiting>, turns: Turns): SandboxRef | undefined {
  const nowMs = performance.now()
  for (const { sandbox, dueMs } of waiting.values()) {
    if (dueMs <= nowMs && !turns.isTaken(sandbox.sandboxId)) return sandbox
  }
  return undefined
}

/** Sandboxes of which it is remembered when their last turn began. */
const REMEMBERED_MAX = 10_000

function note(begun: Map<string, number>, sandboxId: string): void {
  begun.delete(sandboxId)
  begun.set(sandboxId, performance.now())
  if (begun.size > REMEMBERED_MAX) begun.delete(begun.keys().next().value as string)
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
