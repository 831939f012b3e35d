import type { Outcome, RegisterUserMcp, UpdateUserMcp } from '@cairnstore/contract'
import type { Updateable } from 'kysely'
import { fieldRefusal, refusal } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row, Tables } from '../../db/tables.ts'
import { assertMatches } from '../../db/versions.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { type AuditContext, recordEvent } from '../../tenancy/audit/record-event.ts'
import { lockCredentialCipher, usesCustomerKey } from '../../tenancy/caller-keys/credential-cipher.ts'
import { type IdempotencyContext, storeReply } from '../../tenancy/idempotency/keyed-request.ts'
import { assertBelow, assertWritable, lockForGrowth } from '../../tenancy/sandboxes/assert-writable.ts'
import { countSources, getSourceRow, lockSource } from '../../tenancy/sources/source-rows.ts'
import { USER_MCP } from '../connectors/connector-for.ts'
import { McpFailure } from '../connectors/mcp/mcp-transport.ts'
import type { SourcesCtx } from '../context.ts'
import { isOAuthSource } from '../oauth/authorization-view.ts'
import { beginConsent, type ConsentRequest, type StartedConsent, storeConsent } from '../oauth/begin-consent.ts'
import { consentRefOf, type GivenClient, putGivenClient, recordReason } from '../oauth/consent-rows.ts'
import { assertWithinGrant } from '../registry/delete-source.ts'
import { cancelPull } from '../registry/list-sources.ts'
import { insertSource } from '../registry/register-source.ts'
import { destroySecrets, isSameAddress, NO_SECRETS, storeSecrets, toolPinsOf } from '../registry/store.ts'
import { actorOf, type ConsentParts, consentFailure, dropConsent, outcomeWith, revokeDropped } from './consent.ts'
import {
  assertLive,
  assertNamespaceFree,
  assertUserMcp,
  checkHealth,
  type HealthCheck,
  openToken,
  stateAfter,
} from './store.ts'
import {
  assertOAuthFields,
  assertValidSettings,
  hasCalls,
  neededTools,
  pinsAfter,
  pinsOf,
  serverOf,
  settingsAfter,
  settingsIn,
  storePins,
  type ToolServerSettings,
} from './tool-port.ts'

/**
 * Changes an MCP server. Checks it with the new settings and approves its tools in their current form. Stores the
 * change even if the check failed. A running call continues with the earlier credential. Throws a refusal for
 * contradictory settings, and `missing` if the old or new credential needs the customer-managed key. Throws
 * `wrong_kind`, `precondition_failed`, `sandbox_not_active`, and `source_not_active` for a disconnected or archived
 * server. Throws `forbidden` like `assertWithinGrant`.
 */
