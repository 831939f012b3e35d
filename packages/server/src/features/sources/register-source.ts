import type { RegisterSource, Source } from '@cairn/contract'
import { sha256 } from '../../base/digest.ts'
import { newId } from '../../base/id.ts'
import type { Tx } from '../../db/open.ts'
import type { Ctx } from '../handler.ts'
import { keepReply } from '../idempotency/keep-reply.ts'
import { assertUnarchived, lockProject } from '../projects/store.ts'
import { assertBelow, assertWritable, lockForGrowth } from '../sandboxes/assert-writable.ts'
import type { Reach } from '../sharing/reach.ts'
import { recordEvent } from '../sharing/record-event.ts'
import { assertConfigFits } from './config-fits.ts'
import { assertSigns, keepSecrets, NO_SECRETS } from './provider-secrets.ts'
import { assertNoSecret } from './secret-in-config.ts'
import { countSources, POLL_SECONDS_DEFAULT, wireSource } from './store.ts'
import { newWebhookSecret, newWebhookSlug } from './webhook-secret.ts'

/**
 * Registers a source. A realtime one gets an address for deliveries and a secret, which is in this reply and nowhere
 * else. Throws `secret_in_config`, `validation_error` for settings that its connector cannot follow and for the signing
 * secret of a provider that does not sign, `sandbox_not_active`, and `quota_exceeded` when the tier's sources are used
 * up.
 */
export async function registerSource(ctx: Ctx, reach: Reach, input: RegisterSource): Promise<Source> {
  assertNoSecret(input.adapter_config)
  assertConfigFits(input.provider, input.adapter_config)
  assertSigns(input.provider, input)
  assertWritable(reach)
  const id = newId('source', ctx.clock)
  const now = ctx.clock.now()
  const mode = input.ingestion_mode ?? 'manual'
  const secret = mode === 'realtime' ? newWebhookSecret() : undefined
  const place = { user_id: reach.holderId, sandbox_id: reach.sandboxId }
  return ctx.sql.transact(reach.holderId, async (tx) => {
    const limits = await lockForGrowth(tx, reach, ctx.limits)
    assertBelow(limits.max_data_sources, await countSources(tx, reach), 'sources')
    const refs = await keepSecrets(ctx.secrets, tx, { ...place, id, provider: input.provider, ...NO_SECRETS }, input)
    const row = await tx
      .insertInto('source')
      .values({
        ...place,
        ...refs,
        id,
        provider: input.provider,
        name: input.name,
        ingestion_mode: mode,
        kind: input.kind ?? 'durable',
        external_account_id: input.external_account_id ?? null,
        adapter_config: input.adapter_config ?? {},
        poll_interval_seconds: input.poll_interval_seconds ?? (mode === 'polling' ? POLL_SECONDS_DEFAULT : null),
        webhook_slug: mode === 'realtime' ? newWebhookSlug() : null,
        last_sync_at: null,
        last_seen_at: now,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    if (secret !== undefined) await storeSecret(tx, { ...place, source_id: id }, secret, now)
    // Someone whose grant is limited to a project could not see a source outside it.
    if (reach.projectId !== null) {
      assertUnarchived(await lockProject(tx, reach, reach.projectId))
      await linkTo(tx, { ...place, source_id: id }, reach.projectId)
    }
    await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: id })
    const source = wireSource(row, ctx.publicUrl)
    if (secret !== undefined) source.webhook_signing_secret = secret
    await keepReply(ctx, tx, source)
    return source
  })
}

interface SourceKey {
  user_id: string
  sandbox_id: string
  source_id: string
}

async function storeSecret(tx: Tx, key: SourceKey, secret: string, createdAt: Date): Promise<void> {
  await tx
    .insertInto('source_secret')
    .values({ ...key, hash: sha256(secret), created_at: createdAt, expires_at: null })
    .execute()
}

async function linkTo(tx: Tx, key: SourceKey, projectId: string): Promise<void> {
  await tx
    .insertInto('project_source')
    .values({ ...key, project_id: projectId })
    .execute()
}
