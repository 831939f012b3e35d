import { oneAtATime } from '../base/one-at-a-time.ts'
import { takesWork } from '../base/role.ts'
import type { Tx } from '../db/open.ts'
import { isLeasable } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'
import type { KeptKeys } from '../tenancy/caller-keys/kept-keys.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { ATTEMPTS_MAX } from './apply.ts'
import { uncompared } from './comparison.ts'
import type { WaitingLine } from './turns.ts'

/** How often it is looked for what is due at rest, and for keys that nothing needs any more. */
const REST_MS = 1_000

/** What is done about what is found. */
interface LookingFor {
  /** Something waits in the sandbox's inbox. */
  found(sandbox: SandboxRef): void
  /** There are things to compare. */
  foundUncompared(): void
  /** A while has passed. */
  rested(): void
  releaseKeys(): Promise<void>
  /** Gives up the leases of sandboxes that are no work of this process any more. */
  giveUp(): Promise<void>
}

/** The look for what nobody in this process told of. */
interface Looking {
  /** Gives up the leases that are not for this process, now. */
  giveUp(): Promise<void>
  stop(): Promise<void>
}

/** Starts looking for work that other processes have left, and for what processes that come or go change. */
export function startLooking(planes: Planes, { found, ...act }: LookingFor): Looking {
  const { cluster, lookout, log, ownerId } = planes
  const inbox = oneAtATime(
    async () => {
      for (const sandbox of await sandboxesWithWork(planes)) found(sandbox)
    },
    (error) => log.warn('inbox sweep failed', { error }),
  )
  const keys = oneAtATime(act.releaseKeys, (error) => log.warn('keys were not let go of', { error }))
  const giving = oneAtATime(act.giveUp, (error) => log.warn('leases were not given up, and run out', { error }))
  lookout.watch((tx) => waitingInboxes(tx, ownerId), inbox.begin)
  lookout.watch((tx) => uncompared(tx, ownerId), act.foundUncompared)
  cluster.onChange(() => {
    giving.begin()
    lookout.rouse()
  })
  const timer = setInterval(() => {
    keys.begin()
    act.rested()
  }, REST_MS).unref()
  return {
    giveUp: () => {
      giving.begin()
      return giving.ended
    },
    stop: async () => {
      clearInterval(timer)
      await Promise.all([inbox.ended, keys.ended, giving.ended])
    },
  }
}

/** Sandboxes in whose inbox something waits, without those that another process is at work on. */
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
    .where(isLeasable(ownerId))
}

/** Work that is for another process is done here when that has not taken it by then. */
const ELSEWHERE_MS = 1_000

/** Puts sandboxes in line for their turns. */
interface Waking {
  /** Whether the sandbox is worked on in this process. */
  isHere(sandboxId: string): boolean
  /** Puts it in line for a moment of `performance.now()`. */
  at(sandbox: SandboxRef, dueMs: number): void
  /** Puts it in line for now, or for when its place would have begun; not in a process that takes no work. */
  inPlace(sandbox: SandboxRef): void
}

/** What is put in line keeps its key, if somebody holds that. */
export function createWaking(
  { cluster, seals }: Pick<Planes, 'cluster' | 'seals'>,
  line: WaitingLine,
  keys: Pick<KeptKeys, 'keep'>,
): Waking {
  // A sandbox under a key is worked on where somebody holds that.
  const isHere = (sandboxId: string) => cluster.isHere(sandboxId) || seals.findAny(sandboxId) !== undefined
  const at: Waking['at'] = ({ userId, sandboxId }, dueMs) => {
    keys.keep({ userId, sandboxId })
    line.add({ userId, sandboxId }, dueMs)
  }
  return {
    isHere,
    at,
    inPlace: (sandbox) => {
      if (isHere(sandbox.sandboxId)) at(sandbox, 0)
      else if (takesWork(cluster.role)) at(sandbox, performance.now() + ELSEWHERE_MS)
    },
  }
}
