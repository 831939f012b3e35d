import type { CompleteAuthorization, McpAuthorization, Outcome, StartAuthorization } from '@cairnstore/contract'
import { Fault, refusal } from '../../base/fault.ts'
import { hasRow, ofSandbox, sandboxColumns } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { type AuditContext, recordEvent } from '../../tenancy/audit/record-event.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import { getSourceRow, lockSource } from '../../tenancy/sources/source-rows.ts'
import type { McpTokens } from '../connectors/connector.ts'
import { McpFailure } from '../connectors/mcp/mcp-transport.ts'
import type { SourcesCtx } from '../context.ts'
import { missingScopes } from '../oauth/access-token.ts'
import { authorizationsOf, isOAuthSource } from '../oauth/authorization-view.ts'
import { beginConsent, storeConsent } from '../oauth/begin-consent.ts'
import {
  consentRefOf,
  endGrant,
  type FlowSecrets,
  findGivenClient,
  findGrant,
  type GrantSecrets,
  putGrant,
  recordReason,
  stateHash,
  takeFlow,
} from '../oauth/consent-rows.ts'
import { type CallbackQuery, discardTokens, type Redeemed, redeemCode } from '../oauth/redeem-code.ts'
import { assertWithinGrant } from '../registry/delete-source.ts'
import { toolPinsOf } from '../registry/store.ts'
import { matchCode } from './confirmation.ts'
import { assertLive, assertUserMcp, checkHealth, type HealthCheck, outcomeOf, stateAfter } from './store.ts'
import { neededTools, pinsAfter, serverOf, settingsIn, storePins } from './tool-port.ts'

/** Dependencies of the consent operations. */
export type ConsentParts = Pick<
  SourcesCtx,
  'findProfile' | 'log' | 'network' | 'oauth' | 'publicUrl' | 'secrets' | 'signInKey' | 'signal' | 'sql'
> &
  AuditContext

/**
 * Throws `wrong_kind` for a source that is not an MCP server. Throws a refusal if it does not use OAuth, or if the
 * sandbox has a customer-managed key.
 */
function assertConsenting(scope: AccessScope, source: Row<'source'>): void {
  assertUserMcp(source)
  assertLive(source)
  if (!isOAuthSource(source)) throw refusal('oauth_not_offered')
  if (scope.sandbox.caller_key !== null) throw refusal('oauth_under_key')
}

/** Returns the authorization state of a source, limited to what the caller may see. */
export async function authorizationFor(
  ctx: Pick<ConsentParts, 'caller' | 'clock' | 'secrets'>,
  tx: Tx,
  scope: AccessScope,
  row: Row<'source'>,
): Promise<McpAuthorization | undefined> {
  const viewer = { accountId: ctx.caller.accountId, isEditor: scope.allows('editor') && !ctx.caller.isSeenByOwner }
  return (await authorizationsOf(ctx.secrets, tx, [row], viewer, ctx.clock.now())).get(row.id)
}

/** Returns the outcome of a change of a source, with its authorization state if it uses OAuth. */
export async function outcomeWith(
  ctx: Pick<ConsentParts, 'caller' | 'clock' | 'secrets'>,
  tx: Tx,
  scope: AccessScope,
  row: Row<'source'>,
  failure?: HealthCheck['failure'],
): Promise<Outcome> {
  const authorization = await authorizationFor(ctx, tx, scope, row)
  const outcome = outcomeOf(row, failure)
  return authorization ? Object.assign(outcome, { authorization }) : outcome
}

/**
 * Starts a consent. It replaces an earlier one. The present grant is used until the new consent is complete. Throws the
 * refusals of discovery, `wrong_kind`, `source_not_active`, `forbidden` and `sandbox_not_active`.
 */
