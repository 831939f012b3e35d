import {
  READ_MODES,
  type RegisterTracker,
  TRACKER_ENTITIES,
  type TrackerEntity,
  type TrackerOutcome,
} from '@cairnstore/contract'
import { fieldRefusal } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { withVersion } from '../../db/versions.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { type AuditContext, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { ContentCipher } from '../../tenancy/caller-keys/content-cipher.ts'
import { lockCredentialCipher, usesCustomerKey } from '../../tenancy/caller-keys/credential-cipher.ts'
import { type IdempotencyContext, storeReply } from '../../tenancy/idempotency/keyed-request.ts'
import { assertBelow, assertWritable, lockForGrowth } from '../../tenancy/sandboxes/assert-writable.ts'
import { countSources, sourcesIn } from '../../tenancy/sources/source-rows.ts'
import { McpFailure } from '../connectors/mcp/mcp-transport.ts'
import type { SourcesCtx } from '../context.ts'
import { insertSource } from '../registry/register-source.ts'
import { POLL_SECONDS_DEFAULT, storeSecrets } from '../registry/store.ts'
import { checkHealth, type HealthCheck, outcomeOf, stateAfter } from './store.ts'

const PROVIDER = 'linear'
const NAME = 'Linear'
const CAP_DEFAULT = 60

/**
 * Registers the tracker. Checks its key, then writes the encrypted key, the row and the audit event in one transaction,
 * even if the check failed. If a source with the same name exists whose check failed, updates that source. Throws a
 * refusal if polling would need the customer-managed key. Throws `missing`, `sandbox_not_active` and `quota_exceeded`.
 */
export async function registerTracker(
  ctx: Pick<SourcesCtx, 'key' | 'limits' | 'network' | 'secrets' | 'signal' | 'sql' | 'tracker'> &
    IdempotencyContext &
    AuditContext,
  scope: AccessScope,
  input: RegisterTracker,
): Promise<TrackerOutcome> {
  assertWritable(scope)
  const mode = input.ingestion_mode ?? 'polling'
  if (usesCustomerKey(ctx, scope) && mode === 'polling') throw fieldRefusal('polling_under_key', 'ingestion_mode')
  const entities = TRACKER_ENTITIES.filter((entity) => (input.include ?? TRACKER_ENTITIES).includes(entity))
  const name = input.name ?? NAME
  await ctx.sql.transact(scope.holderId, async (tx) => {
    if (!(await findFailed(tx, scope, name))) await assertSourceLimit(ctx, tx, scope)
  })
  const checked = await tryKey(ctx, input.api_key)
  return ctx.sql.transact(scope.holderId, async (tx) => {
    const seal = await lockCredentialCipher(ctx, tx, scope)
    await lockForGrowth(tx, scope, ctx.limits)
    const failed = await findFailed(tx, scope, name)
    const settings = settingsFor(input, entities)
    const row = failed
      ? await reviveSource(ctx, tx, scope, failed, { ...settings, mode, key: input.api_key, seal, checked })
      : await insertSource(ctx, tx, scope, {
          ...settings,
          id: newId('source', ctx.clock),
          provider: PROVIDER,
          name,
          mode,
          secrets: { provider_credential: input.api_key },
          seal,
          checked: stateAfter(ctx, 'active', checked),
        })
    const outcome: TrackerOutcome = { ...outcomeOf(row, checked.failure), entities: [...entities] }
    await storeReply(ctx, tx, outcome)
    return withVersion(outcome, row.version)
  })
}

function settingsFor(input: RegisterTracker, entities: readonly TrackerEntity[]) {
  return {
    config: { include: [...entities], rate_cap_per_minute: input.rate_cap_per_minute ?? CAP_DEFAULT },
    pollSeconds: input.poll_interval_seconds ?? POLL_SECONDS_DEFAULT,
  }
}

async function assertSourceLimit(ctx: Pick<SourcesCtx, 'limits'>, tx: Tx, scope: AccessScope): Promise<void> {
  const limits = await lockForGrowth(tx, scope, ctx.limits)
  assertBelow(limits.max_data_sources, await countSources(tx, scope), 'sources')
}

/** Checks the key. A server without tools counts as a failure, because it cannot be the tracker's. */
async function tryKey(ctx: Pick<SourcesCtx, 'network' | 'signal' | 'tracker'>, key: string): Promise<HealthCheck> {
  const server = { url: ctx.tracker.url, auth: { kind: 'bearer', token: key } } as const
  const checked = await checkHealth(ctx, server, [], ctx.tracker.fetch)
  if (checked.failure || checked.tools.length > 0) return checked
  return { failure: new McpFailure('allowed_tool_missing'), tools: undefined }
}

async function findFailed(tx: Tx, scope: AccessScope, name: string): Promise<Row<'source'> | undefined> {
  return sourcesIn(tx, scope)
    .selectAll('source')
    .where('source.provider', '=', PROVIDER)
    .where('source.name', '=', name)
    .where('source.status', '=', 'error')
    .where('source.ingestion_mode', 'in', READ_MODES)
    .orderBy('source.id')
    .forNoKeyUpdate('source')
    .executeTakeFirst()
}

interface NewTracker {
  key: string
  seal: ContentCipher | undefined
  mode: (typeof READ_MODES)[number]
  checked: HealthCheck
}

async function reviveSource(
  ctx: Pick<SourcesCtx, 'secrets'> & AuditContext,
  tx: Tx,
  scope: AccessScope,
  failed: Row<'source'>,
  next: ReturnType<typeof settingsFor> & NewTracker,
): Promise<Row<'source'>> {
  const refs = await storeSecrets(ctx.secrets, tx, failed, { provider_credential: next.key }, next.seal)
  const row = await tx
    .updateTable('source')
    .set({
      ...refs,
      ...stateAfter(ctx, failed.status, next.checked),
      ingestion_mode: next.mode,
      adapter_config: next.config,
      poll_interval_seconds: next.pollSeconds,
      poll_failures: 0,
      updated_at: ctx.clock.now(),
    })
    .where(ofSandbox(failed, { id: failed.id }))
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordEvent(ctx, tx, { holderId: scope.holderId, sandboxId: scope.sandboxId, subjectId: failed.id })
  return row
}
