import { randomBytes } from 'node:crypto'
import { computeScopeUnion, startAuthorization } from '@modelcontextprotocol/client'
import { MS_PER_MINUTE } from '../../base/clock.ts'
import { refusal } from '../../base/fault.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { Planes } from '../../tenancy/planes.ts'
import { McpFailure } from '../connectors/mcp/mcp-transport.ts'
import { clientFor } from './client-for.ts'
import { type FlowSecrets, type GivenClient, putFlow, putGivenClient, stateHash } from './consent-rows.ts'
import { discover, OFFLINE } from './discover.ts'
import type { ConsentRef, OAuth } from './oauth-port.ts'

/** Time limit in milliseconds for the consent, and separately for its confirmation code. */
export const FLOW_MS = 10 * MS_PER_MINUTE
const STATE_BYTES = 32

/** Source and scopes of a new consent. */
export interface ConsentRequest {
  readonly baseUrl: string
  /** Scopes that replace those that the server requests. */
  readonly scopes: readonly string[] | undefined
  /** Scopes of the present grant and those that it lacks, separated by spaces. They are always requested. */
  readonly grantScopes: string
  readonly given: GivenClient | undefined
}

/** A consent that is ready to be stored. */
export interface StartedConsent {
  readonly state: string
  readonly sealed: FlowSecrets
  readonly scopes: string
  readonly given: GivenClient | undefined
}

type ConsentContext = Pick<Planes, 'clock' | 'publicUrl' | 'secrets' | 'sql'> & { readonly oauth: OAuth }

/**
 * Finds the authorization server of the source's MCP server, chooses a client and creates the consent URL. Returns a
 * McpFailure for a server that cannot be reached. Throws a refusal for one that cannot be used.
 */
export async function beginConsent(
  ctx: ConsentContext,
  place: ConsentRef,
  wanted: ConsentRequest,
): Promise<StartedConsent | McpFailure> {
  try {
    return await begin(ctx, place, wanted)
  } catch (cause) {
    if (cause instanceof McpFailure) return cause
    throw cause
  }
}

async function begin(ctx: ConsentContext, place: ConsentRef, wanted: ConsentRequest): Promise<StartedConsent> {
  const { given, baseUrl } = wanted
  const found = await discover(ctx.oauth, baseUrl)
  const { metadata, configured } = found
  const { client, redirectUri } = await clientFor(ctx, place, found, given)
  const scope = scopesFor(wanted, found.scopes, metadata.scopes_supported ?? [])
  const resource = configured?.sendsResource === false ? undefined : found.resource
  const state = randomBytes(STATE_BYTES).toString('base64url')
  const started = await startAuthorization(metadata.issuer, {
    metadata,
    clientInformation: { client_id: client.id },
    redirectUrl: redirectUri,
    state,
    ...(scope && { scope }),
    ...(resource !== undefined && { resource }),
  }).catch(() => {
    throw refusal('oauth_not_offered')
  })
  const { authorizationUrl: url, codeVerifier: verifier } = started
  for (const [name, value] of Object.entries(configured?.authorizationParams ?? {})) url.searchParams.set(name, value)
  const sealed = { verifier, url: url.href, baseUrl, redirectUri, resource, client, metadata }
  return { state, sealed, scopes: scope ?? '', given: given && { ...given, issuer: metadata.issuer } }
}

/** Returns the scopes to request: the user's or else the server's, the grant's, and `offline_access` if offered. */
function scopesFor(
  { scopes, grantScopes }: ConsentRequest,
  named: readonly string[],
  offered: readonly string[],
): string | undefined {
  const chosen = (scopes ?? named).join(' ')
  return computeScopeUnion(chosen, grantScopes, offered.includes(OFFLINE) ? OFFLINE : undefined)
}

/** Stores a begun consent. It replaces an earlier one and invalidates its URL. */
export async function storeConsent(
  ctx: Pick<Planes, 'clock' | 'secrets'>,
  tx: Tx,
  place: ConsentRef,
  { state, sealed, scopes, given }: StartedConsent,
  by: { accountId: string; credentialId: string },
): Promise<void> {
  const now = ctx.clock.now()
  const row: Omit<Row<'oauth_flow'>, 'user_id' | 'sandbox_id' | 'source_id' | 'wrong_codes'> = {
    state_hash: stateHash(state),
    phase: 'pending',
    issuer: sealed.metadata.issuer,
    scopes,
    started_by: by.accountId,
    credential_id: by.credentialId,
    code_hash: null,
    created_at: now,
    expires_at: new Date(now.getTime() + FLOW_MS),
  }
  await putFlow(ctx.secrets, tx, place, row, sealed)
  if (given) await putGivenClient(ctx.secrets, tx, place, given)
}
