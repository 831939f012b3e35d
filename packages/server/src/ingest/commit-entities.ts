import { Fault } from '../base/fault.ts'
import type { Tx } from '../db/open.ts'
import { changesOf, type StoredBefore } from '../store/changes.ts'
import { type Lease, moveHead } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'
import type { EntityRow } from '../store/port.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { Batch } from './batch-shape.ts'

/**
 * Commits entity rows. Moves the head in the same transaction as `writeRows`, and returns the result of `writeRows`. If
 * the lease was lost, throws `unavailable` and changes nothing.
 */
export async function commitEntities<T>(
  planes: Planes,
  { lease, view }: LeasedView,
  entities: readonly EntityRow[],
  writeRows: (tx: Tx) => Promise<T>,
): Promise<T> {
  const rows = { records: [], entities }
  const changes = changesOf(rows, storedBefore(view, { replaced: new Map() }))
  const head = await view.store.commit(lease.head, { ...rows, links: [] })
  const result = await planes.sql.transact(lease.userId, async (tx) => {
    const move = { commitsSinceCompaction: lease.commitsSinceCompaction + 1, changes }
    if (!(await moveHead(tx, lease, head, move))) throw new Fault('unavailable')
    return writeRows(tx)
  })
  planes.knowledge.committed(lease, head)
  return result
}

/** A sandbox with its lease, and its view at the lease's head. */
export interface LeasedView {
  lease: Lease
  view: SandboxView
}

/**
 * Returns functions that read the state before a batch, to describe its changes. Call them before the view moves to the
 * new head.
 */
export function storedBefore(view: SandboxView, { replaced }: Pick<Batch, 'replaced'>): StoredBefore {
  return {
    projectOf: (recordId) => replaced.get(recordId),
    hasEntity: (entityId) => view.entityRowsOf([entityId]).length > 0,
    isSealed: view.seal !== undefined,
  }
}

/** Changes of a commit in a sandbox. */
export interface CommittedChange {
  /** Commits since the last compaction, including this one. */
  commits: number
  /** Number of records that it wrote. */
  records: number
  /** Number of records after it. */
  totalRecords: number
  /** True if it removed records. Old versions that contain them must soon be pruned. */
  isRemoving?: boolean
}
