import { sql } from 'kysely'
import { type OneAtATime, oneAtATime } from '../../base/one-at-a-time.ts'
import { pageCycle } from '../../base/page-cycle.ts'
import { takesWork } from '../../base/role.ts'
import { createWaiters } from '../../base/waiters.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Applier } from '../../ingest/applier.ts'
import { eraseIfDeleted } from '../../ingest/apply.ts'
import { dropJobs } from '../../ingest/delivery-jobs.ts'
import { archiveIdleSources, dropFiles, dropTombstones } from '../../sources/registry/delete-source.ts'
import { deleteExpiredAnswers } from '../../store/answer-rows.ts'
import { createBulkhead } from '../../store/buckets/bulkhead.ts'
import { canWorkOn } from '../../store/cluster/can-work-on.ts'
import { deleteExpiredEvaluations } from '../../store/evaluation-rows.ts'
import type { Planes } from '../../store/planes.ts'
import { dropAudit } from '../../tenancy/audit/record-event.ts'
import { dropReplies } from '../../tenancy/idempotency/keyed-request.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { anyErasure, ERASURES_MAX, finishErasures, listPurges, scrubDatabase } from './finish-erasures.ts'
import { compactForPurge, type Purge, purgeRecords, retainKey } from './purge-records.ts'
import { addToCounts, deleteStoredReplies, dropErased, markErased } from './store.ts'

/** Milliseconds between two runs of time-based cleanup. */
const HOUSEKEEPING_MS = 60_000

/**
 * The worker that purges sources and deleted records, completes erasures and deletes expired data. In a process with
 * the role `api`, it does only work that needs a customer-managed key in the memory of this process.
 */
export interface Janitor {
  /** Tells the worker that a purge is due. */
  wake(): void
  /** Resolves when the erasure is done in this process, or after `ms`. */
  untilDone(erasureId: string, ms: number): Promise<void>
  /** Finishes the current step and stops. */
  stop(): Promise<void>
}

export function startJanitor(planes: Planes, applier: Applier): Janitor {
  const stopping = new AbortController()
  const bulkhead = createBulkhead(planes.log, 'erasure in a customer bucket failed')
  const { wait: untilDone, completed } = createWaiters()
  const nextPurges = pageCycle<Purge>(ERASURES_MAX, (after) => listPurges(planes, after))
  const nextRecordErasures = pageCycle<SandboxRef>(SANDBOXES_MAX, (after) => listRecordErasures(planes, after))
  let wakePoller = () => {}

  const purge = async (next: Purge): Promise<void> => {
    let isDone = false
    try {
      isDone = await purgeRecords(planes, applier, next, stopping.signal)
    } finally {
      // If the sandbox was deleted meanwhile, files that a step wrote must be deleted too.
      if (!isDone) await eraseIfDeleted(planes, { userId: next.user_id, sandboxId: next.sandbox_id })
    }
    if (!isDone) planes.seals.whenHeld(next.sandbox_id, 'janitor', () => wakePoller())
    if (isDone) completed(next.id)
  }

  const eraseDeleted = async (sandbox: SandboxRef): Promise<void> => {
    let isDone = false
    try {
      isDone = await eraseRecords(planes, applier, sandbox)
    } finally {
      if (!isDone) await eraseIfDeleted(planes, sandbox)
    }
    if (!isDone) planes.seals.whenHeld(sandbox.sandboxId, 'janitor', () => wakePoller())
  }

  /** Runs work. If it fails, logs the error; the work is tried again at the next poll. */
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (stopping.signal.aborted) return
    await work().catch((error: unknown) => planes.log.warn('erasure failed', { error }))
  }

  /** Runs work. If the sandbox has its own bucket, the work runs in a bulkhead, so that it cannot block others. */
  const runIsolated = async (sandbox: SandboxRef, work: () => Promise<void>): Promise<void> => {
    if (await planes.buckets.isOwn(sandbox)) bulkhead.begin(sandbox.sandboxId, work)
    else await attempt(work)
  }

  const purgeAll = async (): Promise<void> => {
    await attempt(async () => {
      for (const next of (await nextPurges()).filter((each) => canWorkOn(planes, each.sandbox_id))) {
        await runIsolated({ userId: next.user_id, sandboxId: next.sandbox_id }, () => purge(next))
      }
    })
    await attempt(async () => {
      for (const sandbox of await nextRecordErasures()) {
        if (canWorkOn(planes, sandbox.sandboxId)) await runIsolated(sandbox, () => eraseDeleted(sandbox))
      }
    })
  }
  const finishAll = async (): Promise<void> => {
    if (!takesWork(planes.cluster.role)) return
    await attempt(() => finishErasures(planes, 'platform', (_, work) => attempt(work)))
    await attempt(() => finishErasures(planes, 'own', bulkhead.begin))
    await attempt(() => scrubDatabase(planes))
  }
  const deleteExpired = async (): Promise<void> => {
    if (!takesWork(planes.cluster.role)) return
    const expired = [dropTombstones, dropFiles, dropReplies, dropErased, dropJobs, dropAudit]
    for (const work of [archiveIdleSources, ...expired, deleteExpiredAnswers, deleteExpiredEvaluations])
      await attempt(() => work(planes))
  }
  const failed = (error: unknown) => planes.log.warn('erasure failed', { error })
  const [purging, finishing, housekeeping] = [purgeAll, finishAll, deleteExpired].map((work) =>
    oneAtATime(work, failed),
  ) as [OneAtATime, OneAtATime, OneAtATime]
  wakePoller = purging.begin
  planes.workPoller.watch(anyErasure, () => {
    purging.begin()
    finishing.begin()
  })
  for (const work of [purging, finishing, housekeeping]) work.begin()
  const timer = setInterval(housekeeping.begin, HOUSEKEEPING_MS).unref()
  return {
    wake: () => wakePoller(),
    untilDone,
    stop: async () => {
      stopping.abort()
      clearInterval(timer)
      await Promise.all([purging.ended, finishing.ended, housekeeping.ended])
      await bulkhead.stopped
    },
  }
}

