import type { CreateSandbox, Sandbox, Tier } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import type { Tx } from '../../db/open.ts'
import { type Recording, recordingEvent } from '../../tenancy/audit/record-event.ts'
import { type Keeping, keepReply } from '../../tenancy/idempotency/keep-reply.ts'
import { wireSandbox } from '../../tenancy/sandboxes/store.ts'
import { keepAccess } from '../../tenancy/storage/access-store.ts'
import { toBucket } from '../../tenancy/storage/bucket.ts'
import type { Ctx } from '../context.ts'

/**
 * Creates a sandbox of the caller's account, in a bucket of its own when the caller names one that can be used; else it
 * throws `storage_unfit`. A name that the owner_id has already throws `duplicate_name`, one sandbox more than the tier
 * allows an account `sandboxes_max`.
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
  const tier = input.tier ?? 'free'
  return ctx.sql.transact(accountId, async (tx) => {
    await assertRoom(tx, accountId, tier, ctx.limits[tier].max_sandboxes)
    const row = await tx
      .with('made', (db) =>
        db
          .insertInto('sandbox')
          .values({
            user_id: accountId,
            id,
            owner_id: input.owner_id,
            name: input.name,
            tier,
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

/** Two that are made at once are counted one after the other. Archived sandboxes count, since their content is kept. */
async function assertRoom(tx: Tx, accountId: string, tier: Tier, limit: number | null): Promise<void> {
  if (limit === null) return
  await tx.selectFrom('account').select('user_id').where('user_id', '=', accountId).forNoKeyUpdate().execute()
  const { count } = await tx
    .selectFrom('sandbox')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('user_id', '=', accountId)
    .where('tier', '=', tier)
    .executeTakeFirstOrThrow()
  if (count < limit) return
  throw new Fault('sandboxes_max', { detail: `An account may have ${limit} sandboxes of the tier ${tier}.` })
}
