import type { Source, UpdateSource } from '@cairnstore/contract'
import { Fault, invalid } from '../../base/fault.ts'
import type { JsonObject } from '../../db/json-object.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Row } from '../../db/tables.ts'
import { assertMatches } from '../../db/versions.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import { lockCredentialSeal } from '../../tenancy/caller-keys/credential-seal.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import { lockSource } from '../../tenancy/sources/source-rows.ts'
import type { Ctx } from '../context.ts'
import { assertConfigFits, assertNoSecret, assertOwnChange, assertPollable } from './assert-config.ts'
import { assertWithinGrant } from './delete-source.ts'
import { assertSigns, keepSecrets } from './provider-secrets.ts'
import { newWebhookSlug } from './register-source.ts'
import { POLL_SECONDS_DEFAULT, wireSource } from './store.ts'

const CONFIG_BYTES_MAX = 16 * 1024
const CONFIG_DEPTH_MAX = 32

/**
 * Changes a source. A field that is omitted keeps its value; null clears one that can be null and keeps any other. With
 * `mergeConfig` the settings are merged deeply into the old ones. A source that becomes realtime gets its address; its
 * secret is made by rotating. Throws `secret_in_config`, `not_pollable`, `polling_under_key` for a credential under the
 * caller's key, `sandbox_not_active`, `source_not_active` for a source that is disconnected, and `forbidden` as
 * `assertWithinGrant` does for what decides who may speak as the source.
 */
export async function updateSource(
  ctx: Pick<Ctx, 'ifMatch' | 'key' | 'publicUrl' | 'secrets' | 'sql'> & Recording,
  reach: Reach,
  sourceId: string,
  change: UpdateSource,
  mergeConfig: boolean,
): Promise<Source> {
  assertNoSecret(change.adapter_config)
  return ctx.sql.transact(reach.holderId, async (tx) => {
    const seal = change.provider_credential == null ? undefined : await lockCredentialSeal(ctx, tx, reach)
    const old = await lockSource(tx, reach, sourceId)
    assertWritable(reach)
    assertMatches(ctx.ifMatch, old.version)
    if (old.status === 'disconnected') throw new Fault('source_not_active', { detail: 'The source is disconnected.' })
    assertOwnChange(old.provider, change)
    assertPollable(old.provider, change.ingestion_mode)
    if (SPEAKING.some((name) => change[name] !== undefined)) await assertWithinGrant(tx, reach, sourceId)
    if (Object.keys(change).length === 0) return wireSource(old, ctx.publicUrl)
    const next = changed(old, change, mergeConfig)
    if (change.adapter_config) assertConfigFits(old.provider, next.adapter_config)
    assertSigns(old.provider, change)
    const refs = await keepSecrets(ctx.secrets, tx, old, change, seal)
    if (refs.credential_under_key && next.ingestion_mode === 'polling') throw new Fault('polling_under_key')
    const row = await tx
      .updateTable('source')
      .set({ ...next, ...refs, updated_at: ctx.clock.now() })
      .where(ofSandbox(reach, { id: sourceId }))
      .returningAll()
      .executeTakeFirstOrThrow(() => new Fault('not_found'))
    await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: sourceId })
    return wireSource(row, ctx.publicUrl)
  })
}

/** Whoever sets these can have the source bring what they like, and so replace what it brought to any project. */
const SPEAKING = ['provider_signing_secret', 'provider_credential', 'adapter_config'] as const

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
    throw invalid(['body', 'adapter_config'], `Merged it would be larger than ${CONFIG_BYTES_MAX} bytes.`, 'too_long')
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

function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
