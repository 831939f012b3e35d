import type { Limits } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import type { TierLimits } from '../../config/limits.ts'
import type { Tx } from '../../db/open.ts'
import type { Reach } from '../reach/reach.ts'

/** Throws `sandbox_not_active` unless the sandbox takes changes. */
export function assertWritable({ status }: Pick<Reach, 'status'>): void {
  if (status !== 'active') throw new Fault('sandbox_not_active', { detail: `The sandbox is ${status}.` })
}

/**
 * Locks the sandbox until the transaction ends, so that what is counted afterwards stays true, and returns its tier's
 * limits. Throws `sandbox_not_active` unless it takes changes, `not_found` when it is gone.
 */
export async function lockForGrowth(tx: Tx, reach: Reach, limits: TierLimits): Promise<Limits> {
  const sandbox = await tx
    .selectFrom('sandbox')
    .select(['status', 'tier'])
    .where('user_id', '=', reach.holderId)
    .where('id', '=', reach.sandboxId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => new Fault('not_found'))
  assertWritable(sandbox)
  return limits[sandbox.tier]
}

/** Throws `quota_exceeded` when one more would be over the limit. */
export function assertBelow(limit: number | null, count: number, what: string): void {
  if (limit === null || count < limit) return
  throw new Fault('quota_exceeded', { detail: `This sandbox's tier allows ${limit} ${what}.` })
}

/** Which sandbox, under which tenant. */
export interface SandboxRef {
  userId: string
  sandboxId: string
}
