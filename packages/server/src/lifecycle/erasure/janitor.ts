import { startRounds } from '../../base/rounds.ts'
import { createWaiters } from '../../base/waiters.ts'
import type { Applier } from '../../ingest/applier.ts'
import { eraseIfDeleted } from '../../ingest/apply.ts'
import { archiveIdleSources } from '../../sources/registry/archive-idle.ts'
import { dropTombstones } from '../../sources/registry/drop-tombstones.ts'
import { createSideline } from '../../store/buckets/sideline.ts'
import type { Planes } from '../../store/planes.ts'
import { dropReplies } from '../../tenancy/idempotency/drop-replies.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/sandbox-ref.ts'
import { eraseRecords, listRecordErasures } from './erase-records.ts'
import { finishErasures, listPurges, scrubErased } from './finish-erasures.ts'
import { type Purge, purgeRecords } from './purge-records.ts'

/** How often it is looked for what another process, or a crash, has left to do. */
const SWEEP_MS = 1_000
/** How often it is looked for what only time makes due. */
const HOUSEKEEPING_MS = 60_000

/** The worker that purges sources and deleted records, finishes erasures and puts away what has had its time. */
export interface Janitor {
  /** Says that there is a purge to do. */
  wake(): void
  /** Resolves when the erasure is done in this process, or after `ms`. */
  untilDone(erasureId: string, ms: number): Promise<void>
  /** Finishes the step at work and stops. */
  stop(): Promise<void>
}

export function startJanitor(planes: Planes, applier: Applier): Janitor {
  const stopping = new AbortController()
  const sideline = createSideline(planes.log, 'erasure in a bucket of its own failed')
  const waiters = createWaiters()

  const purge = async (next: Purge): Promise<void> => {
    let isDone = false
    try {
      isDone = await purgeRecords(planes, applier, next, stopping.signal)
    } finally {
      // A sandbox that was deleted on the way must not come back as the files that a step wrote.
      if (!isDone) await eraseIfDeleted(planes, { userId: next.user_id, sandboxId: next.sandbox_id })
    }
    if (!isDone) planes.seals.whenHeld(next.sandbox_id, 'janitor', () => purging.rouse())
    if (isDone) waiters.done(next.id)
  }

  const eraseDeleted = async (sandbox: SandboxRef): Promise<void> => {
    let isDone = false
    try {
      isDone = await eraseRecords(planes, applier, sandbox)
    } finally {
      if (!isDone) await eraseIfDeleted(planes, sandbox)
    }
    if (!isDone) planes.seals.whenHeld(sandbox.sandboxId, 'janitor', () => purging.rouse())
  }

  /** Does a piece of work; what fails is logged and done again at the next look. */
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (stopping.signal.aborted) return
    await work().catch((error: unknown) => planes.log.warn('erasure work failed', { error }))
  }

  /** Does a piece of work in a bucket of the sandbox's own beside the others, which it must not hold up. */
  const beside = async (sandbox: SandboxRef, work: () => Promise<void>): Promise<void> => {
    if (await planes.buckets.isOwn(sandbox)) sideline.begin(sandbox.sandboxId, work)
    else await attempt(work)
  }

  const failed = (error: unknown) => planes.log.warn('erasure work failed', { error })
  const purging = startRounds(
    SWEEP_MS,
    async () => {
      await attempt(async () => {
        for (const next of await listPurges(planes)) {
          await beside({ userId: next.user_id, sandboxId: next.sandbox_id }, () => purge(next))
        }
      })
      await attempt(async () => {
        for (const sandbox of await listRecordErasures(planes)) await beside(sandbox, () => eraseDeleted(sandbox))
      })
    },
    failed,
  )
  let tidiedMs = Number.NEGATIVE_INFINITY
  const tidying = startRounds(
    SWEEP_MS,
    async () => {
      await attempt(() => finishErasures(planes, 'platform', (_, work) => attempt(work)))
      await attempt(() => finishErasures(planes, 'own', sideline.begin))
      await attempt(() => scrubErased(planes))
      if (performance.now() - tidiedMs < HOUSEKEEPING_MS) return
      tidiedMs = performance.now()
      await attempt(() => archiveIdleSources(planes))
      await attempt(() => dropTombstones(planes))
      await attempt(() => dropReplies(planes))
    },
    failed,
  )

  return {
    wake: purging.rouse,
    untilDone: waiters.until,
    stop: async () => {
      stopping.abort()
      await Promise.all([purging.stop(), tidying.stop()])
      await sideline.stopped
    },
  }
}
