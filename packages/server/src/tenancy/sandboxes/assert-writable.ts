import type { Limits } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import type { TierLimits } from '../../config/limits.ts'
import { isSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { AccessScope } from '../access/access-scope.ts'

/** Throws `sandbox_not_active` unless the sandbox accepts changes. */
export function assertWritable({ status }: Pick<AccessScope, 'status'>): void {
  if (status !== 'active') throw new Fault('sandbox_not_active', { detail: `The sandbox is ${status}.` })
}

/**
 * Locks the sandbox row until the transaction ends and returns its tier's limits. The lock keeps later counts valid.
 * Throws `sandbox_not_active` unless the sandbox accepts changes, and `not_found` if it is missing.
 */
export async function lockForGrowth(tx: Tx, access: AccessScope, limits: TierLimits): Promise<Limits> {
  const sandbox = await tx
    .selectFrom('sandbox')
    .select(['status', 'tier'])
    .where(isSandbox(access))
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => new Fault('not_found'))
  assertWritable(sandbox)
  return limits[sandbox.tier]
}

/** Throws `quota_exceeded` if one more item would exceed the limit. */
export function assertBelow(limit: number | null, count: number, what: string): void {
  if (limit === null || count < limit) return
  throw new Fault('quota_exceeded', { detail: `This sandbox's tier allows ${limit} ${what}.` })
}

/** Tenant and id of a sandbox. */
export interface SandboxRef {
  userId: string
  sandboxId: string
}