export async function authorizeUserMcp(
  ctx: ConsentParts,
  scope: AccessScope,
  sourceId: string,
  { scopes }: StartAuthorization,
): Promise<Outcome> {
  assertWritable(scope)
  const seen = await ctx.sql.transact(scope.holderId, async (tx) => {
    const row = await getSourceRow(tx, scope, sourceId)
    assertConsenting(scope, row)
    const place = consentRefOf(row)
    return {
      row,
      given: await findGivenClient(ctx.secrets, tx, place),
      grant: (await findGrant(ctx.secrets, tx, place))?.row,
    }
  })
  const settings = settingsIn(seen.row.adapter_config)
  const begun = await beginConsent(ctx, consentRefOf(seen.row), {
    baseUrl: settings.base_url,
    scopes: scopes ?? settings.scopes,
    grantScopes: `${seen.grant?.scopes ?? ''} ${seen.grant?.missing_scopes ?? ''}`.trim(),
    given: seen.given,
  })
  const { row, outcome, replaced } = await ctx.sql.transact(scope.holderId, async (tx) => {
    const row = await lockSource(tx, scope, sourceId)
    assertConsenting(scope, row)
    await assertWithinGrant(tx, scope, sourceId)
    const place = consentRefOf(row)
    const replaced = await takeFlow(ctx.secrets, tx, place)
    const failure = begun instanceof McpFailure ? begun : undefined
    if (begun instanceof McpFailure) await recordReason(tx, place, 'unreachable', ctx.clock.now())
    else await storeConsent(ctx, tx, place, begun, actorOf(ctx))
    await recordEvent(ctx, tx, { holderId: scope.holderId, sandboxId: scope.sandboxId, subjectId: sourceId })
    return { row, replaced, outcome: await outcomeWith(ctx, tx, scope, row, failure ?? consentFailure(row)) }
  })
  const { sealed } = replaced ?? {}
  if (sealed?.tokens) await discardTokens(ctx, consentRefOf(row), sealed, sealed.tokens)
  return outcome
}

/** Returns the account and credential that start a consent. */
export function actorOf({ caller }: Pick<ConsentParts, 'caller'>) {
  return { accountId: caller.accountId, credentialId: caller.credential.id }
}

/** Returns the failure of a source that waits for a person; undefined for a working one. */
export function consentFailure({ last_error: error }: Row<'source'>): McpFailure | undefined {
  return error === 'needs_authorization' || error === 'needs_scopes' ? new McpFailure(error) : undefined
}

/**
 * Completes a consent, with the confirmation code after the callback, or with the callback URL itself. Throws
 * `state_invalid` for a wrong code, and for a consent that has ended or was started by another account.
 */
export async function completeUserMcpAuthorization(
  ctx: ConsentParts,
  scope: AccessScope,
  sourceId: string,
  { code, callback_url: callbackUrl }: CompleteAuthorization,
): Promise<Outcome> {
  assertWritable(scope)
  if ((code == null) === (callbackUrl == null)) throw refusal('code_required')
  const source = await consentingSource(ctx, scope, sourceId)
  const redeemed = code != null ? await confirmed(ctx, source, code) : await redeemedBy(ctx, source, callbackUrl ?? '')
  return attach(ctx, scope, source, redeemed)
}

/** Completes a consent in the browser that started it. Throws as `completeUserMcpAuthorization` does. */
export async function attachConsent(
  ctx: ConsentParts,
  scope: AccessScope,
  sourceId: string,
  redeemed: Redeemed,
): Promise<Outcome> {
  assertWritable(scope)
  return attach(ctx, scope, await consentingSource(ctx, scope, sourceId), redeemed)
}

async function consentingSource(ctx: ConsentParts, scope: AccessScope, sourceId: string): Promise<Row<'source'>> {
  return ctx.sql.transact(scope.holderId, async (tx) => {
    const row = await getSourceRow(tx, scope, sourceId)
    assertConsenting(scope, row)
    await assertWithinGrant(tx, scope, sourceId)
    return row
  })
}

