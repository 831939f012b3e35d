import {
  type Done,
  type Provider,
  type ProviderConnection,
  type Providers,
  RegisterTracker,
  RegisterUserMcp,
  type ServerProfile,
  type Source,
  type SourcePage,
  type SourceState,
  type TSchema,
} from '@cairnstore/contract'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { openPage, type PageRequest } from '../../base/cursor.ts'
import { sha256 } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import { ofSandbox, sandboxColumns } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { closeJob } from '../../ingest/inbox.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { type AuditContext, recordEvent } from '../../tenancy/audit/record-event.ts'
import { type IdempotencyContext, storeReply } from '../../tenancy/idempotency/keyed-request.ts'
import { assertBelow, assertWritable, lockForGrowth } from '../../tenancy/sandboxes/assert-writable.ts'
import {
  countSources,
  getSourceRow,
  isLive,
  lockSource,
  nextSourceState,
  type SourceEvent,
  sourcesIn,
} from '../../tenancy/sources/source-rows.ts'
import type { Connector } from '../connectors/connector.ts'
import { CONNECTORS, USER_MCP } from '../connectors/connector-for.ts'
import { PROFILES } from '../connectors/mcp/profile-for.ts'
import type { Profile } from '../connectors/mcp-profile.ts'
import { text } from '../connectors/pick.ts'
import type { SourcesCtx } from '../context.ts'
import { authorizationsOf, isOAuthSource } from '../oauth/authorization-view.ts'
import { TRACKER } from './assert-config.ts'
import { assertWithinGrant } from './delete-source.ts'
import { newWebhookSecret } from './register-source.ts'
import { wireSource } from './store.ts'

interface SourcesQuery extends PageRequest {
  provider?: string | undefined
  status?: SourceState | undefined
}

/** Returns one page of the sources within the access scope, newest first. */
export async function listSources(
  ctx: Pick<SourcesCtx, 'caller' | 'clock' | 'cursors' | 'publicUrl' | 'secrets' | 'sql'>,
  scope: AccessScope,
  filter: SourcesQuery,
): Promise<SourcePage> {
  const { provider, status } = filter
  const cursorScope = ['sources', ctx.caller.accountId, scope.sandboxId, scope.projectId, provider, status]
  const page = openPage(ctx.cursors, cursorScope, filter)
  const found = await ctx.sql.transact(scope.holderId, (tx) => {
    let query = sourcesIn(tx, scope).selectAll('source').orderBy('source.id', 'desc').limit(page.rowsMax)
    if (provider !== undefined) query = query.where('source.provider', '=', provider)
    if (status !== undefined) query = query.where('source.status', '=', status)
    if (page.after) query = query.where('source.id', '<', String(page.after[0]))
    return query.execute()
  })
  const { rows, end } = page.cut(found, (last) => [last.id])
  return { sources: await wireSources(ctx, scope, rows), ...end }
}

/** Returns a source within the access scope. Throws `not_found` for any other. */
export async function getSource(
  ctx: Pick<SourcesCtx, 'caller' | 'clock' | 'publicUrl' | 'secrets' | 'sql'>,
  scope: AccessScope,
  sourceId: string,
): Promise<Source> {
  const rows = await ctx.sql.look(scope.holderId, (tx) =>
    sourcesIn(tx, scope).selectAll('source').where('source.id', '=', sourceId),
  )
  const [source] = await wireSources(ctx, scope, rows)
  if (!source) throw new Fault('not_found')
  return source
}

/** Returns sources in the contract's form, each with its OAuth authorization if it needs one. */
async function wireSources(
  ctx: Pick<SourcesCtx, 'caller' | 'clock' | 'publicUrl' | 'secrets' | 'sql'>,
  scope: AccessScope,
  rows: readonly Row<'source'>[],
): Promise<Source[]> {
  const viewer = { accountId: ctx.caller.accountId, isEditor: scope.allows('editor') && !ctx.caller.isSeenByOwner }
  const consents = rows.some(isOAuthSource)
    ? await ctx.sql.transact(scope.holderId, (tx) => authorizationsOf(ctx.secrets, tx, rows, viewer, ctx.clock.now()))
    : undefined
  return rows.map((row) => {
    const authorization = consents?.get(row.id)
    const source = wireSource(row, ctx.publicUrl)
    return authorization ? Object.assign(source, { authorization }) : source
  })
}

