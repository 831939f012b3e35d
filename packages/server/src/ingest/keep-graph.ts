import { randomBytes } from 'node:crypto'
import { createYieldPoint } from '../base/yield-point.ts'
import { moveHead, takeLease, withSeal } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'
import type { SandboxTurns } from '../store/under-lease.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { eraseIfDeleted } from './apply.ts'

/** Questions wait at most so long for a piece of the file. */
const SLICE_MS = 2
const NAME_BYTES = 12

/**
 * Keeps the graph of a sandbox as a file where so much of it is new that it pays, beside the commits: what comes while
 * it is written ends it, and it is tried again when the sandbox rests. Not where another process has the lease.
 */
export async function keepGraph(
  planes: Planes,
  applier: Pick<SandboxTurns, 'alone'>,
  sandbox: SandboxRef,
): Promise<void> {
  const { knowledge, sql, seals, ownerId, questions, observe } = planes
  if (!knowledge.isImageDue(sandbox)) return
  const take = () => sql.transact(sandbox.userId, (tx) => takeLease(tx, sandbox, ownerId))
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
  // What a process that was killed left goes with the image before.
  await store.removePieces((piece) => piece.startsWith(name) !== isNamed)
}
