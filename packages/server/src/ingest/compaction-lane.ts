import { createBackoffs } from '../base/backoffs.ts'
import { createYieldPoint } from '../base/yield-point.ts'
import { createBulkhead } from '../store/buckets/bulkhead.ts'
import { dropOldChanges } from '../store/changes.ts'
import { moveHead, takeLease } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'
import { type CompactionOptions, KINDS, type Kind } from '../store/port.ts'
import type { SandboxMutex } from '../store/under-lease.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { eraseIfDeleted } from './apply.ts'
import type { CommittedChange } from './commit-entities.ts'

/** Milliseconds of background computation before it yields to questions. */
const SLICE_MS = 2
/** Milliseconds for which old versions stay readable. Only exports take longer. */
const RETAIN_MS = 60_000
/**
 * Milliseconds until an idle sandbox is compacted again. By then, no request reads the versions before the first
 * compaction.
 */
const SECOND_PASS_MS = RETAIN_MS + 5_000
/**
 * Number of commits after which an idle sandbox is compacted. It grows with the number of records, because compaction
 * reads about 64 bytes of each. A fragment costs about 10 requests for a question that needs a record in it.
 */
const IDLE_COMMITS = { min: 8, max: 64, recordsEach: 4_096 } as const
/**
 * Number of new records after which an idle sandbox is compacted instead, if they are also this share (1/8) of all.
 * After a bulk load there is more to compact than the number of commits suggests.
 */
const IDLE_RECORDS_MIN = 500
const IDLE_SHARE = 8
/** Exponential backoff after a failure, in milliseconds. */
const RETRY_MS = 1_000
const RETRY_MS_MAX = 60_000

/** Compacts sandboxes while others commit. Sandboxes with their own buckets run in parallel, the others one by one. */
export interface CompactionLane {
  /** Tells the lane that a sandbox has changed. It is compacted when idle or after many changes. */
  changed(sandbox: SandboxRef, changed: CommittedChange): void
  /** Returns the milliseconds since the sandbox last changed. */
  quietMs(sandboxId: string): number
  /** Starts the compactions that are due, unless one is running. */
  runDue(): void
  /** Finishes the current dataset and stops. */
  stop(): Promise<void>
}

interface IdleSandbox {
  sandbox: SandboxRef
  sinceMs: number
  commits: number
  records: number
  totalRecords: number
  isRemoving: boolean
  /** True if old versions remain after a compaction. */
  hasGarbage: boolean
  /** Number of idle-time compactions that were due since the last change. */
  passes: number
}

/** Creates the compaction lane. Nothing runs before `runDue` is called. */
export function createCompactionLane(planes: Planes, applier: Pick<SandboxMutex, 'runExclusive'>): CompactionLane {
  const { commits: commitsMax, restMs } = planes.compaction
  const passDelaysMs = [restMs, restMs + SECOND_PASS_MS]
  const idleSandboxes = new Map<string, IdleSandbox>()
  const backoffs = createBackoffs(RETRY_MS, RETRY_MS_MAX)
  const bulkhead = createBulkhead(planes.log, 'compaction in a customer bucket failed')
  let isStopping = false
  let working: Promise<void> | undefined

  const compactOne = async (entry: IdleSandbox): Promise<void> => {
    const { commits, records } = entry
    const isOverdue = commits >= commitsMax
    if (!isOverdue) entry.passes += 1
    const isLast = entry.passes === passDelaysMs.length
    if (!isOverdue && !(isLast ? entry.hasGarbage || entry.isRemoving : isWorthwhile(entry))) return
    const isPruneForced = isLast && entry.isRemoving
    // Commits during the compaction are counted for the next one.
    if (isPruneForced) entry.isRemoving = false
    entry.hasGarbage = true
    const idle: CompactionOptions['idle'] = isLast ? 'lasting' : 'begun'
    const options = { ...(!isOverdue && { idle }), isPruneForced }
    const compact = () => compactSandbox(planes, { runExclusive: runUntilStopped }, entry.sandbox, options)
    await planes.observe('upkeep.tidy', compact)
    entry.commits = Math.max(0, entry.commits - commits)
    entry.records -= records
  }

  const runUntilStopped: SandboxMutex['runExclusive'] = (sandboxId, work) =>
    isStopping ? Promise.reject(new Error('The process is stopping.')) : applier.runExclusive(sandboxId, work)

  const compactDue = async (): Promise<void> => {
    for (const [id, entry] of idleSandboxes) {
      if (isStopping) return
      if (!isDue(entry, passDelaysMs, commitsMax) || !backoffs.isDue(id)) continue
      if (entry.passes >= passDelaysMs.length && entry.commits < commitsMax) {
        idleSandboxes.delete(id)
        continue
      }
      if (await planes.buckets.isOwn(entry.sandbox)) {
        bulkhead.begin(id, () => compactOne(entry))
        continue
      }
      await compactOne(entry).then(
        () => backoffs.succeeded(id),
        (error: unknown) => {
          backoffs.failed(id)
          // If compaction fails, commits are not affected.
          if (!isStopping) planes.log.warn('compaction failed', { sandboxId: id, error })
        },
      )
    }
  }

  const runDue = (): void => {
    if (isStopping) return
    working ??= compactDue()
      .catch((error: unknown) => planes.log.warn('compaction failed', { error }))
      .finally(() => {
        working = undefined
      })
  }

  return {
    changed: (sandbox, { commits, records, totalRecords, isRemoving = false }) => {
      const entry = idleSandboxes.get(sandbox.sandboxId) ?? newIdleSandbox(sandbox)
      const sinceMs = performance.now()
      const change: Partial<IdleSandbox> = { sinceMs, passes: 0, commits, totalRecords }
      const sums: Partial<IdleSandbox> = {
        records: entry.records + records,
        isRemoving: entry.isRemoving || isRemoving,
      }
      idleSandboxes.set(sandbox.sandboxId, Object.assign(entry, change, sums))
      if (commits >= commitsMax) runDue()
    },
    quietMs: (sandboxId) => performance.now() - (idleSandboxes.get(sandboxId)?.sinceMs ?? Number.NEGATIVE_INFINITY),
    runDue,
    stop: async () => {
      isStopping = true
      await working
      await bulkhead.stopped
    },
  }
}

