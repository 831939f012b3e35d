import type { Done } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { Ctx } from '../context.ts'

/**
 * Suspends or reactivates an account. The credentials of a suspended one open no later request here, and none elsewhere
 * after a second. One that is so already stays so.
 */
export async function setAccountStatus(
  ctx: Pick<Ctx, 'authenticator' | 'deliveries' | 'sql'> & Recording,
  userId: string,
  status: 'active' | 'suspended',
): Promise<Done> {
  await ctx.sql.transact(userId, async (tx) => {
    const before = await tx
      .selectFrom('account')
      .select('status')
      .where('user_id', '=', userId)
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
