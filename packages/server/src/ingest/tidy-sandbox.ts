import { createYieldPoint } from '../base/yield-point.ts'
import { dropOldChanges } from '../store/changes.ts'
import { moveHead, takeLease } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'
import { KINDS, type Kind, type UpkeepOptions } from '../store/port.ts'
import type { SandboxTurns } from '../store/under-lease.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { eraseIfDeleted } from './apply.ts'

/** Questions wait at most so long for a computation that nobody waits for. */
const SLICE_MS = 2
/** Old versions stay readable for longer than any request but an export takes. */
export const RETAIN_MS = 60_000

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
  const lease = await planes.sql.transact(sandbox.userId, (tx) => takeLease(tx, sandbox, planes.ownerId))
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
