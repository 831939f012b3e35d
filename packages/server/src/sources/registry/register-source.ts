import { randomBytes } from 'node:crypto'
import type { Id, IngestionMode, RegisterSource, Source, SourceKind, UpdateSource } from '@cairnstore/contract'
import { sha256 } from '../../base/digest.ts'
import { Fault, invalid } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import type { JsonObject } from '../../db/json-object.ts'
import { ofSandbox, sandboxColumns } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { assertMatches } from '../../db/versions.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { newToken } from '../../tenancy/accounts/key-format.ts'
import { type AuditContext, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { ContentCipher } from '../../tenancy/caller-keys/content-cipher.ts'
import { lockCredentialCipher, usesCustomerKey } from '../../tenancy/caller-keys/credential-cipher.ts'
import { type IdempotencyContext, storeReply } from '../../tenancy/idempotency/keyed-request.ts'
import { assertUnarchived, lockProject } from '../../tenancy/projects/store.ts'
import { assertBelow, assertWritable, lockForGrowth } from '../../tenancy/sandboxes/assert-writable.ts'
import { countSources, lockSource } from '../../tenancy/sources/source-rows.ts'
import { isObject } from '../connectors/pick.ts'
import type { SourcesCtx } from '../context.ts'
import {
  assertConfigFits,
  assertNoSecret,
  assertOwnChange,
  assertOwnEndpoint,
  assertPollable,
} from './assert-config.ts'
import { assertWithinGrant } from './delete-source.ts'
import {
  assertSigns,
  type GivenSecrets,
  isSameAddress,
  NO_SECRETS,
  POLL_SECONDS_DEFAULT,
  storeSecrets,
  wireSource,
} from './store.ts'

/** Initial values of a source's row. */
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
  /** Customer-managed key that encrypts the credential. */
  seal: ContentCipher | undefined
  checked?: Partial<Pick<Row<'source'>, 'status' | 'last_error' | 'next_poll_at' | 'tool_pins'>>
}

/**
 * Adds a source with its secrets and audit event to the sandbox. If the caller's grant is limited to a project, the
 * source is linked to it, because the caller could not see it otherwise. Throws `sandbox_not_active`, `quota_exceeded`
 * and `project_archived`.
 */
export async function insertSource(
  ctx: Pick<SourcesCtx, 'limits' | 'secrets'> & AuditContext,
  tx: Tx,
  scope: AccessScope,
  given: NewSource,
): Promise<Row<'source'>> {
  const { id, provider, mode } = given
  const place = sandboxColumns(scope)
  const now = ctx.clock.now()
  const limits = await lockForGrowth(tx, scope, ctx.limits)
  assertBelow(limits.max_data_sources, await countSources(tx, scope), 'sources')
  const owner = { ...place, id, provider, ...NO_SECRETS }
  const refs = await storeSecrets(ctx.secrets, tx, owner, given.secrets, given.seal)
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
  if (scope.projectId !== null) {
    assertUnarchived(await lockProject(tx, scope, scope.projectId))
    await tx
      .insertInto('project_source')
      .values({ ...place, source_id: id, project_id: scope.projectId })
      .execute()
  }
  await recordEvent(ctx, tx, { holderId: scope.holderId, sandboxId: scope.sandboxId, subjectId: id })
  return row
}

const SLUG_BYTES = 16

/** Returns a new webhook slug. It cannot be guessed, but it is not a credential. */
function newWebhookSlug(): string {
  return randomBytes(SLUG_BYTES).toString('base64url')
}

/** Returns a new bearer secret for a source's sender. */
export function newWebhookSecret(): string {
  return newToken('webhookSecret')
}

/**
 * Registers a source. A realtime source gets a webhook URL and a secret, which only this response contains. Throws
 * `use_secret_endpoint`, `secret_in_config`, `not_pollable`, `sandbox_not_active` and `quota_exceeded`. Throws
 * `validation_error` for settings that its connector rejects, and for the signing secret of a provider that does not
 * sign. Throws `polling_under_key` for polling with a credential that a customer-managed key encrypts.
 */