function newIdleSandbox(sandbox: SandboxRef): IdleSandbox {
  const none = { sinceMs: 0, commits: 0, records: 0, totalRecords: 0, passes: 0 }
  return { sandbox, ...none, isRemoving: false, hasGarbage: false }
}

function isDue({ commits, sinceMs, passes }: IdleSandbox, restsMs: readonly number[], commitsMax: number): boolean {
  return commits >= commitsMax || performance.now() - sinceMs >= (restsMs[passes] ?? 0)
}

/** Returns true if the benefit of a compaction exceeds the cost of reading everything. */
function isWorthwhile({ commits, records, totalRecords }: IdleSandbox): boolean {
  const { min, max, recordsEach } = IDLE_COMMITS
  const enough = Math.min(max, Math.max(min, totalRecords / recordsEach))
  return commits >= enough || records >= Math.max(IDLE_RECORDS_MIN, totalRecords / IDLE_SHARE)
}

/**
 * Compacts a sandbox, one dataset per slot, so that batches can be applied in between. Stops early if another process
 * has the lease or the sandbox is deleted; that does no harm.
 */
export async function compactSandbox(
  planes: Planes,
  applier: Pick<SandboxMutex, 'runExclusive'>,
  sandbox: SandboxRef,
  options: Pick<CompactionOptions, 'idle' | 'isPruneForced'>,
): Promise<void> {
  for (const kind of KINDS) {
    if (!(await applier.runExclusive(sandbox.sandboxId, () => compactDataset(planes, sandbox, kind, options)))) return
  }
}

/** Compacts one dataset and moves the head to it. Returns false if this process must not write. */
async function compactDataset(
  planes: Planes,
  sandbox: SandboxRef,
  kind: Kind,
  options: CompactionOptions,
): Promise<boolean> {
  const lease = await planes.sql.transact(sandbox.userId, (tx) => takeLease(tx, sandbox, planes))
  if (!lease) return false
  if (lease.head[`${kind}Version`] === 0) return true
  const yieldIfDue = createYieldPoint(SLICE_MS, planes.questions)
  const store = await planes.knowledge.store(lease)
  const head = await store.compact(lease.head, {
    retainMs: RETAIN_MS,
    yieldIfDue,
    kinds: [kind],
    ...options,
  })
  // Commits between two datasets are counted for the next compaction.
  const commitsSinceCompaction = kind === KINDS[0] ? 0 : lease.commitsSinceCompaction
  const isMoved = await planes.sql.transact(lease.userId, async (tx) => {
    if (!(await moveHead(tx, lease, head, { commitsSinceCompaction, changes: null }))) return false
    await dropOldChanges(tx, lease)
    return true
  })
  if (isMoved) planes.knowledge.committed(lease, head)
  else await eraseIfDeleted(planes, lease)
  return isMoved
}
