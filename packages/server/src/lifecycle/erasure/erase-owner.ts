import type { DeletedCounts, ErasedOwner } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import type { Planes } from '../../store/planes.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import { eraseSandbox } from './erase-sandbox.ts'
import { NOTHING } from './store.ts'

/**
 * Erases every sandbox of the caller's account that has this owner_id, whatever its status, one after the other.
 * Sandboxes that are made meanwhile may stay. When it fails half-way, repeating it does the rest.
 */
export async function eraseOwner(ctx: Planes & Recording, ownerId: string): Promise<ErasedOwner> {
  const { accountId } = ctx.caller
  const rows = await ctx.sql.transact(accountId, (tx) =>
    tx
      .selectFrom('sandbox')
      .select('id')
      .where('user_id', '=', accountId)
      .where('owner_id', '=', ownerId)
      .orderBy('id')
      .execute(),
  )
  const deleted: DeletedCounts = { ...NOTHING }
  let sandboxes = 0
  for (const { id } of rows) {
    const counts = await eraseOne(ctx, id)
    if (!counts) continue
    sandboxes += 1
    for (const plane of Object.keys(deleted) as (keyof DeletedCounts)[]) deleted[plane] += counts[plane]
  }
  return { success: true, message: 'Everything of this owner is erased.', sandboxes, deleted }
}

/** Undefined when someone else deleted it meanwhile. */
async function eraseOne(ctx: Planes & Recording, sandboxId: string): Promise<DeletedCounts | undefined> {
  const place = { userId: ctx.caller.accountId, sandboxId }
  try {
    return await eraseSandbox(ctx, place, (tx) =>
      recordEvent(ctx, tx, { holderId: place.userId, sandboxId, subjectId: sandboxId }),
    )
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return undefined
    throw error
  }
}
