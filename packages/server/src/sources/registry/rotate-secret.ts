import type { Source } from '@cairnstore/contract'
import { sha256 } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import { type Keeping, keepReply } from '../../tenancy/idempotency/keep-reply.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import { lockSource } from '../../tenancy/sources/source-rows.ts'
import type { Ctx } from '../context.ts'
import { assertWithinGrant } from './delete-source.ts'
import { wireSource } from './store.ts'
import { newWebhookSecret } from './webhook-secret.ts'

const MS_PER_SECOND = 1000

/**
 * Gives a realtime source a new secret, shown in this reply alone. The one that was in use works for the grace, and one
 * that was in its grace already ends at once, so that there are never more than two. Throws `not_realtime`,
 * `source_not_active` for a disconnected source, `sandbox_not_active`, and `forbidden` as `assertWithinGrant` does: a
 * source may replace whatever it brought before, in any project.
 */
export async function rotateSecret(
  ctx: Pick<Ctx, 'publicUrl' | 'sql'> & Recording & Keeping,
  reach: Reach,
  sourceId: string,
  graceSeconds: number,
): Promise<Source> {
  const secret = newWebhookSecret()
  const now = ctx.clock.now()
  return ctx.sql.transact(reach.holderId, async (tx) => {
    const row = await lockSource(tx, reach, sourceId)
    assertWritable(reach)
    await assertWithinGrant(tx, reach, sourceId)
    if (row.ingestion_mode !== 'realtime') throw new Fault('not_realtime')
    if (row.status === 'disconnected') throw new Fault('source_not_active', { detail: 'The source is disconnected.' })
    const place = { user_id: reach.holderId, sandbox_id: reach.sandboxId, source_id: sourceId }
    const old = tx.deleteFrom('source_secret').where(ofSandbox(place, { source_id: place.source_id }))
    await (graceSeconds > 0 ? old.where('expires_at', 'is not', null) : old).execute()
    if (graceSeconds > 0) {
      await tx
        .updateTable('source_secret')
        .set({ expires_at: new Date(now.getTime() + graceSeconds * MS_PER_SECOND) })
        .where(ofSandbox(place, { source_id: place.source_id }))
        .execute()
    }
    await tx
      .insertInto('source_secret')
      .values({ ...place, hash: sha256(secret), created_at: now, expires_at: null })
      .execute()
    await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: sourceId })
    const source = wireSource(row, ctx.publicUrl)
    source.webhook_signing_secret = secret
    await keepReply(ctx, tx, source)
    return source
  })
}
