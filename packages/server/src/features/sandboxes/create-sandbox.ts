import type { CreateSandbox, Sandbox } from '@cairn/contract'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import type { Ctx } from '../handler.ts'
import { keepReply } from '../idempotency/keep-reply.ts'
import { recordingEvent } from '../sharing/record-event.ts'
import { wireSandbox } from './store.ts'

/**
 * Creates a sandbox of the caller's account. A name that the owner_id has already throws `duplicate_name`, storage of
 * its own `not_implemented`: content that was meant for another bucket must not end up in this one.
 */
export async function createSandbox(ctx: Ctx, input: CreateSandbox): Promise<Sandbox> {
  if (input.storage) throw new Fault('not_implemented', { detail: 'A bucket of your own (custom_s3) is not built.' })
  const { accountId } = ctx.caller
  const id = newId('sandbox', ctx.clock)
  const now = ctx.clock.now()
  return ctx.sql.transact(accountId, async (tx) => {
    const row = await tx
      .with('made', (db) =>
        db
          .insertInto('sandbox')
          .values({
            user_id: accountId,
            id,
            owner_id: input.owner_id,
            name: input.name,
            tier: input.tier ?? 'free',
            storage_provider_type: 'platform_s3',
            metadata: input.metadata ?? {},
            key_fingerprint: null,
            created_at: now,
            updated_at: now,
          })
          .returningAll(),
      )
      .with('head', (db) =>
        db
          .insertInto('sandbox_head')
          .values({ user_id: accountId, sandbox_id: id, lease_owner: null, lease_until: null }),
      )
      .selectFrom('made')
      .selectAll()
      .select(recordingEvent(ctx, { holderId: accountId, sandboxId: id, subjectId: id }).as('recorded'))
      .executeTakeFirstOrThrow()
    const sandbox = wireSandbox(row, ctx.limits, 'owner')
    await keepReply(ctx, tx, sandbox)
    return sandbox
  })
}