export async function updateUserMcp(
  ctx: ConsentParts & Pick<SourcesCtx, 'ifMatch' | 'key' | 'limits'>,
  scope: AccessScope,
  sourceId: string,
  change: UpdateUserMcp,
): Promise<Outcome> {
  assertWritable(scope)
  const seen = await ctx.sql.transact(scope.holderId, (tx) => getSourceRow(tx, scope, sourceId))
  assertChangeable(ctx, seen)
  const planned = settingsAfter(change, settingsIn(seen.adapter_config), sourceId, ctx.findProfile)
  const given = change.token ?? undefined
  assertTokenStays(seen, planned, given)
  assertOAuthFields(planned, change)
  if (planned.auth_kind === 'oauth') assertNoKey(ctx, scope)
  await assertValidSettings(
    planned,
    given !== undefined || seen.credential_ref !== null,
    given !== undefined,
    ctx.network,
  )
  const token = usesToken(planned) ? (given ?? (await openToken(ctx, seen))) : undefined
  const isUnderKey = given === undefined ? seen.credential_under_key : usesCustomerKey(ctx, scope)
  assertReadable(planned, modeAfter(seen, planned, change), isUnderKey)
  const server = serverOf(planned, token, ctx.oauth.tokensOf(consentRefOf(seen)))
  const checked = losesConsent(seen, planned, change)
    ? unauthorized(undefined)
    : await checkHealth(ctx, server, neededTools(planned, ctx.findProfile))
  const { row, outcome, dropped } = await ctx.sql.transact(scope.holderId, async (tx) => {
    const seal = given === undefined ? undefined : await lockCredentialCipher(ctx, tx, scope)
    await lockForGrowth(tx, scope, ctx.limits)
    const old = await lockSource(tx, scope, sourceId)
    await assertWithinGrant(tx, scope, sourceId)
    assertChangeable(ctx, old)
    const settings = settingsAfter(change, settingsIn(old.adapter_config), sourceId, ctx.findProfile)
    assertTokenStays(old, settings, given)
    await assertNamespaceFree(tx, scope, sourceId, settings.app_namespace)
    const refs = await storeSecrets(ctx.secrets, tx, old, secretsAfter(settings, given), seal)
    const mode = modeAfter(old, settings, change)
    assertReadable(settings, mode, refs.credential_under_key)
    const hasLost = losesConsent(old, settings, change)
    const dropped = hasLost || leavesOAuth(old, settings) ? await dropConsent(ctx, tx, old, 'base_url_changed') : []
    if (givenClient(change) || leavesOAuth(old, settings))
      await putGivenClient(ctx.secrets, tx, consentRefOf(old), givenClient(change))
    const row = await updateRow(ctx, tx, scope, sourceId, {
      ...refs,
      ...stateAfter(ctx, old.status, hasLost ? unauthorized(undefined) : checked),
      name: change.name ?? old.name,
      ingestion_mode: mode,
      adapter_config: settings,
      poll_failures: 0,
      ...(checked.tools && { tool_pins: pinsOf(checked.tools, neededTools(settings, ctx.findProfile)) }),
      ...(hasLost && { tool_pins: null }),
      updated_at: ctx.clock.now(),
    })
    const failure = hasLost ? consentFailure(row) : checked.failure
    return { row, dropped, outcome: await outcomeWith(ctx, tx, scope, row, failure) }
  })
  await revokeDropped(ctx, row, dropped)
  return outcome
}

/** Changes the row of a source and records the audit event. */
async function updateRow(
  ctx: AuditContext,
  tx: Tx,
  { holderId, sandboxId }: AccessScope,
  sourceId: string,
  change: Updateable<Tables['source']>,
): Promise<Row<'source'>> {
  const row = await tx
    .updateTable('source')
    .set(change)
    .where(ofSandbox({ userId: holderId, sandboxId }, { id: sourceId }))
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordEvent(ctx, tx, { holderId, sandboxId, subjectId: sourceId })
  return row
}

/** Returns true if a source with OAuth needs a new consent, because base_url or client has changed. */
function losesConsent(source: Row<'source'>, after: ToolServerSettings, change: UpdateUserMcp): boolean {
  const before = settingsIn(source.adapter_config)
  if (after.auth_kind !== 'oauth') return false
  return (
    before.auth_kind !== 'oauth' || givenClient(change) !== undefined || !isSameAddress(before.base_url, after.base_url)
  )
}

function leavesOAuth(source: Row<'source'>, after: ToolServerSettings): boolean {
  return isOAuthSource(source) && after.auth_kind !== 'oauth'
}

function usesToken({ auth_kind: kind }: ToolServerSettings): boolean {
  return kind === 'bearer' || kind === 'header_token'
}

function assertChangeable(ctx: Pick<SourcesCtx, 'ifMatch'>, source: Row<'source'>): void {
  assertUserMcp(source)
  assertLive(source)
  assertMatches(ctx.ifMatch, source.version)
}

/**
 * Throws `token_required` if a stored token would be sent to a new address. Otherwise a user who may change the address
 * could obtain a token that was issued for another one.
 */
function assertTokenStays(source: Row<'source'>, settings: ToolServerSettings, given?: string) {
  if (!usesToken(settings) || given !== undefined || source.credential_ref === null) return
  if (!isSameAddress(settingsIn(source.adapter_config).base_url, settings.base_url))
    throw fieldRefusal('token_required', 'token')
}

/** Returns the secrets after a change. A credential that is no longer sent is deleted. */
function secretsAfter(settings: ToolServerSettings, given: string | undefined) {
  if (!usesToken(settings)) return { provider_credential: null }
  return given === undefined ? {} : { provider_credential: given }
}

