import { Fault } from '../base/fault.ts'
import type { Tx } from '../db/open.ts'
import { changesOf, type StoredBefore } from '../store/changes.ts'
import { type Lease, moveHead } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'
import type { EntityRow } from '../store/port.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { Batch } from './batch-shape.ts'

/**
 * Commits rows of entities and moves the head in the transaction of `record`; its result is returned. Throws
 * `unavailable` when the lease was lost meanwhile: then nothing has changed.
 */
export async function commitEntities<T>(
  planes: Planes,
  { lease, view }: LeasedView,
  entities: readonly EntityRow[],
  record: (tx: Tx) => Promise<T>,
): Promise<T> {
  const rows = { records: [], entities }
  const changes = changesOf(rows, storedBefore(view, { replaced: new Map() }))
  const head = await view.store.commit(lease.head, { ...rows, links: [] })
  const result = await planes.sql.transact(lease.userId, async (tx) => {
    const move = { commitsSinceUpkeep: lease.commitsSinceUpkeep + 1, changes }
    if (!(await moveHead(tx, lease, head, move))) throw new Fault('unavailable')
    return record(tx)
  })
  planes.knowledge.committed(lease, head)
  return result
}

/** A sandbox under its lease, as it stands at the lease's head. */
export interface LeasedView {
  lease: Lease
  view: SandboxView
}

/** What was stored before a batch is committed, of what the batch changes; as the view stands when it is asked. */
export function storedBefore(view: SandboxView, { replaced }: Pick<Batch, 'replaced'>): StoredBefore {
  return {
    projectOf: (recordId) => replaced.get(recordId),
    hasEntity: (entityId) => view.entityRowsOf([entityId]).length > 0,
    isSealed: view.seal !== undefined,
  }
}

/** What a commit did to a sandbox. */
export interface Changed {
  /** Commits that no upkeep has followed yet, this one with them. */
  commits: number
  /** Records that it wrote. */
  records: number
  /** Records that there are now. */
  recordsInAll: number
  /** It took records away, of which no old version is to stay for long. */
  isRemoving?: boolean
}