/** Providers with a separate registration endpoint: its path, the field of the secret, and the body's schema. */
const OWN_ENDPOINTS: Readonly<Record<string, { path: string; credential: string; schema: TSchema }>> = {
  [TRACKER]: { path: '/sources/linear', credential: 'api_key', schema: RegisterTracker },
  [USER_MCP]: { path: '/sources/user-mcp', credential: 'token', schema: RegisterUserMcp },
}

/** Settings of every source that receives deliveries. */
const DELIVERED = {
  webhook_rate_cap_per_minute: { type: 'integer', minimum: 1, maximum: 6000, default: 600 },
  site: { type: 'string', description: 'Site, such as a host, that ids without an address belong to.' },
}

/** Returns every supported product, with the settings of each ingestion mode. */
export function listProviders(): Providers {
  const providers = CONNECTORS.map(toProvider)
  return { providers, count: providers.length }
}

function toProvider(connector: Connector): Provider {
  const [provider = '', ...aliases] = connector.providers
  const ways = [
    ...(provider === USER_MCP || connector.isPublic ? [] : [realtimeWay(connector)]),
    ...(connector.pull ? [pollingWay(connector)] : []),
  ]
  const profiles = provider === USER_MCP ? { profiles: PROFILES.map(toServerProfile) } : {}
  return { provider, aliases, name: connector.product, ways, ...profiles }
}

function toServerProfile({ name: profile, title: name, urls, client, parameters, ...rest }: Profile): ServerProfile {
  const maps = rest.listings.flatMap(({ map, details }) => [map, ...(details?.map ? [details.map] : [])])
  return {
    ...{ profile, name, urls, client },
    parameters: { ...schemaOf(parameters), required: Object.keys(parameters) },
    imports: [...new Set(maps.flatMap(({ type }) => text(type, 'value') ?? []))],
    limits: rest.limits,
    documentation: rest.documentation.map(({ url, date }) => ({ url, date })),
  }
}

function realtimeWay({ forms, signature, settings }: Connector): ProviderConnection {
  return {
    ingestion_mode: 'realtime',
    path: '/sources',
    credential: signature ? 'provider_signing_secret' : null,
    forms: [...forms],
    settings_in: 'adapter_config',
    settings: schemaOf({ ...DELIVERED, ...settings?.delivered }),
  }
}

function pollingWay({ providers: [provider = ''], settings, isPublic }: Connector): ProviderConnection {
  const way: Pick<ProviderConnection, 'ingestion_mode' | 'forms'> = { ingestion_mode: 'polling', forms: [] }
  const own = OWN_ENDPOINTS[provider]
  if (own) {
    return { ...way, path: own.path, credential: own.credential, settings_in: null, settings: { ...own.schema } }
  }
  const read = schemaOf({ ...(!isPublic && { site: DELIVERED.site }), ...settings?.read })
  const credential = isPublic ? null : 'provider_credential'
  return { ...way, path: '/sources', credential, settings_in: 'adapter_config', settings: read }
}

function schemaOf(properties: Record<string, unknown>): Record<string, unknown> {
  return { type: 'object', properties }
}

type Decision = Extract<SourceEvent, 'paused' | 'resumed' | 'disconnected'>

const MESSAGES: Record<Decision, string> = {
  paused: 'The source is paused: it accepts no deliveries and is not polled.',
  resumed: 'The source is active.',
  disconnected: 'The source is permanently disconnected. Its records remain.',
}

/** Columns that make a resumed source due at once and reset its failures. */
const RESET_POLL = { next_poll_at: null, poll_failures: 0, last_error: null }

/**
 * Applies an event to a source's state. A source that is already in the resulting state is not changed. Throws
 * `source_not_active` if the event is not allowed in its state, `quota_exceeded` if an archived source would exceed the
 * quota, and `sandbox_not_active`.
 */
