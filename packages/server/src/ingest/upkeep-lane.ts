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

/** Questions wait at most so long for a computation that nobody waits for. */
const SLICE_MS = 2
/** Old versions stay readable for longer than any request but an export takes. */
const RETAIN_MS = 60_000
/** A sandbox at rest is tidied, and once more so long after, when its last versions have superseded every reader. */
const SUPERSEDED_MS = RETAIN_MS + 5_000
/**
 * At rest it is tidied for at least so many commits, and for more where there is more to read to do it: some 64 bytes
 * of each record, against some 10 requests that a fragment costs a question which needs a record in it.
 */
const COMMITS_AT_REST = { min: 8, max: 64, recordsEach: 4_096 } as const
/** ... or for so many records, and so large a part of all: a load leaves more behind than its commits tell. */
const RECORDS_AT_REST_MIN = 500
const SHARE_AT_REST = 8
/** What failed is left alone for so long, and twice as long each time. */
const RETRY_MS = 1_000
const RETRY_MS_MAX = 60_000

/** Tidies sandboxes beside the commits, one at a time, and those with buckets of their own beside each other. */
export interface UpkeepLane {
  /** Says that a sandbox has changed, so that it is tidied when it rests or when much has gathered. */
  changed(sandbox: SandboxRef, changed: Changed): void
  /** How long ago it last changed. */
  quietMs(sandboxId: string): number
  /** Looks for what is due, unless it is at work. */
  look(): void
  /** Ends the dataset at work and stops. */
  stop(): Promise<void>
}

interface Resting {
  sandbox: SandboxRef
  sinceMs: number
  commits: number
  records: number
  recordsInAll: number
  isRemoving: boolean
  /** Something was tidied, and has left old versions. */
  hasLeft: boolean
  /** How many of the times at rest have come. */
  looked: number
}

/** Nothing is tidied before it is told to look. */
export function createUpkeepLane(planes: Planes, applier: Pick<SandboxTurns, 'alone'>): UpkeepLane {
  const { commits: commitsMax, restMs } = planes.upkeep
  const restsMs = [restMs, restMs + SUPERSEDED_MS]
  const resting = new Map<string, Resting>()
  const backoffs = createBackoffs(RETRY_MS, RETRY_MS_MAX)
  const bulkhead = createBulkhead(planes.log, 'upkeep in a bucket of its own failed')
  let isStopping = false
  let working: Promise<void> | undefined

  const tidy = async (entry: Resting): Promise<void> => {
    const { commits, records } = entry
    const isUrged = commits >= commitsMax
    if (!isUrged) entry.looked += 1
    const isLast = entry.looked === restsMs.length
    if (!isUrged && !(isLast ? entry.hasLeft || entry.isRemoving : isWorth(entry))) return
    const isPruneForced = isLast && entry.isRemoving
    // A commit meanwhile counts for the next time.
    if (isPruneForced) entry.isRemoving = false
    entry.hasLeft = true
    const rest: UpkeepOptions['rest'] = isLast ? 'lasting' : 'begun'
    const options = { ...(!isUrged && { rest }), isPruneForced }
    await planes.observe('upkeep.tidy', () => tidySandbox(planes, { alone: aloneUntilStopped }, entry.sandbox, options))
    entry.commits = Math.max(0, entry.commits - commits)
    entry.records -= records
  }

  const aloneUntilStopped: SandboxTurns['alone'] = (sandboxId, work) =>
    isStopping ? Promise.reject(new Error('The program stops.')) : applier.alone(sandboxId, work)

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
          // What was committed is, whatever becomes of this.
          if (!isStopping) planes.log.warn('upkeep failed', { sandboxId: id, error })
        },
      )
    }
  }

  const look = (): void => {
    if (isStopping) return
    working ??= tidyDue()
      .catch((error: unknown) => planes.log.warn('upkeep failed', { error }))
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

/** Whether tidying gains more than the look at everything costs. */
function isWorth({ commits, records, recordsInAll }: Resting): boolean {
  const { min, max, recordsEach } = COMMITS_AT_REST
  const enough = Math.min(max, Math.max(min, recordsInAll / recordsEach))
  return commits >= enough || records >= Math.max(RECORDS_AT_REST_MIN, recordsInAll / SHARE_AT_REST)
}

/**
 * Tidies a sandbox, one dataset after the other and each in a turn of its own, so that what comes meanwhile is applied
 * between them. Ends early when another process has the lease, or the sandbox is deleted: both leave nothing wrong.
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

/** Tidies one dataset and moves the head to it; false when it may not. */
async function tidyDataset(planes: Planes, sandbox: SandboxRef, kind: Kind, options: UpkeepOptions): Promise<boolean> {
  const lease = await planes.sql.transact(sandbox.userId, (tx) => takeLease(tx, sandbox, planes))
  if (!lease) return false
  if (lease.head[`${kind}Version`] === 0) return true
  const breathe = createYieldPoint(SLICE_MS, planes.questions)
  const store = await planes.knowledge.store(lease)
  const head = await store.upkeep(lease.head, { retainMs: RETAIN_MS, breathe, kinds: [kind], ...options })
  // What is committed between two datasets counts for the next time.
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
