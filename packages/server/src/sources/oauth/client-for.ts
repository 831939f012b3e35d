import type { OutcomeError } from '@cairnstore/contract'
import { type OAuthClientMetadata, RegistrationRejectedError, registerClient } from '@modelcontextprotocol/client'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { sha256 } from '../../base/digest.ts'
import { Fault, refusal } from '../../base/fault.ts'
import { findPullFailure, PullFailure } from '../../base/pull-failure.ts'
import { assertAllowed } from '../../base/safe-fetch.ts'
import type { Planes } from '../../tenancy/planes.ts'
import { busyFailure, toMcpFailure } from '../connectors/mcp/mcp-transport.ts'
import { findRegistration, type GivenClient, putRegistration, registrationId } from './consent-rows.ts'
import type { Discovered } from './discover.ts'
import type { ConsentRef, OAuth, OAuthClient, ServerMetadata } from './oauth-port.ts'

type ClientContext = Pick<Planes, 'clock' | 'publicUrl' | 'secrets' | 'sql'> & { readonly oauth: OAuth }

const CALLBACK = '/api/v1/oauth/callback'
const DOCUMENT = '/api/v1/oauth/client.json'
const CLIENT_NAME = 'Cairn'
const TAG_BYTES = 16
const CREATED_MAX = 4_096

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Returns the redirect URI for browsers. It is derived only from the configured URL, never from a request. An
 * authorization server that does not identify itself in its response gets its own redirect URI. This prevents mix-up
 * attacks (RFC 9700 section 4.4.2). Throws `oauth_public_url_required`.
 */
export function redirectUriFor(publicUrl: string, metadata: ServerMetadata): string {
  const { protocol, hostname } = new URL(publicUrl)
  if (protocol !== 'https:' && !LOOPBACK.includes(hostname)) throw refusal('oauth_public_url_required')
  const base = `${publicUrl}${CALLBACK}`
  return metadata.authorization_response_iss_parameter_supported ? base : `${base}/${issuerTag(metadata.issuer)}`
}

/** Returns the last part of an issuer's own redirect URI. */
export function issuerTag(issuer: string): string {
  return sha256(issuer).subarray(0, TAG_BYTES).toString('base64url')
}

/** Returns this service's Client ID Metadata Document, which authorization servers read. */
export function clientDocument(publicUrl: string) {
  return { client_id: `${publicUrl}${DOCUMENT}`, ...metadataFor(publicUrl, `${publicUrl}${CALLBACK}`, 'none') }
}

function metadataFor(publicUrl: string, redirectUri: string, authMethod: string) {
  const { protocol, hostname } = new URL(redirectUri)
  return {
    client_name: CLIENT_NAME,
    client_uri: publicUrl,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: authMethod,
    application_type: protocol === 'http:' && LOOPBACK.includes(hostname) ? 'native' : 'web',
  }
}

/**
 * Chooses the client for an authorization server: the user's, the operator's, this service's document, a registered
 * one, or a new registration. Throws a refusal if none is possible, and a McpFailure if the server cannot be reached.
 */
export async function clientFor(
  ctx: ClientContext,
  place: ConsentRef,
  { metadata, configured }: Discovered,
  given: GivenClient | undefined,
): Promise<{ client: OAuthClient; redirectUri: string }> {
  const redirectUri = redirectUriFor(ctx.publicUrl, metadata)
  if (given) {
    // A client secret must only be sent to the server that issued it.
    if (given.issuer !== undefined && given.issuer !== metadata.issuer)
      throw withRedirectUri('oauth_client_required', redirectUri)
    return { client: { kind: 'given', id: given.id, secret: given.secret }, redirectUri }
  }
  if (configured?.client) return { client: { kind: 'configured', id: configured.client.id }, redirectUri }
  if (ctx.oauth.hasDocument && takesDocument(metadata) && isPublic(ctx.publicUrl)) {
    return { client: { kind: 'document', id: `${ctx.publicUrl}${DOCUMENT}` }, redirectUri }
  }
  const registered = await findUsable(ctx, place, registrationId(metadata.issuer, redirectUri))
  if (registered) return { client: registered, redirectUri }
  if (metadata.registration_endpoint === undefined) throw withRedirectUri('oauth_client_required', redirectUri)
  return { client: await register(ctx, place, metadata, redirectUri), redirectUri }
}

/** Returns a refusal that states the redirect URI, which the user has to register. */
function withRedirectUri(outcome: OutcomeError, redirectUri: string): Fault {
  const { detail } = refusal(outcome)
  return new Fault('bad_request', { outcome, detail: `${detail} Its redirect URI is ${redirectUri}` })
}

/** Returns true if the server can use the document, which requires it to identify itself in its response. */
function takesDocument(metadata: ServerMetadata): boolean {
  return (
    metadata.client_id_metadata_document_supported === true &&
    metadata.authorization_response_iss_parameter_supported === true
  )
}

/** Returns true if remote authorization servers can read a document at this address. */
function isPublic(publicUrl: string): boolean {
  try {
    assertAllowed(new URL(publicUrl), false)
    return true
  } catch (cause) {
    if (!(cause instanceof PullFailure)) throw cause
    return false
  }
}

async function findUsable({ sql, secrets, clock }: ClientContext, place: ConsentRef, id: string) {
  const found = await sql.transact(place.userId, (tx) => findRegistration(secrets, tx, place, id))
  if (!found) return undefined
  const { expiresAt, ...client } = found
  return expiresAt !== undefined && new Date(expiresAt) <= clock.now() ? undefined : client
}

async function register(
  ctx: ClientContext,
  place: ConsentRef,
  metadata: ServerMetadata,
  redirectUri: string,
): Promise<OAuthClient> {
  const wanted = metadataFor(ctx.publicUrl, redirectUri, authMethodFor(metadata)) satisfies OAuthClientMetadata
  const response = await registerClient(metadata.issuer, {
    metadata,
    clientMetadata: wanted,
    fetchFn: ctx.oauth.fetch,
  }).catch((cause: unknown) => {
    if (findPullFailure(cause)) throw toMcpFailure(cause)
    const status = cause instanceof RegistrationRejectedError ? cause.status : 0
    throw busyFailure({ status, headers: new Headers() }) ?? withRedirectUri('oauth_registration_refused', redirectUri)
  })
  const { client_id: id, client_secret: secret, client_secret_expires_at: expires } = response
  if (id.length > CREATED_MAX || (secret?.length ?? 0) > CREATED_MAX)
    throw withRedirectUri('oauth_registration_refused', redirectUri)
  const client: OAuthClient = { kind: 'registered', id, secret, authMethod: response.token_endpoint_auth_method }
  const now = ctx.clock.now()
  const expiresAt = secret && expires ? new Date(expires * MS_PER_SECOND).toISOString() : undefined
  await ctx.sql.transact(place.userId, (tx) => {
    const row = { issuer: metadata.issuer, redirect_uri: redirectUri, registered_at: now }
    return putRegistration(ctx.secrets, tx, place, row, { ...client, expiresAt })
  })
  return client
}

function authMethodFor({ token_endpoint_auth_methods_supported: methods }: ServerMetadata): string {
  const known = ['none', 'client_secret_basic', 'client_secret_post']
  return known.find((method) => methods === undefined || methods.includes(method)) ?? 'none'
}
