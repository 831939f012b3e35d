import type { Done } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import type { Ctx } from '../context.ts'
import { dropSigningSecrets } from './signing.ts'

/** Removes an endpoint with its secrets and what is kept of its attempts. Throws `not_found`. */
export async function deleteWebhook(
  ctx: Pick<Ctx, 'secrets' | 'sql'> & Recording,
  reach: Reach,
  webhookId: string,
): Promise<Done> {
  const place = { userId: reach.holderId, sandboxId: reach.sandboxId }
  await ctx.sql.transact(reach.holderId, async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('webhook')
      .where(ofSandbox(place, { id: webhookId }))
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw new Fault('not_found')
    await dropSigningSecrets(ctx.secrets, tx, place, webhookId)
    await recordEvent(ctx, tx, { holderId: place.userId, sandboxId: place.sandboxId, subjectId: webhookId })
  })
  return { success: true, message: 'Nothing is sent there any more; its secret is forgotten.' }
}
