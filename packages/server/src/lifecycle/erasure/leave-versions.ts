import { moveHead, takeLease, withSeal } from '../../store/lease.ts'
import type { Planes } from '../../store/planes.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/sandbox-ref.ts'
import { forgetEvidence } from './forget-evidence.ts'

/**
 * Copies what counts in a sandbox into datasets that hold nothing else, and removes the old ones with every older
 * version; returns the number of files that went, undefined when the lease is lost. Runs between batches of it.
 */
export async function leaveVersions(planes: Planes, sandbox: SandboxRef): Promise<number | undefined> {
  const taken = await planes.sql.transact(sandbox.userId, (tx) => takeLease(tx, sandbox, planes.ownerId))
  if (!taken) return undefined
  const lease = withSeal(planes.seals, taken)
  if (lease.head.seq === 0) return 0
  const store = await planes.knowledge.store(lease)
  await forgetEvidence(planes, await planes.knowledge.view(lease, lease.head), lease)
  const head = await store.purge(lease.head)
  const move = { commitsSinceUpkeep: 0, changes: null }
  if (!(await planes.sql.transact(lease.userId, (tx) => moveHead(tx, lease, head, move)))) return undefined
  // The new graph is built aside while the old one answers; then nothing in memory knows the old rows.
  await planes.knowledge.view(lease, head)
  planes.knowledge.forgetRecords(lease)
  return await store.sweep(head)
}

/**
 * Holds the sandbox's key, where it is under one, until an erasure has ended: returns what lets go of it, undefined
 * when nobody holds it.
 */
export async function holdKey(planes: Planes, { userId, sandboxId }: SandboxRef): Promise<(() => void) | undefined> {
  const head = await planes.sql.transact(userId, (tx) =>
    tx
      .selectFrom('sandbox_head')
      .select('key_epoch')
      .where('user_id', '=', userId)
      .where('sandbox_id', '=', sandboxId)
      .executeTakeFirst(),
  )
  if (!head?.key_epoch) return () => undefined
  const seal = planes.seals.find(sandboxId, head.key_epoch)
  return seal && planes.seals.hold(seal)
}