/** Seconds without a new deletion before records are erased. Several deletions then share one rewrite. */
const IDLE_SECONDS = 2
/** Maximum seconds from the first deletion to the start of the erasure, so that it ends within a minute. */
const WAIT_SECONDS_MAX = 10
/** Maximum number of sandboxes per round. */
const SANDBOXES_MAX = 100

/** Lists the sandboxes in which deleted records must now be erased from older versions. */
async function listRecordErasures({ sql: control }: Planes, after?: SandboxRef): Promise<SandboxRef[]> {
  const rows = await control.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('erasure')
      .select(['user_id', 'sandbox_id'])
      .where('record_id', 'is not', null)
      .where('erased_at', 'is', null)
      .where('sandbox_id', '>', after?.sandboxId ?? '')
      .groupBy(['user_id', 'sandbox_id'])
      .having(
        sql<boolean>`max(requested_at) <= now() - make_interval(secs => ${IDLE_SECONDS})
          or min(requested_at) <= now() - make_interval(secs => ${WAIT_SECONDS_MAX})`,
      )
      .orderBy('sandbox_id')
      .limit(SANDBOXES_MAX)
      .execute(),
  )
  return rows.map((row) => ({ userId: row.user_id, sandboxId: row.sandbox_id }))
}

/**
 * Erases all traces of a sandbox's deleted records. It is resumed after a crash. Returns false if another process holds
 * the lease, or if this process does not hold the sandbox's key.
 */
async function eraseRecords(planes: Planes, applier: Applier, sandbox: SandboxRef): Promise<boolean> {
  const release = await retainKey(planes, sandbox)
  if (!release) return false
  try {
    // A commit removed each record before its row in `erasure` was written, so the head that is copied contains none of
    // them.
    const notes = await notesOf(planes, sandbox)
    const files = await applier.runExclusive(sandbox.sandboxId, () => compactForPurge(planes, sandbox))
    if (files === undefined) return false
    for (const [at, { id, record_id: recordId }] of notes.entries()) {
      const ref = { userId: sandbox.userId, id }
      const replies = await deleteStoredReplies(planes, sandbox.userId, String(recordId))
      const objects = at === 0 ? files : 0
      await planes.sql.transact(sandbox.userId, (tx) => addToCounts(tx, ref, { sql: replies, objects }))
      await markErased(planes, ref)
    }
    return true
  } finally {
    release()
  }
}

function notesOf(planes: Planes, { userId, sandboxId }: SandboxRef) {
  return planes.sql.transact(userId, (tx) =>
    tx
      .selectFrom('erasure')
      .select(['id', 'record_id'])
      .where(ofSandbox({ userId, sandboxId }))
      .where('record_id', 'is not', null)
      .where('erased_at', 'is', null)
      .execute(),
  )
}
