import { createBackoffs } from '../base/backoffs.ts'
import { createYieldPoint } from '../base/yield-point.ts'
import { createBulkhead } from '../store/buckets/bulkhead.ts'
import { dropOldChanges } from '../store/changes.ts'
import { moveHead, takeLease } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'
import { KINDS, type Kind, type UpkeepOptions } from '../store/port.ts'
import type { SandboxTurns } from '../store/under-lease.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { eraseIfDeleted } from './apply.ts'
import type { Changed } from './commit-entities.ts'

/** Milliseconds of background computation before it yields to questions. */
const SLICE_MS = 2
/** Milliseconds for which old versions stay readable. Longer than any request except an export. */
const RETAIN_MS = 60_000
/** Milliseconds until the second compaction of an idle sandbox. By then its last versions have no readers. */
const SUPERSEDED_MS = RETAIN_MS + 5_000
/**
 * Minimum number of commits for a compaction when idle, in proportion to the records. It reads about 64 bytes of each
 * record. A fragment costs about 10 requests for a question that needs a record in it.
 */
const COMMITS_AT_REST = { min: 8, max: 64, recordsEach: 4_096 } as const
/**
 * Alternatively this many records, and this part of all (1/8). A bulk load leaves more to compact than its commits
 * suggest.
 */
const RECORDS_AT_REST_MIN = 500
const SHARE_AT_REST = 8
/** Exponential backoff after a failure, in milliseconds. */
const RETRY_MS = 1_000
const RETRY_MS_MAX = 60_000

/** Compacts sandboxes concurrently with commits, one at a time. Those with their own buckets run concurrently. */
export interface UpkeepLane {
  /** Notes that a sandbox has changed. It is compacted when idle or after many changes. */
  changed(sandbox: SandboxRef, changed: Changed): void
  /** Returns the milliseconds since its last change. */
  quietMs(sandboxId: string): number
  /** Starts due compactions unless it is running. */
  look(): void
  /** Finishes the current dataset and stops. */
  stop(): Promise<void>
}

interface Resting {
  sandbox: SandboxRef
  sinceMs: number
  commits: number
  records: number
  recordsInAll: number
  isRemoving: boolean
  /** True if a compaction has left old versions. */
  hasLeft: boolean
  /** Number of idle-time compactions that were due since the last change. */
  looked: number
}

/** Creates the compaction work. Nothing runs before `look` is called. */
export function createUpkeepLane(planes: Planes, applier: Pick<SandboxTurns, 'alone'>): UpkeepLane {
  const { commits: commitsMax, restMs } = planes.upkeep
  const restsMs = [restMs, restMs + SUPERSEDED_MS]
  const resting = new Map<string, Resting>()
  const backoffs = createBackoffs(RETRY_MS, RETRY_MS_MAX)
  const bulkhead = createBulkhead(planes.log, 'compaction in a customer bucket failed')
  let isStopping = false
  let working: Promise<void> | undefined

  const tidy = async (entry: Resting): Promise<void> => {
    const { commits, records } = entry
    const isUrged = commits >= commitsMax
    if (!isUrged) entry.looked += 1
    const isLast = entry.looked === restsMs.length
    if (!isUrged && !(isLast ? entry.hasLeft || entry.isRemoving : isWorth(entry))) return
    const isPruneForced = isLast && entry.isRemoving
    // Commits during the compaction count for the next one.
    if (isPruneForced) entry.isRemoving = false
    entry.hasLeft = true
    const rest: UpkeepOptions['rest'] = isLast ? 'lasting' : 'begun'
    const options = { ...(!isUrged && { rest }), isPruneForced }
    await planes.observe('upkeep.tidy', () => tidySandbox(planes, { alone: aloneUntilStopped }, entry.sandbox, options))
    entry.commits = Math.max(0, entry.commits - commits)
    entry.records -= records
  }

  const aloneUntilStopped: SandboxTurns['alone'] = (sandboxId, work) =>
    isStopping ? Promise.reject(new Error('The process is stopping.')) : applier.alone(sandboxId, work)

  const tidyDue = async (): Promise<void> => {
    for (const [id, entry] of resting) {
      if (isStopping) return
      if (!isDue(entry, restsMs, commitsMax) || !backoffs.isDue(id)) continue
      if (entry.looked >= restsMs.length && entry.commits < commitsMax) {
        resting.delete(id)
        continue
      }
      if (await planes.buckets.isOwn(entry.sandbox)) {
        bulkhead.begin(id, () => tidy(entry))
        continue
      }
      await tidy(entry).then(
        () => backoffs.succeeded(id),
        (error: unknown) => {
          backoffs.failed(id)
          // A failed compaction does not affect commits.
          if (!isStopping) planes.log.warn('compaction failed', { sandboxId: id, error })
        },
      )
    }
  }

  const look = (): void => {
    if (isStopping) return
    working ??= tidyDue()
      .catch((error: unknown) => planes.log.warn('compaction failed', { error }))
      .finally(() => {
        working = undefined
      })
  }

  return {
    changed: (sandbox, { commits, records, recordsInAll, isRemoving = false }) => {
      const entry = resting.get(sandbox.sandboxId) ?? newlyResting(sandbox)
      const rest = { sinceMs: performance.now(), looked: 0, commits, recordsInAll, records: entry.records + records }
      resting.set(sandbox.sandboxId, Object.assign(entry, rest, { isRemoving: entry.isRemoving || isRemoving }))
      if (commits >= commitsMax) look()
    },
    quietMs: (sandboxId) => performance.now() - (resting.get(sandboxId)?.sinceMs ?? Number.NEGATIVE_INFINITY),
    look,
    stop: async () => {
      isStopping = true
      await working
      await bulkhead.stopped
    },
  }
}

