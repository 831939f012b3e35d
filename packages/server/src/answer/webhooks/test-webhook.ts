import type { WebhookDelivery } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import type { Ctx } from '../context.ts'
import { testMessage } from './message.ts'
import { keepAttempt } from './note-attempt.ts'
import { postMessage } from './post-message.ts'
import { webhookOf, wireDelivery } from './store.ts'
import { openSigningSecrets } from './take-message.ts'

/** Sends an endpoint a test once, and tells how it went. Throws `not_found` and `sandbox_not_active`. */
export async function testWebhook(
  ctx: Pick<Ctx, 'network' | 'secrets' | 'signal' | 'sql' | 'turn'> & Recording,
  reach: Reach,
  webhookId: string,
): Promise<WebhookDelivery> {
  assertWritable(reach)
  const ref = { userId: reach.holderId, sandboxId: reach.sandboxId, webhookId }
  const read = () => ctx.sql.transact(ref.userId, (tx) => webhookOf(tx, ref).executeTakeFirst())
  const row = await read()
  if (!row) throw new Fault('not_found')
  const secrets = await openSigningSecrets(ctx, ref, row)
  const now = ctx.clock.now()
  const messageId = newId('message', ctx.clock)
  const message = { id: messageId, at: now, body: JSON.stringify(testMessage(ref, now)) }
  // From here on it waits for somebody else's machine.
  ctx.turn.rest()
  const posted = await postMessage(ctx.network, row.url, message, secrets, ctx.signal)
  return ctx.sql.transact(ref.userId, async (tx) => {
    // It may have been deleted meanwhile.
    await webhookOf(tx, ref)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    const kept = await keepAttempt(ctx, tx, ref, { messageId, changes: 0, posted })
    await recordEvent(ctx, tx, { holderId: ref.userId, sandboxId: ref.sandboxId, subjectId: webhookId })
    return wireDelivery(kept)
  })
}
