import type { DeletedSandbox } from '@cairnstore/contract'
import { assertVersion } from '../../db/versions.ts'
import type { Planes } from '../../store/planes.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import type { Ctx } from '../context.ts'
import { eraseSandbox } from '../erasure/erase-sandbox.ts'

/** What deleting works with. */
export type Deleting = Planes & Pick<Ctx, 'authenticator' | 'ifMatch'> & Recording

/**
 * Deletes a sandbox with everything in it. When it resolves nothing of it can be reached; within a minute no byte of it
 * is left.
 */
export async function deleteSandbox(ctx: Deleting, reach: Reach): Promise<DeletedSandbox> {
  const { holderId, sandboxId } = reach
  const deleted = await eraseSandbox(ctx, { userId: holderId, sandboxId }, async (tx) => {
    await assertVersion(tx, ctx.ifMatch, 'sandbox', { userId: holderId, id: sandboxId })
    await recordEvent(ctx, tx, { holderId, sandboxId, subjectId: sandboxId })
  })
  // The keys of its connections open nothing from now on.
  ctx.authenticator.forget({ accountId: holderId })
  return { success: true, message: 'The sandbox and everything in it are deleted.', deleted }
}