/** Returns the ingestion mode: by default `polling` if the settings have calls, otherwise `manual`. */
function modeAfter(
  { ingestion_mode: mode, adapter_config: config }: Row<'source'>,
  settings: ToolServerSettings,
  { ingestion_mode: given }: UpdateUserMcp,
) {
  if (given) return given
  const calls = hasCalls(settings)
  if (mode === 'realtime' || mode === 'batch' || (calls && hasCalls(settingsIn(config)))) return mode
  return calls ? 'polling' : 'manual'
}

/** Throws a refusal for a server that would be polled with a credential under a customer-managed key. */
function assertReadable(settings: ToolServerSettings, mode: string, isUnderKey: boolean): void {
  if (usesToken(settings) && isUnderKey && mode === 'polling') throw fieldRefusal('polling_under_key', 'ingestion_mode')
}

/**
 * Deletes the credential of an MCP server and its rate limit counter. The server becomes disconnected. With OAuth, the
 * tokens are revoked at the authorization server, and the server waits for a new consent unless it was disconnected.
 * Throws `wrong_kind` and `sandbox_not_active`.
 */
export async function revokeUserMcp(ctx: ConsentParts, scope: AccessScope, sourceId: string): Promise<Outcome> {
  assertWritable(scope)
  const { row, outcome, dropped } = await ctx.sql.transact(scope.holderId, async (tx) => {
    const old = await lockSource(tx, scope, sourceId)
    assertUserMcp(old)
    const now = ctx.clock.now()
    const isReusable = isOAuthSource(old) && old.status !== 'disconnected'
    if (isReusable) await assertWithinGrant(tx, scope, sourceId)
    const dropped = isOAuthSource(old) ? await dropConsent(ctx, tx, old, 'revoked') : []
    if (!isReusable) await destroySecrets(ctx.secrets, tx, old)
    await cancelPull(tx, old, now)
    await tx.deleteFrom('rate').where(ofSandbox(scope)).where('subject', '=', sourceId).execute()
    const ended = { ...NO_SECRETS, status: 'disconnected', tool_pins: null, last_error: null } as const
    const state = isReusable ? stateAfter(ctx, old.status, unauthorized(undefined)) : ended
    const row = await updateRow(ctx, tx, scope, sourceId, { ...state, updated_at: now })
    return { row, dropped, outcome: await outcomeWith(ctx, tx, scope, row, consentFailure(row)) }
  })
  await revokeDropped(ctx, row, dropped)
  return outcome
}

/**
 * Checks an MCP server with its stored settings and sets its status to the result. It approves nothing: a changed tool
 * is not called until the source is updated. Throws `wrong_kind`, `missing`, `sandbox_not_active`, and
 * `source_not_active` for a disconnected or archived server.
 */
export async function testUserMcp(
  ctx: ConsentParts & Pick<SourcesCtx, 'key'>,
  scope: AccessScope,
  sourceId: string,
): Promise<Outcome> {
  assertWritable(scope)
  const seen = await ctx.sql.transact(scope.holderId, (tx) => getSourceRow(tx, scope, sourceId))
  assertUserMcp(seen)
  assertLive(seen)
  const settings = settingsIn(seen.adapter_config)
  const server = serverOf(settings, await openToken(ctx, seen), ctx.oauth.tokensOf(consentRefOf(seen)))
  const checked = await checkHealth(ctx, server, neededTools(settings, ctx.findProfile))
  return ctx.sql.transact(scope.holderId, async (tx) => {
    const old = await lockSource(tx, scope, sourceId)
    assertLive(old)
    const pins = checked.tools && pinsAfter(toolPinsOf(old), checked.tools, neededTools(settings, ctx.findProfile))
    if (pins) {
      const by = { actorId: ctx.caller.accountId, credentialId: ctx.caller.credential.id, requestId: ctx.requestId }
      await storePins(tx, old, pins, { ...by, now: ctx.clock.now() })
    }
    const state = { ...stateAfter(ctx, old.status, checked), ...(!checked.failure && { poll_failures: 0 }) }
    const row = await updateRow(ctx, tx, scope, sourceId, state)
    return outcomeWith(ctx, tx, scope, row, checked.failure)
  })
}

/**
 * Registers an MCP server. Checks it, then writes its secret, its row and its audit event in one transaction, even if
 * the check failed. Throws a refusal for contradictory settings, and for polling that would need the customer-managed
 * key. Throws `missing`, `sandbox_not_active` and `quota_exceeded`.
 */
