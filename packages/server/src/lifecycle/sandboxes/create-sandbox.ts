import type { CreateSandbox, Sandbox } from '@cairn/contract'
import { newId } from '../../base/id.ts'
import { type Recording, recordingEvent } from '../../tenancy/audit/record-event.ts'
import { type Keeping, keepReply } from '../../tenancy/idempotency/keep-reply.ts'
import { wireSandbox } from '../../tenancy/sandboxes/store.ts'
import { keepAccess } from '../../tenancy/storage/access-store.ts'
import { toBucket } from '../../tenancy/storage/bucket.ts'
import type { Ctx } from '../context.ts'

/**
 * Creates a sandbox of the caller's account, in a bucket of its own when the caller names one that can be used; else it
 * throws `storage_unfit`. A name that the owner_id has already throws `duplicate_name`.
 */
export async function createSandbox(
  ctx: Pick<Ctx, 'buckets' | 'limits' | 'secrets' | 'sql'> & Recording & Keeping,
  input: CreateSandbox,
): Promise<Sandbox> {
  const { accountId } = ctx.caller
  const bucket = input.storage ? toBucket(input.storage, ctx.buckets.allowLoopback) : null
  if (bucket) await ctx.buckets.probe(bucket)
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
            storage_provider_type: bucket ? 'custom_s3' : 'platform_s3',
            storage: bucket && { ...bucket.place },
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
    if (bucket) await keepAccess(ctx.secrets, tx, { userId: accountId, sandboxId: id }, bucket.access)
    const sandbox = wireSandbox(row, ctx.limits, 'owner')
    await keepReply(ctx, tx, sandbox)
    return sandbox
  })
}
