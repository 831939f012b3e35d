import type { Role } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import type { Ctx } from '../context.ts'
import { Reach } from './reach.ts'

/**
 * Throws `not_found` when the caller no longer has the reach, in the role, under which its request began: what takes
 * long goes on, and tells what it found, for nobody who may not have it any more.
 */
export async function assertStillReached(
  ctx: Pick<Ctx, 'sql' | 'caller'>,
  reach: Reach,
  role: Role = 'viewer',
): Promise<void> {
  const now = await Reach.find(ctx.sql, ctx.caller, reach.sandboxId)
  const isNarrower = now && now.projectId !== null && now.projectId !== reach.projectId
  if (!now || isNarrower || !now.allows(role)) throw new Fault('not_found')
}
