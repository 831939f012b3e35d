import type { RegisterSource, Source } from '@cairnstore/contract'
import { sha256 } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import type { Recording } from '../../tenancy/audit/record-event.ts'
import { keepsUnderKey, lockCredentialSeal } from '../../tenancy/caller-keys/credential-seal.ts'
import { type Keeping, keepReply } from '../../tenancy/idempotency/keep-reply.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import type { Ctx } from '../context.ts'
import { assertPollable } from './assert-pollable.ts'
import { assertConfigFits } from './config-fits.ts'
import { insertSource } from './insert-source.ts'
import { assertOwnEndpoint } from './own-endpoint.ts'
import { assertSigns } from './provider-secrets.ts'
import { assertNoSecret } from './secret-in-config.ts'
import { wireSource } from './store.ts'
import { newWebhookSecret } from './webhook-secret.ts'

/**
 * Registers a source. A realtime one gets an address for deliveries and a secret, which is in this reply and nowhere
 * else. Throws `use_secret_endpoint`, `secret_in_config`, `validation_error` for settings that its connector cannot
 * follow and for the signing secret of a provider that does not sign, `not_pollable`, `polling_under_key` for a
 * credential under the caller's key, `sandbox_not_active`, and `quota_exceeded` when the tier's sources are used up.
 */
export async function registerSource(
  ctx: Pick<Ctx, 'key' | 'limits' | 'publicUrl' | 'secrets' | 'sql'> & Recording & Keeping,
  reach: Reach,
  input: RegisterSource,
): Promise<Source> {
  assertOwnEndpoint(input)
  assertNoSecret(input.adapter_config)
  assertConfigFits(input.provider, input.adapter_config)
  assertSigns(input.provider, input)
  assertPollable(input.provider, input.ingestion_mode)
  assertWritable(reach)
  const mode = input.ingestion_mode ?? 'manual'
  const hasCredential = input.provider_credential != null
  if (hasCredential && keepsUnderKey(ctx, reach) && mode === 'polling') throw new Fault('polling_under_key')
  const secret = mode === 'realtime' ? newWebhookSecret() : undefined
  return ctx.sql.transact(reach.holderId, async (tx) => {
    const seal = hasCredential ? await lockCredentialSeal(ctx, tx, reach) : undefined
    const row = await insertSource(ctx, tx, reach, {
      id: newId('source', ctx.clock),
      provider: input.provider,
      name: input.name,
      mode,
      ...(input.kind && { kind: input.kind }),
      accountId: input.external_account_id ?? null,
      config: input.adapter_config ?? {},
      pollSeconds: input.poll_interval_seconds ?? null,
      secrets: input,
      seal,
    })
    const source = wireSource(row, ctx.publicUrl)
    if (secret !== undefined) {
      const key = { user_id: row.user_id, sandbox_id: row.sandbox_id, source_id: row.id }
      await tx
        .insertInto('source_secret')
        .values({ ...key, hash: sha256(secret), created_at: row.created_at, expires_at: null })
        .execute()
      source.webhook_signing_secret = secret
    }
    await keepReply(ctx, tx, source)
    return source
  })
}
