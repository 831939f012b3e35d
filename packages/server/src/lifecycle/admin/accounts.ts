import type { DeletedCounts, Done, ErasedOwner } from '@cairnstore/contract'
import { sql } from 'kysely'
import { Fault } from '../../base/fault.ts'
import type { Tx } from '../../db/open.ts'
import type { Planes } from '../../store/planes.ts'
import { AccessScope } from '../../tenancy/access/access-scope.ts'
import { lockAccount } from '../../tenancy/accounts/store.ts'
import { type AuditContext, recordEvent } from '../../tenancy/audit/record-event.ts'
import { tenantOf } from '../../tenancy/caller.ts'
import { deleteMember } from '../../tenancy/members/store.ts'
import { dropDataKey } from '../../tenancy/storage/bucket.ts'
import type { LifecycleCtx } from '../context.ts'
import { eraseSandbox } from '../erasure/erase-sandbox.ts'
import { NO_COUNTS } from '../erasure/store.ts'
import { type DeletionContext, deleteSandbox } from '../sandboxes/sandboxes.ts'

type ErasureContext = DeletionContext & Pick<LifecycleCtx, 'deliveries'>

/**
 * Erases an account. First suspends it, so that nothing new is added, and deletes each of its sandboxes. Then deletes
 * the account's row with its keys, idempotent responses and received grants. Also deletes the stored response to the
 * operator who created it. If the erasure fails, calling it again completes it. The audit log is kept. Throws
 * `not_found`.
 */
export async function eraseAccount(ctx: ErasureContext, userId: string): Promise<Done> {
  await setAccountStatus(recording(ctx, 'account.suspended'), userId, 'suspended')
  for (;;) {
    const sandboxId = await removeWhenEmpty(ctx, userId)
    if (sandboxId === undefined) break
    const owner = { accountId: userId, credential: ctx.caller.credential }
    const access = await AccessScope.find(ctx.sql, owner, sandboxId)
    if (access) await deleteSandbox(recording(ctx, 'sandbox.deleted'), access)
  }
  ctx.authenticator.forget({ accountId: userId })
  return { success: true, message: 'The account and all its data are erased.' }
}

/** Returns the context with the audit event for one step. */
function recording(ctx: ErasureContext, event: string): ErasureContext {
  return { ...ctx, operation: { ...ctx.operation, audit: { event } } }
}

/**
 * Deletes the account's row if it has no sandbox. Otherwise returns the id of a sandbox. The lock prevents a concurrent
 * request from adding a sandbox, whose files would never be deleted.
 */
async function removeWhenEmpty(
  ctx: Pick<LifecycleCtx, 'sql'> & AuditContext,
  userId: string,
): Promise<string | undefined> {
  return ctx.sql.transact({ tenant: userId, operator: true }, async (tx) => {
    await tx
      .selectFrom('account')
      .select('user_id')
      .where('user_id', '=', userId)
      .forUpdate()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    const sandbox = await tx
      .selectFrom('sandbox')
      .select('id')
      .where('user_id', '=', userId)
      .limit(1)
      .executeTakeFirst()
    if (sandbox) return sandbox.id
    const members = await tx.selectFrom('member').select('id').where('user_id', '=', userId).execute()
    for (const { id } of members) await deleteMember(tx, userId, id)
    await tx.deleteFrom('account').where('user_id', '=', userId).execute()
    await dropDataKey(tx, userId)
    await deleteCreationReply(tx, userId)
    await recordEvent(ctx, tx, { holderId: userId, subjectId: userId })
    return undefined
  })
}

async function deleteCreationReply(tx: Tx, userId: string): Promise<void> {
  await tx
    .deleteFrom('admin_idempotency')
    .where(sql<boolean>`convert_from(body, 'UTF8')::jsonb ->> 'user_id' = ${userId}`)
    .execute()
}

/**
 * Erases every sandbox of the caller's account with this owner_id, whatever its status. Sandboxes that are created
 * meanwhile may remain. If the erasure fails, calling it again completes it.
 */
export async function eraseOwner(ctx: Planes & AuditContext, ownerId: string): Promise<ErasedOwner> {
  const accountId = tenantOf(ctx.caller)
  const rows = await ctx.sql.transact(accountId, (tx) =>
    tx
      .selectFrom('sandbox')
      .select('id')
      .where('user_id', '=', accountId)
      .where('owner_id', '=', ownerId)
      .orderBy('id')
      .execute(),
  )
  const deleted: DeletedCounts = { ...NO_COUNTS }
  let sandboxes = 0
  for (const { id } of rows) {
    const counts = await eraseOne(ctx, id)
    if (!counts) continue
    sandboxes += 1
    for (const kind of Object.keys(deleted) as (keyof DeletedCounts)[]) deleted[kind] += counts[kind]
  }
  return { success: true, message: 'All data of this owner is erased.', sandboxes, deleted }
}

/** Erases one sandbox. Returns undefined if it no longer exists. */
async function eraseOne(ctx: Planes & AuditContext, sandboxId: string): Promise<DeletedCounts | undefined> {
  const place = { userId: tenantOf(ctx.caller), sandboxId }
  try {
    return await eraseSandbox(ctx, place, (tx) =>
      recordEvent(ctx, tx, { holderId: place.userId, sandboxId, subjectId: sandboxId }),
    )
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return undefined
    throw error
  }
}

/**
 * Suspends or reactivates an account. This process rejects the credentials of a suspended account at once, other
 * processes within a second. Does nothing if the account already has the status.
 */
export async function setAccountStatus(
  ctx: Pick<LifecycleCtx, 'authenticator' | 'deliveries' | 'sql'> & AuditContext,
  userId: string,
  status: 'active' | 'suspended',
): Promise<Done> {
  await ctx.sql.transact(userId, async (tx) => {
    const before = await lockAccount(tx, userId)
    if (before === undefined) throw new Fault('not_found')
    if (before === status) return
    await tx.updateTable('account').set({ status }).where('user_id', '=', userId).execute()
    await recordEvent(ctx, tx, { holderId: userId, subjectId: userId })
  })
  ctx.authenticator.forget({ accountId: userId })
  ctx.deliveries.sources.invalidateAccount(userId)
  return { success: true, message: `The account is ${status}.` }
}
