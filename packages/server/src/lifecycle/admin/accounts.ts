import type { DeletedCounts, Done, ErasedOwner } from '@cairnstore/contract'
import { sql } from 'kysely'
import { Fault } from '../../base/fault.ts'
import type { Tx } from '../../db/open.ts'
import type { Planes } from '../../store/planes.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import { tenantOf } from '../../tenancy/caller.ts'
import { deleteMember } from '../../tenancy/members/store.ts'
import { Reach } from '../../tenancy/reach/reach.ts'
import { dropDataKey } from '../../tenancy/storage/bucket.ts'
import type { LifecycleCtx } from '../context.ts'
import { eraseSandbox } from '../erasure/erase-sandbox.ts'
import { NOTHING } from '../erasure/store.ts'
import { type Deleting, deleteSandbox } from '../sandboxes/sandboxes.ts'

type Erasing = Deleting & Pick<LifecycleCtx, 'deliveries'>

/**
 * Erases an account: first it is suspended, so that nothing new comes into it; then each of its sandboxes is deleted as
 * its owner would delete it; then the account's row takes its keys, its stored replies and the connections that it was
 * given along, and the stored reply to the operator who made it goes. What was begun and failed is finished by asking
 * again. Its audit log stays. Throws `not_found`.
 */
export async function eraseAccount(ctx: Erasing, userId: string): Promise<Done> {
  await setAccountStatus(recording(ctx, 'account.suspended'), userId, 'suspended')
  for (;;) {
    const sandboxId = await removeWhenEmpty(ctx, userId)
    if (sandboxId === undefined) break
    const owner = { accountId: userId, credential: ctx.caller.credential }
    const reach = await Reach.find(ctx.sql, owner, sandboxId)
    if (reach) await deleteSandbox(recording(ctx, 'sandbox.deleted'), reach)
  }
  ctx.authenticator.forget({ accountId: userId })
  return { success: true, message: 'The account and everything it held are erased.' }
}

/** The request with the audit event of one of its steps. */
function recording(ctx: Erasing, event: string): Erasing {
  return { ...ctx, operation: { ...ctx.operation, audit: { event } } }
}

/**
 * Removes the account's row when it holds no sandbox any more; returns a sandbox when it holds one. The lock keeps a
 * request that was on its way from adding a sandbox whose files nobody would remove.
 */
async function removeWhenEmpty(
  ctx: Pick<LifecycleCtx, 'sql'> & Recording,
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
    await forgetCreation(tx, userId)
    await recordEvent(ctx, tx, { holderId: userId, subjectId: userId })
    return undefined
  })
}

async function forgetCreation(tx: Tx, userId: string): Promise<void> {
  await tx
    .deleteFrom('admin_idempotency')
    .where(sql<boolean>`convert_from(body, 'UTF8')::jsonb ->> 'user_id' = ${userId}`)
    .execute()
}

/**
 * Erases every sandbox of the caller's account that has this owner_id, whatever its status, one after the other.
 * Sandboxes that are made meanwhile may stay. When it fails half-way, repeating it does the rest.
 */
export async function eraseOwner(ctx: Planes & Recording, ownerId: string): Promise<ErasedOwner> {
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
 * Suspends or reactivates an account. The credentials of a suspended one open no later request here, and none elsewhere
 * after a second. One that is so already stays so.
 */
export async function setAccountStatus(
  ctx: Pick<LifecycleCtx, 'authenticator' | 'deliveries' | 'sql'> & Recording,
  userId: string,
  status: 'active' | 'suspended',
): Promise<Done> {
  await ctx.sql.transact(userId, async (tx) => {
    const before = await tx
      .selectFrom('account')
      .select('status')
      .where('user_id', '=', userId)
      .where('member_of', 'is', null)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    if (before.status === status) return
    await tx.updateTable('account').set({ status }).where('user_id', '=', userId).execute()
    await recordEvent(ctx, tx, { holderId: userId, subjectId: userId })
  })
  ctx.authenticator.forget({ accountId: userId })
  ctx.deliveries.sources.forgetAccount(userId)
  return { success: true, message: `The account is ${status}.` }
}
