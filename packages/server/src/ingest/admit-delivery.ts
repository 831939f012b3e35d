import type { SourceState } from '@cairnstore/contract'
import { Fault } from '../base/fault.ts'
import type { JsonObject } from '../db/json-object.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import { assertBelow, assertWritable, lockForGrowth } from '../tenancy/sandboxes/assert-writable.ts'
import { countSources, isLive, nextSourceState } from '../tenancy/sources/source-rows.ts'
import type { IngestCtx } from './context.ts'
import type { ReceivingSource } from './receiving-source.ts'

/**
 * Minimum milliseconds between updates of a source's last call. A source is archived after whole hours without calls,
 * so the time need not be more exact.
 */
const SEEN_MS = 60_000

/**
 * Checks that a delivery may be stored, in the transaction that stores it, because the state may have changed since the
 * request began. The source cannot be paused, archived or deleted until the transaction ends. An archived source
 * becomes active again. Throws `sandbox_not_active`, `source_not_active`, `quota_exceeded`, and `not_found` for a
 * deleted source or sandbox.
 * @returns the verifier of the sandbox's customer-managed key, or null; it cannot change before the transaction ends
 */
export async function admitDelivery(
  ctx: Pick<IngestCtx, 'clock' | 'limits'>,
  tx: Tx,
  access: AccessScope,
  source: ReceivingSource | null,
): Promise<JsonObject | null> {
  if (!source) return assertSandboxTakes(tx, access)
  const found = tx
    .selectFrom('source')
    .innerJoin('sandbox', (join) =>
      join.onRef('sandbox.user_id', '=', 'source.user_id').onRef('sandbox.id', '=', 'source.sandbox_id'),
    )
    .select(['source.status', 'source.last_seen_at', 'sandbox.status as sandboxStatus', 'sandbox.caller_key'])
    .where('source.user_id', '=', access.holderId)
    .where('source.sandbox_id', '=', access.sandboxId)
    .where('source.id', '=', source.id)
  // The sandbox is locked first, in the same order as in a deletion.
  const inSandbox = found.forKeyShare('sandbox')
  // Deliveries to a durable source share its lock. For an ephemeral source the time of each call is stored.
  const locked = source.kind === 'ephemeral' ? inSandbox.forNoKeyUpdate('source') : inSandbox.forShare('source')
  const row = await locked.executeTakeFirstOrThrow(() => new Fault('not_found'))
  assertWritable({ status: row.sandboxStatus })
  const next = nextSourceState(row.status, 'revived')
  if (next === 'refused') throw new Fault('source_not_active', { detail: `The source is ${row.status}.` })
  const isSeen = row.last_seen_at !== null && ctx.clock.now().getTime() - row.last_seen_at.getTime() < SEEN_MS
  if (next === row.status && (source.kind === 'durable' || isSeen)) return row.caller_key
  if (!isLive(row)) {
    const limits = await lockForGrowth(tx, access, ctx.limits)
    assertBelow(limits.max_data_sources, await countSources(tx, access), 'sources')
  }
  await recordCall(ctx, tx, access, source.id, next)
  return row.caller_key
}

async function assertSandboxTakes(tx: Tx, access: AccessScope): Promise<JsonObject | null> {
  const sandbox = await tx
    .selectFrom('sandbox')
    .select(['status', 'caller_key'])
    .where('user_id', '=', access.holderId)
    .where('id', '=', access.sandboxId)
    .forKeyShare()
    .executeTakeFirstOrThrow(() => new Fault('not_found'))
  assertWritable(sandbox)
  return sandbox.caller_key
}

async function recordCall(
  ctx: Pick<IngestCtx, 'clock'>,
  tx: Tx,
  access: AccessScope,
  sourceId: string,
  status: SourceState,
): Promise<void> {
  await tx
    .updateTable('source')
    .set({ status, last_seen_at: ctx.clock.now() })
    .where(ofSandbox(access, { id: sourceId }))
    .execute()
}