export async function registerUserMcp(
  ctx: ConsentParts & Pick<SourcesCtx, 'key' | 'limits'> & IdempotencyContext,
  scope: AccessScope,
  input: RegisterUserMcp,
): Promise<Outcome> {
  assertWritable(scope)
  const id = newId('source', ctx.clock)
  const settings = settingsAfter(input, {}, id, ctx.findProfile)
  const token = input.token ?? undefined
  const isUnderKey = token !== undefined && usesCustomerKey(ctx, scope)
  // A profile that the user did not request must not make the registration fail.
  const isPolled = settings.ingest_tool_calls || input.server_profile || input.profile_parameters || !isUnderKey
  const mode = input.ingestion_mode ?? (hasCalls(settings) && isPolled ? 'polling' : 'manual')
  if (isUnderKey && mode === 'polling') {
    throw fieldRefusal('polling_under_key', 'ingestion_mode')
  }
  assertOAuthFields(settings, input)
  if (settings.auth_kind === 'oauth') assertNoKey(ctx, scope)
  await assertValidSettings(settings, token !== undefined, token !== undefined, ctx.network)
  const assertWithinLimits = async (tx: Tx) => {
    const limits = await lockForGrowth(tx, scope, ctx.limits)
    assertBelow(limits.max_data_sources, await countSources(tx, scope), 'sources')
    await assertNamespaceFree(tx, scope, id, settings.app_namespace)
  }
  // Checked first, so that the caller does not wait for a server that could not be added.
  await ctx.sql.transact(scope.holderId, assertWithinLimits)
  const place = { userId: scope.holderId, sandboxId: scope.sandboxId, sourceId: id }
  const isOAuth = settings.auth_kind === 'oauth'
  const begun = isOAuth ? await beginConsent(ctx, place, consentRequest(settings, input)) : undefined
  const checked: HealthCheck = isOAuth
    ? unauthorized(begun)
    : await checkHealth(ctx, serverOf(settings, token), neededTools(settings, ctx.findProfile))
  return ctx.sql.transact(scope.holderId, async (tx) => {
    const seal = token === undefined ? undefined : await lockCredentialCipher(ctx, tx, scope)
    await assertWithinLimits(tx)
    const row = await insertSource(ctx, tx, scope, {
      id,
      provider: USER_MCP,
      name: input.name,
      mode,
      config: settings,
      secrets: token === undefined ? {} : { provider_credential: token },
      seal,
      checked: {
        ...stateAfter(ctx, 'active', checked),
        tool_pins: checked.tools ? pinsOf(checked.tools, neededTools(settings, ctx.findProfile)) : null,
      },
    })
    if (isOAuth) await putGivenClient(ctx.secrets, tx, place, givenClient(input))
    if (begun instanceof McpFailure) await recordReason(tx, place, 'unreachable', ctx.clock.now())
    else if (begun) await storeConsent(ctx, tx, place, begun, actorOf(ctx))
    const outcome = await outcomeWith(ctx, tx, scope, row, checked.failure)
    // The stored response for repeats has no URL. `GET` on the source shows it.
    const { authorization } = outcome
    await storeReply(ctx, tx, authorization ? { ...outcome, authorization: { ...authorization, url: null } } : outcome)
    return outcome
  })
}

/** Throws `oauth_under_key` if a grant could not be refreshed without the customer-managed key. */
function assertNoKey({ key }: Pick<SourcesCtx, 'key'>, { sandbox }: AccessScope): void {
  if (sandbox.caller_key !== null || key) throw refusal('oauth_under_key')
}

function consentRequest(settings: ToolServerSettings, input: RegisterUserMcp): ConsentRequest {
  return { baseUrl: settings.base_url, scopes: settings.scopes, grantScopes: '', given: givenClient(input) }
}

function givenClient({ client_id: id, client_secret: secret }: UpdateUserMcp): GivenClient | undefined {
  return id == null ? undefined : { id, secret: secret ?? undefined, issuer: undefined }
}

/** Returns the check result of a server that waits for consent, or whose authorization server could not be found. */
function unauthorized(begun: StartedConsent | McpFailure | undefined): HealthCheck {
  const failure = begun instanceof McpFailure ? begun : new McpFailure('needs_authorization')
  return { failure, tools: undefined }
}
