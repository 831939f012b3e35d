import { Fault } from '../base/fault.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import { assertBelow } from '../tenancy/sandboxes/assert-writable.ts'
import type { Ctx } from './context.ts'

/**
 * Throws `quota_exceeded` or `memory_max` when a sandbox is full, so that a text, which is always a new record, is
 * refused at the door. It looks at what is committed; the batch that the text would come in decides to the record and
 * the byte.
 */
export async function assertRoom(
  ctx: Pick<Ctx, 'knowledge' | 'limits' | 'sql'>,
  { holderId, sandboxId, tier }: Reach,
): Promise<void> {
  if (ctx.knowledge.growthOf({ sandboxId }).records === 0) throw new Fault('memory_max')
  const head = await ctx.sql.transact(holderId, (tx) =>
    tx
      .selectFrom('sandbox_head')
      .select(['record_count', 'content_bytes'])
      .where(ofSandbox({ holderId, sandboxId }))
      .executeTakeFirst(),
  )
  const { max_records: records, max_storage_bytes: bytes } = ctx.limits[tier]
  assertBelow(records, head?.record_count ?? 0, 'records')
  assertBelow(bytes, head?.content_bytes ?? 0, 'bytes of content')
}