function newlyResting(sandbox: SandboxRef): Resting {
  const none = { sinceMs: 0, commits: 0, records: 0, recordsInAll: 0, looked: 0 }
  return { sandbox, ...none, isRemoving: false, hasLeft: false }
}

function isDue({ commits, sinceMs, looked }: Resting, restsMs: readonly number[], commitsMax: number): boolean {
  return commits >= commitsMax || performance.now() - sinceMs >= (restsMs[looked] ?? 0)
}

/** Returns true if compaction gains more than reading everything costs. */
function isWorth({ commits, records, recordsInAll }: Resting): boolean {
  const { min, max, recordsEach } = COMMITS_AT_REST
  const enough = Math.min(max, Math.max(min, recordsInAll / recordsEach))
  return commits >= enough || records >= Math.max(RECORDS_AT_REST_MIN, recordsInAll / SHARE_AT_REST)
}

/**
 * Compacts a sandbox, one dataset per slot, so that batches can be applied in between. Ends early, without harm, if
 * another process has the lease or the sandbox is deleted.
 */
export async function tidySandbox(
  planes: Planes,
  applier: Pick<SandboxTurns, 'alone'>,
  sandbox: SandboxRef,
  options: Pick<UpkeepOptions, 'rest' | 'isPruneForced'>,
): Promise<void> {
  for (const kind of KINDS) {
    if (!(await applier.alone(sandbox.sandboxId, () => tidyDataset(planes, sandbox, kind, options)))) return
  }
}

/** Compacts one dataset and moves the head to it. Returns false if this process may not. */
async function tidyDataset(planes: Planes, sandbox: SandboxRef, kind: Kind, options: UpkeepOptions): Promise<boolean> {
  const lease = await planes.sql.transact(sandbox.userId, (tx) => takeLease(tx, sandbox, planes))
  if (!lease) return false
  if (lease.head[`${kind}Version`] === 0) return true
  const breathe = createYieldPoint(SLICE_MS, planes.questions)
  const store = await planes.knowledge.store(lease)
  const head = await store.upkeep(lease.head, { retainMs: RETAIN_MS, breathe, kinds: [kind], ...options })
  // Commits between two datasets count for the next compaction.
  const commitsSinceUpkeep = kind === KINDS[0] ? 0 : lease.commitsSinceUpkeep
  const isMoved = await planes.sql.transact(lease.userId, async (tx) => {
    if (!(await moveHead(tx, lease, head, { commitsSinceUpkeep, changes: null }))) return false
    await dropOldChanges(tx, lease)
    return true
  })
  if (isMoved) planes.knowledge.committed(lease, head)
  else await eraseIfDeleted(planes, lease)
  return isMoved
}
