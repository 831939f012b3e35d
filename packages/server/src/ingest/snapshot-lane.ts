import { randomBytes } from 'node:crypto'
import { oneAtATime } from '../base/one-at-a-time.ts'
import { createYieldPoint } from '../base/yield-point.ts'
import { createBulkhead } from '../store/buckets/bulkhead.ts'
import { moveHead, takeLease, withHeldKey } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'
import type { SandboxMutex } from '../store/under-lease.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { eraseIfDeleted } from './apply.ts'
import { type CompactionLane, createCompactionLane } from './compaction-lane.ts'

/** Milliseconds without changes after which a sandbox is idle, and maximum wait of one that is never idle. */
const IDLE_MS = 5_000
const WAIT_MS_MAX = 60_000
/** Maximum number of waiting sandboxes. Further ones are added when they change again. */
const WAITING_MAX = 10_000

/** Writes index snapshots, one at a time. Runs concurrently with commits, compaction and questions. */
interface SnapshotLane {
  /** Tells the lane that the graph of a sandbox has changed or was built. */
  changed(sandbox: SandboxRef): void
  /** Starts the snapshots that are due, unless one is running. */
  runDue(): void
  /** Prevents further snapshots. Resolves when the current one has ended. */
  stop(): Promise<void>
}

interface WaitingSandbox {
  readonly sandbox: SandboxRef
  readonly firstMs: number
  readonly lastMs: number
}

/** Creates the lanes for idle sandboxes: compaction and index snapshots. They are independent of each other. */
export function createIdleLanes(planes: Planes, applier: Pick<SandboxMutex, 'runExclusive'>): CompactionLane {
  const compaction = createCompactionLane(planes, applier)
  const graphs = createSnapshotLane(planes, applier)
  planes.knowledge.graphs.onBuilt = graphs.changed
  return {
    changed: (sandbox, changed) => {
      compaction.changed(sandbox, changed)
      graphs.changed(sandbox)
    },
    quietMs: compaction.quietMs,
    runDue: () => {
      compaction.runDue()
      graphs.runDue()
    },
    stop: async () => {
      await Promise.all([compaction.stop(), graphs.stop()])
    },
  }
}

/** Creates the snapshot writer. Nothing runs before `runDue` is called. */
function createSnapshotLane(planes: Planes, applier: Pick<SandboxMutex, 'runExclusive'>): SnapshotLane {
  const waiting = new Map<string, WaitingSandbox>()
  const bulkhead = createBulkhead(planes.log, 'writing an index snapshot to a customer bucket failed')
  let isStopping = false

  const writeDue = async (): Promise<void> => {
    for (const [id, { sandbox, firstMs, lastMs }] of waiting) {
      if (isStopping) return
      const nowMs = performance.now()
      if (nowMs - lastMs < IDLE_MS && nowMs - firstMs < WAIT_MS_MAX) continue
      waiting.delete(id)
      if (await planes.buckets.isOwn(sandbox)) {
        bulkhead.begin(id, () => writeGraphSnapshot(planes, applier, sandbox))
        continue
      }
      await writeGraphSnapshot(planes, applier, sandbox).catch((error: unknown) =>
        planes.log.warn('writing an index snapshot failed', { sandboxId: id, error }),
      )
    }
  }

  const writing = oneAtATime(writeDue, (error) => planes.log.warn('writing index snapshots failed', { error }))

  return {
    changed: (sandbox) => {
      const nowMs = performance.now()
      const { firstMs = nowMs } = waiting.get(sandbox.sandboxId) ?? {}
      if (waiting.size >= WAITING_MAX && !waiting.has(sandbox.sandboxId)) return
      waiting.set(sandbox.sandboxId, { sandbox, firstMs, lastMs: nowMs })
    },
    runDue: () => {
      if (isStopping) return
      writing.begin()
    },
    stop: async () => {
      isStopping = true
      await writing.ended
      await bulkhead.stopped
    },
  }
}

/** Milliseconds of work on a segment before it yields to questions. */
const SLICE_MS = 2
const NAME_BYTES = 12

/**
 * Writes an index snapshot of a sandbox if enough has changed. A commit during the write aborts it, and it is tried
 * again when the sandbox is idle. Does nothing if another process holds the lease.
 */
async function writeGraphSnapshot(
  planes: Planes,
  applier: Pick<SandboxMutex, 'runExclusive'>,
  sandbox: SandboxRef,
): Promise<void> {
  const { knowledge, sql, seals, questions, observe } = planes
  if (!knowledge.graphs.isSnapshotDue(sandbox)) return
  const take = () => sql.transact(sandbox.userId, (tx) => takeLease(tx, sandbox, planes))
  const before = await applier.runExclusive(sandbox.sandboxId, take)
  if (!before) return
  const name = randomBytes(NAME_BYTES).toString('hex')
  const yieldIfDue = createYieldPoint(SLICE_MS, questions)
  const { seal } = withHeldKey(seals, before)
  const written = await observe('graph.keep', () => knowledge.graphs.writeSnapshot(sandbox, name, seal, yieldIfDue))
  const isNamed = await applier.runExclusive(sandbox.sandboxId, async () => {
    const lease = await take()
    if (!lease || !written || lease.head.floorSeq > written.seq || lease.head.keyEpoch !== written.keyEpoch)
      return false
    const { commitsSinceCompaction } = lease
    const head = { ...lease.head, graphImage: name }
    return sql.transact(lease.userId, (tx) => moveHead(tx, lease, head, { commitsSinceCompaction, changes: null }))
  })
  if (isNamed) written?.markNamed()
  else if (await eraseIfDeleted(planes, sandbox)) return
  const store = await knowledge.store(sandbox)
  // Removes the previous snapshot and what a killed process has left, or the new segments if they are not used.
  await store.removeSegments('graph', (segment) => segment.startsWith(name) !== isNamed)
}