/** Returns the tokens of the consent with this confirmation code. The fifth wrong code revokes them. */
async function confirmed(ctx: ConsentParts, source: Row<'source'>, code: string): Promise<Redeemed> {
  const place = consentRefOf(source)
  const { taken, isRight } = await ctx.sql.transact(place.userId, (tx) =>
    matchCode(ctx, tx, place, { code, accountId: ctx.caller.accountId }),
  )
  const { row, sealed } = taken ?? {}
  if (row && sealed?.tokens && isRight) return { row, sealed: { ...sealed, tokens: sealed.tokens } }
  if (sealed?.tokens) await discardTokens(ctx, place, sealed, sealed.tokens)
  throw new Fault('bad_request', { outcome: 'state_invalid', detail: WRONG_CODE })
}

const WRONG_CODE =
  'This code is wrong, or the consent was used, replaced or has expired. Type the code as the browser shows it, or ' +
  'authorize again. Five wrong codes cancel the consent.'

/** Exchanges the code of a callback URL that was sent by the account that started the consent. */
async function redeemedBy(ctx: ConsentParts, source: Row<'source'>, callbackUrl: string): Promise<Redeemed> {
  const place = consentRefOf(source)
  const { query, path, origin } = partsOf(callbackUrl)
  const hash = stateHash(query.state ?? '')
  const own = { source_id: place.sourceId, state_hash: hash, started_by: ctx.caller.accountId }
  const isOwn = await ctx.sql.transact(place.userId, (tx) =>
    hasRow(tx, 'oauth_flow', { ...sandboxColumns(place), ...own }),
  )
  const base = new URL(`${ctx.publicUrl}/api/v1/oauth/callback`)
  const tag = path === base.pathname ? undefined : path.slice(base.pathname.length + 1)
  const isCallback = origin === base.origin && path.startsWith(base.pathname)
  if (!isOwn || !isCallback) throw refusal('state_invalid')
  return redeemCode(ctx, place, hash, query, tag)
}

function partsOf(callbackUrl: string): { query: CallbackQuery; path: string; origin: string } {
  if (!URL.canParse(callbackUrl)) throw refusal('invalid_callback_url')
  const { searchParams, pathname: path, origin } = new URL(callbackUrl)
  const once = (name: string) => {
    const values = searchParams.getAll(name)
    if (values.length > 1) throw refusal('invalid_callback_url')
    return values[0]
  }
  return { path, origin, query: { state: once('state'), code: once('code'), iss: once('iss'), error: once('error') } }
}

/**
 * Checks the server once with the tokens of a consent and stores them at its source. Approves the tools if they were
 * never listed. Revokes the tokens if the source has changed meanwhile.
 */
async function attach(
  ctx: ConsentParts,
  scope: AccessScope,
  seen: Row<'source'>,
  { row: flow, sealed }: Redeemed,
): Promise<Outcome> {
  const settings = settingsIn(seen.adapter_config)
  const place = consentRefOf(seen)
  const { tokens } = sealed
  const scopes = tokens.scope ?? flow.scopes
  const trial = trialOf(tokens.accessToken, scopes)
  const checked = await checkHealth(
    ctx,
    serverOf(settings, undefined, trial.tokens),
    neededTools(settings, ctx.findProfile),
  )
  const outcome = await ctx.sql.transact(scope.holderId, async (tx) => {
    const source = await lockSource(tx, scope, seen.id)
    assertConsenting(scope, source)
    if (settingsIn(source.adapter_config).base_url !== sealed.baseUrl) return undefined
    const missing = trial.missing()
    const now = ctx.clock.now()
    const { accessToken, refreshToken, expiresAt, refreshAt } = tokens
    const { client, metadata, resource } = sealed
    await putGrant(
      ctx.secrets,
      tx,
      place,
      {
        state: missing.length > 0 ? 'needs_scopes' : 'authorized',
        issuer: metadata.issuer,
        resource: resource ?? null,
        scopes,
        missing_scopes: missing.join(' '),
        refreshable: refreshToken !== undefined,
        authorized_by: flow.started_by,
        expires_at: expiresAt ? new Date(expiresAt) : null,
        refresh_at: refreshAt ? new Date(refreshAt) : null,
        updated_at: now,
      },
      { accessToken, refreshToken, resource, client, metadata },
    )
    await approve(ctx, tx, source, checked)
    const row = await tx
      .updateTable('source')
      .set({ ...stateAfter(ctx, source.status, checked), poll_failures: 0 })
      .where(ofSandbox(scope, { id: source.id }))
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordEvent(ctx, tx, { holderId: scope.holderId, sandboxId: scope.sandboxId, subjectId: source.id })
    return outcomeWith(ctx, tx, scope, row, checked.failure)
  })
  if (!outcome) {
    await discardTokens(ctx, place, sealed, tokens)
    throw refusal('state_invalid')
  }
  return outcome
}

