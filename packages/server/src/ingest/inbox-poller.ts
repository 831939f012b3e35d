import { oneAtATime } from '../base/one-at-a-time.ts'
import { takesWork } from '../base/role.ts'
import type { Tx } from '../db/open.ts'
import { canTakeLease } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'
import type { RetainedKeys } from '../tenancy/caller-keys/retained-keys.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { ATTEMPTS_MAX } from './apply.ts'
import type { WorkQueue } from './keyed-mutex.ts'
import { unlinkedSandboxes } from './linkage-worker.ts'

/** Milliseconds between two checks for idle sandboxes and unused keys. */
const TICK_MS = 1_000

interface PollerHandlers {
  /** Called when the sandbox's inbox has records. */
  onWork(sandbox: SandboxRef): void
  /** Called when a sandbox needs record linkage. */
  onUncompared(): void
  /** Called periodically, for the work on idle sandboxes. */
  onTick(): void
  releaseKeys(): Promise<void>
  /** Releases the leases of sandboxes that this process no longer works on. */
  releaseLeases(): Promise<void>
}

/** Polls for work, in case a notification was lost. */
interface InboxPoller {
  /** Releases the leases of sandboxes that this process no longer works on, without waiting for a cluster change. */
  releaseLeases(): Promise<void>
  stop(): Promise<void>
}

/** Starts polling for work that other processes have left, and for changes of the cluster. */
export function startInboxPoller(planes: Planes, { onWork: found, ...act }: PollerHandlers): InboxPoller {
  const { cluster, workPoller, log, ownerId } = planes
  const inbox = oneAtATime(
    async () => {
      for (const sandbox of await sandboxesWithWork(planes)) found(sandbox)
    },
    (error) => log.warn('the inbox poll failed', { error }),
  )
  const keys = oneAtATime(act.releaseKeys, (error) =>
    log.warn('customer-managed keys could not be released', { error }),
  )
  const releasing = oneAtATime(act.releaseLeases, (error) =>
    log.warn('leases could not be released; they expire', { error }),
  )
  workPoller.watch((tx) => waitingInboxes(tx, ownerId), inbox.begin)
  workPoller.watch((tx) => unlinkedSandboxes(tx, ownerId), act.onUncompared)
  cluster.onChange(() => {
    releasing.begin()
    workPoller.wake()
  })
  const timer = setInterval(() => {
    keys.begin()
    act.onTick()
  }, TICK_MS).unref()
  return {
    releaseLeases: () => {
      releasing.begin()
      return releasing.ended
    },
    stop: async () => {
      clearInterval(timer)
      await Promise.all([inbox.ended, keys.ended, releasing.ended])
    },
  }
}

/** Lists the sandboxes with records in the inbox, except those on which another process is working. */
async function sandboxesWithWork({ sql: control, ownerId }: Planes): Promise<SandboxRef[]> {
  const rows = await control.transact({ worker: true }, (tx) => waitingInboxes(tx, ownerId).execute())
  return rows.map((row) => ({ userId: row.user_id, sandboxId: row.sandbox_id }))
}

function waitingInboxes(tx: Tx, ownerId: string) {
  return tx
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
    .where(canTakeLease(ownerId))
}

/** Milliseconds after which this process does work that another process should have done. */
const REMOTE_DELAY_MS = 1_000

/** Queues sandboxes for scheduler slots. */
interface Waker {
  /** Returns true if this process works on the sandbox. */
  isLocal(sandboxId: string): boolean
  /** Queues the sandbox for a time on the scale of `performance.now()`. */
  wakeAt(sandbox: SandboxRef, dueMs: number): void
  /** Queues the sandbox for now, or later if another node should do the work. Not in a process that takes no work. */
  wakeLocal(sandbox: SandboxRef): void
}

/** Creates the functions that queue sandboxes. They keep the customer-managed key of a queued sandbox in memory. */
export function createWaker(
  { cluster, seals }: Pick<Planes, 'cluster' | 'seals'>,
  queue: WorkQueue,
  keys: Pick<RetainedKeys, 'retain'>,
): Waker {
  // A sandbox with a customer-managed key can be processed where the key is held.
  const isLocal = (sandboxId: string) => cluster.isLocal(sandboxId) || seals.findAny(sandboxId) !== undefined
  const at: Waker['wakeAt'] = ({ userId, sandboxId }, dueMs) => {
    keys.retain({ userId, sandboxId })
    queue.add({ userId, sandboxId }, dueMs)
  }
  return {
    isLocal,
    wakeAt: at,
    wakeLocal: (sandbox) => {
      if (isLocal(sandbox.sandboxId)) at(sandbox, 0)
      else if (takesWork(cluster.role)) at(sandbox, performance.now() + REMOTE_DELAY_MS)
    },
  }
}
