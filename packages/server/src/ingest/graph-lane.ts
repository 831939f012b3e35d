import { randomBytes } from 'node:crypto'
import { oneAtATime } from '../base/one-at-a-time.ts'
import { createYieldPoint } from '../base/yield-point.ts'
import { createBulkhead } from '../store/buckets/bulkhead.ts'
import { moveHead, takeLease, withSeal } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'
import type { SandboxTurns } from '../store/under-lease.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { eraseIfDeleted } from './apply.ts'
import { createUpkeepLane, type UpkeepLane } from './upkeep-lane.ts'

/** Milliseconds without changes after which a sandbox is idle, and the longest wait of one that is never idle. */
const REST_MS = 5_000
const RESTLESS_MS = 60_000
/** Maximum number of waiting sandboxes. Others are added when they change again. */
const WAITING_MAX = 10_000

/** Writes index snapshots, one at a time, concurrently with commits, compaction and questions. */
interface GraphLane {
  /** Notes that the graph of a sandbox has changed or was built. */
  changed(sandbox: SandboxRef): void
  /** Starts the due snapshots unless it is running. */
  look(): void
  /** Starts nothing more. Resolves when the current work has ended. */
  stop(): Promise<void>
}

interface Waiting {
  readonly sandbox: SandboxRef
  readonly firstMs: number
  readonly lastMs: number
}

/** Creates the idle-time work on sandboxes: compaction and index snapshots, independent of each other. */
export function createRestLanes(planes: Planes, applier: Pick<SandboxTurns, 'alone'>): UpkeepLane {
  const upkeep = createUpkeepLane(planes, applier)
  const graphs = createGraphLane(planes, applier)
  planes.knowledge.whenBuilt(graphs.changed)
  return {
    changed: (sandbox, changed) => {
      upkeep.changed(sandbox, changed)
      graphs.changed(sandbox)
    },
    quietMs: upkeep.quietMs,
    look: () => {
      upkeep.look()
      graphs.look()
    },
    stop: async () => {
      await Promise.all([upkeep.stop(), graphs.stop()])
    },
  }
}

/** Creates the snapshot writer. Nothing runs before `look` is called. */
function createGraphLane(planes: Planes, applier: Pick<SandboxTurns, 'alone'>): GraphLane {
  const waiting = new Map<string, Waiting>()
  const bulkhead = createBulkhead(planes.log, 'writing an index snapshot to a customer bucket failed')
  let isStopping = false

  const keepDue = async (): Promise<void> => {
    for (const [id, { sandbox, firstMs, lastMs }] of waiting) {
      if (isStopping) return
      const nowMs = performance.now()
      if (nowMs - lastMs < REST_MS && nowMs - firstMs < RESTLESS_MS) continue
      waiting.delete(id)
      if (await planes.buckets.isOwn(sandbox)) {
        bulkhead.begin(id, () => keepGraph(planes, applier, sandbox))
        continue
      }
      await keepGraph(planes, applier, sandbox).catch((error: unknown) =>
        planes.log.warn('writing an index snapshot failed', { sandboxId: id, error }),
      )
    }
  }

  const keeping = oneAtATime(keepDue, (error) => planes.log.warn('writing index snapshots failed', { error }))

  return {
    changed: (sandbox) => {
      const nowMs = performance.now()
      const { firstMs = nowMs } = waiting.get(sandbox.sandboxId) ?? {}
      if (waiting.size >= WAITING_MAX && !waiting.has(sandbox.sandboxId)) return
      waiting.set(sandbox.sandboxId, { sandbox, firstMs, lastMs: nowMs })
    },
    look: () => {
      if (isStopping) return
      keeping.begin()
    },
    stop: async () => {
      isStopping = true
      await keeping.ended
      await bulkhead.stopped
    },
  }
}

/** Milliseconds of work on a segment before it yields to questions. */
const SLICE_MS = 2
const NAME_BYTES = 12

/**
 * Writes an index snapshot of a sandbox if enough has changed. A commit during the write aborts it, and it is retried
 * when the sandbox is idle. Does nothing if another process holds the lease.
 */
async function keepGraph(planes: Planes, applier: Pick<SandboxTurns, 'alone'>, sandbox: SandboxRef): Promise<void> {
  const { knowledge, sql, seals, questions, observe } = planes
  if (!knowledge.isImageDue(sandbox)) return
  const take = () => sql.transact(sandbox.userId, (tx) => takeLease(tx, sandbox, planes))
  const before = await applier.alone(sandbox.sandboxId, take)
  if (!before) return
  const name = randomBytes(NAME_BYTES).toString('hex')
  const breathe = createYieldPoint(SLICE_MS, questions)
  const { seal } = withSeal(seals, before)
  const kept = await observe('graph.keep', () => knowledge.keepImage(sandbox, name, seal, breathe))
  const isNamed = await applier.alone(sandbox.sandboxId, async () => {
    const lease = await take()
    if (!lease || !kept || lease.head.floorSeq > kept.seq || lease.head.keyEpoch !== kept.keyEpoch) return false
    const { commitsSinceUpkeep } = lease
    const head = { ...lease.head, graphImage: name }
    return sql.transact(lease.userId, (tx) => moveHead(tx, lease, head, { commitsSinceUpkeep, changes: null }))
  })
  if (isNamed) kept?.named()
  else if (await eraseIfDeleted(planes, sandbox)) return
  const store = await knowledge.store(sandbox)
  // Also removes what a killed process left, together with the previous snapshot.
  await store.removePieces((piece) => piece.startsWith(name) !== isNamed)
}