/** Approves the tools of a server whose tools were never listed. Otherwise marks those that have changed. */
async function approve(
  ctx: AuditContext & Pick<SourcesCtx, 'findProfile'>,
  tx: Tx,
  source: Row<'source'>,
  { tools }: HealthCheck,
): Promise<void> {
  const pins =
    tools && pinsAfter(toolPinsOf(source), tools, neededTools(settingsIn(source.adapter_config), ctx.findProfile))
  if (!pins) return
  const actor = { actorId: ctx.caller.accountId, credentialId: ctx.caller.credential.id, requestId: ctx.requestId }
  await storePins(tx, source, pins, { ...actor, now: ctx.clock.now() })
}

/** Returns tokens for one check before they are stored. They are never refreshed. */
function trialOf(accessToken: string, scopes: string): { tokens: McpTokens; missing: () => string[] } {
  let missing: string[] = []
  const rejected = async () => new McpFailure('auth_rejected')
  const tokens: McpTokens = {
    current: async () => accessToken,
    replace: async () => {
      throw await rejected()
    },
    reject: rejected,
    lackScopes: async (challenge) => {
      if (challenge.error === 'insufficient_scope') missing = missingScopes(scopes, challenge)
      return new McpFailure(missing.length > 0 ? 'needs_scopes' : 'auth_rejected')
    },
  }
  return { tokens, missing: () => missing }
}

/** Tokens to revoke, with the client and server that are needed for it. */
interface Dropped {
  readonly sealed: Pick<FlowSecrets, 'client' | 'metadata'>
  readonly tokens: Pick<GrantSecrets, 'accessToken' | 'refreshToken'>
}

/** Removes the consent of a source, and one in progress. Returns the tokens to revoke after the commit. */
export async function dropConsent(
  ctx: Pick<ConsentParts, 'clock' | 'secrets'>,
  tx: Tx,
  source: Row<'source'>,
  reason: 'revoked' | 'base_url_changed',
): Promise<Dropped[]> {
  const place = consentRefOf(source)
  const flow = await takeFlow(ctx.secrets, tx, place)
  const grant = await findGrant(ctx.secrets, tx, place)
  const now = ctx.clock.now()
  const hasEnded = await endGrant(ctx.secrets, tx, place, { reason, now })
  if (!hasEnded && flow) await recordReason(tx, place, reason, now)
  return [
    ...(flow?.sealed?.tokens ? [{ sealed: flow.sealed, tokens: flow.sealed.tokens }] : []),
    ...(grant ? [{ sealed: grant.sealed, tokens: grant.sealed }] : []),
  ]
}

/** Revokes dropped tokens at their authorization servers. */
export async function revokeDropped(
  ctx: Pick<ConsentParts, 'log' | 'oauth'>,
  source: Row<'source'>,
  dropped: readonly Dropped[],
): Promise<void> {
  for (const { sealed, tokens } of dropped) await discardTokens(ctx, consentRefOf(source), sealed, tokens)
}
