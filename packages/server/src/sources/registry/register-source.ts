import { randomBytes } from 'node:crypto'
import type { Id, IngestionMode, RegisterSource, Source, SourceKind } from '@cairnstore/contract'
import { sha256 } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import type { JsonObject } from '../../db/json-object.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { newToken } from '../../tenancy/accounts/key-format.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { ContentSeal } from '../../tenancy/caller-keys/content-seal.ts'
import { keepsUnderKey, lockCredentialSeal } from '../../tenancy/caller-keys/credential-seal.ts'
import { type Keeping, keepReply } from '../../tenancy/idempotency/keep-reply.ts'
import { assertUnarchived, lockProject } from '../../tenancy/projects/store.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertBelow, assertWritable, lockForGrowth } from '../../tenancy/sandboxes/assert-writable.ts'
import { countSources } from '../../tenancy/sources/source-rows.ts'
import type { Ctx } from '../context.ts'
import { assertConfigFits, assertNoSecret, assertOwnEndpoint, assertPollable } from './assert-config.ts'
import { assertSigns, type GivenSecrets, keepSecrets, NO_SECRETS } from './provider-secrets.ts'
import { POLL_SECONDS_DEFAULT, wireSource } from './store.ts'

/** What a source's row begins with. */
interface NewSource {
  id: Id<'source'>
  provider: string
  name: string
  mode: IngestionMode
  kind?: SourceKind
  accountId?: string | null
  config: JsonObject
  pollSeconds?: number | null
  secrets: GivenSecrets
  /** Under what the credential is kept. */
  seal: ContentSeal | undefined
  /** The result of its health check. */
  checked?: Partial<Pick<Row<'source'>, 'status' | 'last_error' | 'next_poll_at' | 'tool_pins'>>
}

/**
 * Adds a source to the sandbox, its secrets first, and its audit event. For a caller whose grant is limited to a
 * project it is linked to that, since it could not be seen outside. Throws `sandbox_not_active`, `quota_exceeded` and
 * `project_archived`.
 */
export async function insertSource(
  ctx: Pick<Ctx, 'limits' | 'secrets'> & Recording,
  tx: Tx,
  reach: Reach,
  given: NewSource,
): Promise<Row<'source'>> {
  const { id, provider, mode } = given
  const place = { user_id: reach.holderId, sandbox_id: reach.sandboxId }
  const now = ctx.clock.now()
  const limits = await lockForGrowth(tx, reach, ctx.limits)
  assertBelow(limits.max_data_sources, await countSources(tx, reach), 'sources')
  const owner = { ...place, id, provider, ...NO_SECRETS }
  const refs = await keepSecrets(ctx.secrets, tx, owner, given.secrets, given.seal)
  const row = await tx
    .insertInto('source')
    .values({
      ...place,
      ...refs,
      ...given.checked,
      id,
      provider,
      name: given.name,
      ingestion_mode: mode,
      kind: given.kind ?? 'durable',
      external_account_id: given.accountId ?? null,
      adapter_config: given.config,
      poll_interval_seconds: given.pollSeconds ?? (mode === 'polling' ? POLL_SECONDS_DEFAULT : null),
      webhook_slug: mode === 'realtime' ? newWebhookSlug() : null,
      last_sync_at: null,
      last_seen_at: now,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  if (reach.projectId !== null) {
    assertUnarchived(await lockProject(tx, reach, reach.projectId))
    await tx
      .insertInto('project_source')
      .values({ ...place, source_id: id, project_id: reach.projectId })
      .execute()
  }
  await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: id })
  return row
}

const SLUG_BYTES = 16

/** A new address for deliveries. It cannot be guessed, but it opens nothing by itself. */
export function newWebhookSlug(): string {
  return randomBytes(SLUG_BYTES).toString('base64url')
}

/** A new bearer secret of a source's sender. */
export function newWebhookSecret(): string {
  return newToken('webhookSecret')
}

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
