import { oneAtATime } from '../base/one-at-a-time.ts'
import { createBulkhead } from '../store/buckets/bulkhead.ts'
import type { Planes } from '../store/planes.ts'
import type { SandboxTurns } from '../store/under-lease.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { keepGraph } from './keep-graph.ts'
import { createUpkeepLane, type UpkeepLane } from './upkeep-lane.ts'

/** A sandbox that has not changed for so long rests; one that never does is tried after so long all the same. */
const REST_MS = 5_000
const RESTLESS_MS = 60_000
/** Sandboxes that wait; another one is noted when it changes again. */
const WAITING_MAX = 10_000

/** Keeps graphs as files, one at a time, beside commits, upkeep and questions. */
interface GraphLane {
  /** Says that the graph of a sandbox has changed, or was built anew. */
  changed(sandbox: SandboxRef): void
  /** Begins what is due, unless it is at work. */
  look(): void
  /** Begins nothing more; resolves when what is at work has ended. */
  stop(): Promise<void>
}

interface Waiting {
  readonly sandbox: SandboxRef
  readonly firstMs: number
  readonly lastMs: number
}

/** What is done for sandboxes at rest: they are tidied, and their graphs kept, neither waiting for the other. */
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

/** Nothing is kept before it is told to look. */
function createGraphLane(planes: Planes, applier: Pick<SandboxTurns, 'alone'>): GraphLane {
  const waiting = new Map<string, Waiting>()
  const bulkhead = createBulkhead(planes.log, 'keeping a graph in a bucket of its own failed')
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
        planes.log.warn('keeping a graph failed', { sandboxId: id, error }),
      )
    }
  }

  const keeping = oneAtATime(keepDue, (error) => planes.log.warn('keeping graphs failed', { error }))

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