export async function changeSourceState(
  ctx: Pick<SourcesCtx, 'limits' | 'sql'> & AuditContext,
  scope: AccessScope,
  sourceId: string,
  event: Decision,
): Promise<Done> {
  return ctx.sql.transact(scope.holderId, async (tx) => {
    // A missing source is `not_found` in any state of the sandbox, so this comes first. The sandbox is locked before
    // the source.
    await getSourceRow(tx, scope, sourceId)
    const limits = await lockForGrowth(tx, scope, ctx.limits)
    const source = await lockSource(tx, scope, sourceId)
    const next = nextSourceState(source.status, event)
    if (next === 'refused') throw new Fault('source_not_active', { detail: `The source is ${source.status}.` })
    if (next !== source.status) {
      if (!isLive(source) && isLive({ status: next })) {
        assertBelow(limits.max_data_sources, await countSources(tx, scope), 'sources')
      }
      const now = ctx.clock.now()
      await tx
        .updateTable('source')
        .set({ status: next, updated_at: now, last_seen_at: now, ...(event === 'resumed' && RESET_POLL) })
        .where(ofSandbox(scope, { id: sourceId }))
        .execute()
      if (next === 'disconnected') await cancelPull(tx, source, now)
      await recordEvent(ctx, tx, { holderId: scope.holderId, sandboxId: scope.sandboxId, subjectId: sourceId })
    }
    return { success: true, message: MESSAGES[event] }
  })
}

/** Cancels the pull of a source that will not be polled again. */
export async function cancelPull(
  tx: Tx,
  source: { user_id: string; sandbox_id: string; poll_job_id: string | null },
  now: Date,
) {
  if (source.poll_job_id === null) return
  const job = { userId: source.user_id, sandboxId: source.sandbox_id, id: source.poll_job_id }
  await closeJob(tx, job, {}, now)
  await tx
    .updateTable('job')
    .set({ status: 'cancelled', completed_at: now })
    .where(ofSandbox(source, { id: source.poll_job_id }))
    .where('status', 'in', ['queued', 'processing', 'completed'])
    .execute()
}

/**
 * Creates a new secret for a realtime source. Only this response contains it. The current secret stays valid for the
 * grace period. A secret that is already in its grace period ends at once, so there are never more than two. Throws
 * `not_realtime`, `sandbox_not_active`, and `source_not_active` for a disconnected source. Throws `forbidden` like
 * `assertWithinGrant`, because a source can replace its earlier records in any project.
 */
export async function rotateSecret(
  ctx: Pick<SourcesCtx, 'publicUrl' | 'sql'> & AuditContext & IdempotencyContext,
  scope: AccessScope,
  sourceId: string,
  graceSeconds: number,
): Promise<Source> {
  const secret = newWebhookSecret()
  const now = ctx.clock.now()
  return ctx.sql.transact(scope.holderId, async (tx) => {
    const row = await lockSource(tx, scope, sourceId)
    assertWritable(scope)
    await assertWithinGrant(tx, scope, sourceId)
    if (row.ingestion_mode !== 'realtime') throw new Fault('not_realtime')
    if (row.status === 'disconnected') throw new Fault('source_not_active', { detail: 'The source is disconnected.' })
    const place = { ...sandboxColumns(scope), source_id: sourceId }
    const old = tx.deleteFrom('source_secret').where(ofSandbox(place, { source_id: place.source_id }))
    await (graceSeconds > 0 ? old.where('expires_at', 'is not', null) : old).execute()
    if (graceSeconds > 0) {
      await tx
        .updateTable('source_secret')
        .set({ expires_at: new Date(now.getTime() + graceSeconds * MS_PER_SECOND) })
        .where(ofSandbox(place, { source_id: place.source_id }))
        .execute()
    }
    await tx
      .insertInto('source_secret')
      .values({ ...place, hash: sha256(secret), created_at: now, expires_at: null })
      .execute()
    await recordEvent(ctx, tx, { holderId: scope.holderId, sandboxId: scope.sandboxId, subjectId: sourceId })
    const source = wireSource(row, ctx.publicUrl)
    source.webhook_signing_secret = secret
    await storeReply(ctx, tx, source)
    return source
  })
}
