import { sql } from 'kysely'
import type { Planes } from '../handler.ts'
import { ATTEMPTS_MAX } from './apply.ts'
import type { SandboxRef } from './inbox.ts'

/** The callers' keys that the work on sandboxes holds beyond the requests that brought them. */
export interface KeptKeys {
  /** Holds the sandbox's key, if anybody does, until all that waits there is applied and compared. */
  keep(sandbox: SandboxRef): void
  /** Lets go of the keys of sandboxes in which nothing waits any more. */
  releaseIdle(): Promise<void>
  /** Lets go of every key. */
  releaseAll(): void
}

/** Work that has not ended so long after the key was last brought goes on when it is brought again. */
const KEPT_MS_MAX = 10 * 60_000

/** @param isAtWork whether the sandbox is worked on in this process, or is about to be */
export function keepKeys(planes: Planes, isAtWork: (sandboxId: string) => boolean): KeptKeys {
  const kept = new Map<string, { sandbox: SandboxRef; epoch: number; release: () => void; sinceMs: number }>()
  const release = (sandboxId: string) => {
    kept.get(sandboxId)?.release()
    kept.delete(sandboxId)
  }
  return {
    keep: (sandbox) => {
      const seal = planes.seals.findAny(sandbox.sandboxId)
      if (!seal || kept.get(sandbox.sandboxId)?.epoch === seal.epoch) return
      release(sandbox.sandboxId)
      const { userId, sandboxId } = sandbox
      kept.set(sandboxId, {
        sandbox: { userId, sandboxId },
        epoch: seal.epoch,
        release: planes.seals.hold(seal),
        sinceMs: performance.now(),
      })
    },
    releaseIdle: async () => {
      for (const [sandboxId, { sandbox, sinceMs }] of kept) {
        const isLate = performance.now() - sinceMs > KEPT_MS_MAX
        if (isLate || (!isAtWork(sandboxId) && !(await hasWork(planes, sandbox)))) release(sandboxId)
      }
    },
    releaseAll: () => {
      for (const sandboxId of [...kept.keys()]) release(sandboxId)
    },
  }
}

/** Whether something waits to be applied, or to be compared. */
async function hasWork(planes: Planes, { userId, sandboxId }: SandboxRef): Promise<boolean> {
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