export async function registerSource(
  ctx: Pick<SourcesCtx, 'key' | 'limits' | 'publicUrl' | 'secrets' | 'sql'> & AuditContext & IdempotencyContext,
  scope: AccessScope,
  input: RegisterSource,
): Promise<Source> {
  assertOwnEndpoint(input)
  assertNoSecret(input.adapter_config)
  assertConfigFits(input.provider, input.adapter_config)
  assertSigns(input.provider, input)
  assertPollable(input.provider, input.ingestion_mode)
  assertWritable(scope)
  const mode = input.ingestion_mode ?? 'manual'
  const hasCredential = input.provider_credential != null
  if (hasCredential && usesCustomerKey(ctx, scope) && mode === 'polling') throw new Fault('polling_under_key')
  const secret = mode === 'realtime' ? newWebhookSecret() : undefined
  return ctx.sql.transact(scope.holderId, async (tx) => {
    const seal = hasCredential ? await lockCredentialCipher(ctx, tx, scope) : undefined
    const row = await insertSource(ctx, tx, scope, {
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
    await storeReply(ctx, tx, source)
    return source
  })
}

const CONFIG_BYTES_MAX = 16 * 1024
const CONFIG_DEPTH_MAX = 32

/**
 * Changes a source. An omitted field keeps its value. Null clears a nullable field and does not change any other. With
 * `mergeConfig`, the settings are merged deeply into the old ones. A source that becomes realtime gets a webhook URL;
 * `rotateSecret` creates its secret. Throws `secret_in_config`, `not_pollable`, `polling_under_key`,
 * `sandbox_not_active`, and `source_not_active` for a disconnected source. Throws `forbidden` like `assertWithinGrant`
 * for the fields in `AUTH_FIELDS`.
 */
export async function updateSource(
  ctx: Pick<SourcesCtx, 'ifMatch' | 'key' | 'publicUrl' | 'secrets' | 'sql'> & AuditContext,
  scope: AccessScope,
  sourceId: string,
  change: UpdateSource,
  mergeConfig: boolean,
): Promise<Source> {
  assertNoSecret(change.adapter_config)
  return ctx.sql.transact(scope.holderId, async (tx) => {
    const seal = change.provider_credential == null ? undefined : await lockCredentialCipher(ctx, tx, scope)
    const old = await lockSource(tx, scope, sourceId)
    assertWritable(scope)
    assertMatches(ctx.ifMatch, old.version)
    if (old.status === 'disconnected') throw new Fault('source_not_active', { detail: 'The source is disconnected.' })
    assertOwnChange(old.provider, change)
    assertPollable(old.provider, change.ingestion_mode)
    if (AUTH_FIELDS.some((name) => change[name] !== undefined)) await assertWithinGrant(tx, scope, sourceId)
    if (Object.keys(change).length === 0) return wireSource(old, ctx.publicUrl)
    const next = changed(old, change, mergeConfig)
    if (change.adapter_config) assertConfigFits(old.provider, next.adapter_config)
    assertCredentialStays(old, next, change)
    assertSigns(old.provider, change)
    const refs = await storeSecrets(ctx.secrets, tx, old, change, seal)
    if (refs.credential_under_key && next.ingestion_mode === 'polling') throw new Fault('polling_under_key')
    const row = await tx
      .updateTable('source')
      .set({ ...next, ...refs, updated_at: ctx.clock.now() })
      .where(ofSandbox(scope, { id: sourceId }))
      .returningAll()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    await recordEvent(ctx, tx, { holderId: scope.holderId, sandboxId: scope.sandboxId, subjectId: sourceId })
    return wireSource(row, ctx.publicUrl)
  })
}

/**
 * Throws `validation_error` if a stored credential would be sent to a new address. Otherwise a user who may change the
 * address could obtain a credential that was issued for another one.
 */
function assertCredentialStays(
  { credential_ref: ref, adapter_config: old }: Row<'source'>,
  { adapter_config: config }: Pick<Row<'source'>, 'adapter_config'>,
  { provider_credential: given }: UpdateSource,
): void {
  if (ref === null || given !== undefined || isSameAddress(old.base_url, config.base_url)) return
  const msg =
    'The stored credential was given for another base_url. Send provider_credential with the new base_url: a ' +
    'credential for it, or null for none.'
  throw invalid(['body', 'provider_credential'], msg, 'credential_required')
}

/** Fields that decide the source's content. A user who sets them can replace its records in every project. */
const AUTH_FIELDS = ['provider_signing_secret', 'provider_credential', 'adapter_config'] as const

function changed(old: Row<'source'>, change: UpdateSource, mergeConfig: boolean) {
  const mode = change.ingestion_mode ?? old.ingestion_mode
  const given = change.poll_interval_seconds
  const interval = given === undefined ? old.poll_interval_seconds : given
  const config = change.adapter_config ?? undefined
  return {
    name: change.name ?? old.name,
    ingestion_mode: mode,
    external_account_id:
      change.external_account_id === undefined ? old.external_account_id : change.external_account_id,
    adapter_config: config && mergeConfig ? mergedConfig(old.adapter_config, config) : (config ?? old.adapter_config),
    poll_interval_seconds: interval ?? (mode === 'polling' ? POLL_SECONDS_DEFAULT : null),
    webhook_slug: old.webhook_slug ?? (mode === 'realtime' ? newWebhookSlug() : null),
  }
}

function mergedConfig(old: JsonObject, change: JsonObject): JsonObject {
  const merged = merge(old, change, 1)
  if (Buffer.byteLength(JSON.stringify(merged)) > CONFIG_BYTES_MAX) {
    throw invalid(['body', 'adapter_config'], `The merged value would exceed ${CONFIG_BYTES_MAX} bytes.`, 'too_long')
  }
  return merged
}

function merge(old: JsonObject, change: JsonObject, depth: number): JsonObject {
  if (depth > CONFIG_DEPTH_MAX) return change
  const entries = Object.entries(change).map(([key, value]): [string, unknown] => {
    const before = Object.hasOwn(old, key) ? old[key] : undefined
    return [key, isObject(before) && isObject(value) ? merge(before, value, depth + 1) : value]
  })
  return { ...old, ...Object.fromEntries(entries) }
}
