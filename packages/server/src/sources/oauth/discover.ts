import { OUTCOME_ERRORS } from '@cairnstore/contract'
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  IssuerMismatchError,
  type OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client'
import { Fault, refusal } from '../../base/fault.ts'
import { findPullFailure, PullFailure } from '../../base/pull-failure.ts'
import { timeoutSignal } from '../../base/timeout-signal.ts'
import type { OAuthIssuer } from '../../config/oauth.ts'
import type { Challenge } from '../connectors/connector.ts'
import { challengeIn } from '../connectors/mcp/challenge.ts'
import { busyFailure, McpFailure, toMcpFailure } from '../connectors/mcp/mcp-transport.ts'
import type { OAuth, ServerMetadata } from './oauth-port.ts'

/** Authorization requirements of an MCP server. */
export interface Discovered {
  readonly metadata: ServerMetadata
  /** The resource indicator (RFC 8707) exactly as in the server's metadata; undefined if there is none. */
  readonly resource: string | undefined
  /** The scopes that the server requests, from its challenge or else its metadata. */
  readonly scopes: readonly string[]
  readonly configured: OAuthIssuer | undefined
}

/** Time limit of a discovery in milliseconds. It makes up to 16 requests, and each may be slow. */
const DISCOVERY_MS = 30_000
const SERVERS_MAX = 4
const URL_CHARS_MAX = 2_048
const SCOPES_MAX = 64
const SCOPE_CHARS_MAX = 256

const ABSENT = 404
const UNAUTHORIZED = 401
const FORBIDDEN = 403

/**
 * Finds the authorization server of an MCP server (RFC 9728, RFC 8414, OpenID Connect Discovery). Throws a refusal if
 * it cannot be used, and a McpFailure if it cannot be reached or must not be called. A blocked request is never treated
 * as a missing document. All requests together may take `totalMs` milliseconds.
 */
export async function discover(given: OAuth, serverUrl: string, totalMs = DISCOVERY_MS): Promise<Discovered> {
  const oauth = { ...given, fetch: fetchUntil(timeoutSignal(totalMs), given.fetch) }
  const challenge = await findChallenge(oauth, serverUrl)
  const resource = await findResource(oauth, serverUrl, challenge.resourceMetadata)
  if (resource && !isResourceOf(serverUrl, resource.resource)) throw refusal('oauth_resource_mismatch')
  const metadata = await findServer(oauth, serversOf(serverUrl, resource))
  const configured = configuredFor(oauth.issuers, metadata.issuer)
  const named = challenge.scope?.split(' ') ?? resource?.scopes_supported ?? []
  return { metadata, resource: resource?.resource, scopes: toScopes(named), configured }
}

/** Returns a `fetch` that throws the PullFailure `timeout` once the signal is aborted. */
function fetchUntil(signal: AbortSignal, fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) =>
    fetch(input, { ...init, signal }).catch((cause: unknown) => {
      throw signal.aborted ? new PullFailure('timeout', { cause }) : cause
    })
}

/** Returns the operator's settings for an issuer. */
export function configuredFor(issuers: readonly OAuthIssuer[], issuer: string): OAuthIssuer | undefined {
  return issuers.find((one) => one.issuer === issuer || one.metadataIssuer === issuer)
}

/** Returns the syntactically valid scopes without duplicates. */
export function toScopes(named: readonly string[]): string[] {
  const clean = named.filter((scope) => scope.length <= SCOPE_CHARS_MAX && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
  return [...new Set(clean)].slice(0, SCOPES_MAX)
}

/**
 * Returns the challenge to a `tools/list` request without a token. The request opens no session. Most servers protect
 * it, even those that let anyone initialize. A server that needs a token only for some calls returns no challenge here.
 */
async function findChallenge({ fetch }: OAuth, serverUrl: string): Promise<Challenge> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'tools/list', params: {} }),
  }
  const response = await fetch(serverUrl, request).catch((cause: unknown) => {
    if (findPullFailure(cause)?.reason === 'redirected') return undefined
    throw toMcpFailure(cause)
  })
  await response?.body?.cancel()
  if (response?.status !== UNAUTHORIZED && response?.status !== FORBIDDEN) return {}
  return challengeIn(response.headers)
}

/** Returns the metadata of the resource; undefined for a server that publishes none. */
async function findResource(
  oauth: OAuth,
  serverUrl: string,
  named: string | undefined,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  const places = [...(named && URL.canParse(named) ? [new URL(named)] : []), undefined]
  for (const resourceMetadataUrl of places) {
    const watched = watchMetadata(oauth.fetch)
    try {
      return await discoverOAuthProtectedResourceMetadata(
        serverUrl,
        { ...(resourceMetadataUrl && { resourceMetadataUrl }) },
        watched.fetch,
      )
    } catch (cause) {
      watched.rethrow(cause)
    }
  }
  return undefined
}

/** Returns the issuers to try, in order. A server without metadata is its own issuer, as before RFC 9728. */
function serversOf(serverUrl: string, resource: OAuthProtectedResourceMetadata | undefined): string[] {
  const named = (resource?.authorization_servers ?? []).filter((url) => url.length <= URL_CHARS_MAX)
  return named.length > 0 ? named.slice(0, SERVERS_MAX) : [new URL('/', serverUrl).href]
}

/** Returns the first usable authorization server. If none is usable, throws the first one's error. */
async function findServer(oauth: OAuth, issuers: readonly string[]): Promise<ServerMetadata> {
  let first: unknown
  for (const issuer of issuers) {
    try {
      return await readServer(oauth, issuer)
    } catch (cause) {
      if (cause instanceof McpFailure && cause.health === 'blocked_address') throw cause
      if (!(cause instanceof Fault || cause instanceof McpFailure)) throw cause
      first ??= cause
    }
  }
  throw first
}

async function readServer(oauth: OAuth, issuer: string): Promise<ServerMetadata> {
  const pinned = configuredFor(oauth.issuers, issuer)
  const watched = watchMetadata(oauth.fetch)
  let metadata: AuthorizationServerMetadata | undefined
  try {
    const skipIssuerValidation = pinned?.metadataIssuer !== undefined
    metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: watched.fetch, skipIssuerValidation })
  } catch (cause) {
    if (cause instanceof IssuerMismatchError) throw refusal('oauth_issuer_mismatch')
    watched.rethrow(cause)
  }
  if (!metadata) throw refusal('oauth_not_offered')
  if (pinned?.metadataIssuer !== undefined && metadata.issuer !== pinned.metadataIssuer) {
    throw refusal('oauth_issuer_mismatch')
  }
  const usable = pickMetadata(metadata, watched.field('revocation_endpoint'))
  await assertUsable(oauth, usable, configuredFor(oauth.issuers, metadata.issuer))
  return usable
}

async function assertUsable(oauth: OAuth, metadata: ServerMetadata, configured: OAuthIssuer | undefined) {
  const { authorization_endpoint: authorization, token_endpoint: token } = metadata
  if (metadata.issuer.length > URL_CHARS_MAX || !metadata.response_types_supported.includes('code')) {
    throw refusal('oauth_not_offered')
  }
  try {
    oauth.assertForBrowsers(new URL(authorization))
  } catch (cause) {
    const outcome = 'oauth_not_offered'
    throw new Fault('bad_request', { outcome, detail: OUTCOME_ERRORS[outcome], cause })
  }
  const methods = metadata.code_challenge_methods_supported
  if (!methods?.includes('S256') && !configured?.assumesPkce) throw refusal('oauth_pkce_unsupported')
  for (const url of [token, metadata.registration_endpoint, metadata.revocation_endpoint]) {
    if (url !== undefined)
      await oauth.assertCallable(new URL(url)).catch((cause) => Promise.reject(toMcpFailure(cause)))
  }
}

/** Returns the needed fields. The SDK drops the revocation endpoint of OpenID Connect metadata. */
function pickMetadata(metadata: AuthorizationServerMetadata, revocation: unknown): ServerMetadata {
  const {
    issuer,
    authorization_endpoint,
    token_endpoint,
    registration_endpoint,
    response_types_supported,
    scopes_supported,
    token_endpoint_auth_methods_supported,
    code_challenge_methods_supported,
    client_id_metadata_document_supported,
    authorization_response_iss_parameter_supported,
  } = metadata
  return {
    issuer,
    authorization_endpoint,
    token_endpoint,
    registration_endpoint,
    ...(typeof revocation === 'string' && URL.canParse(revocation) && { revocation_endpoint: revocation }),
    response_types_supported,
    // A long list would exceed the stored size, and only one of its entries is used.
    scopes_supported: scopes_supported?.filter((scope) => scope === OFFLINE),
    token_endpoint_auth_methods_supported,
    code_challenge_methods_supported,
    client_id_metadata_document_supported,
    authorization_response_iss_parameter_supported,
  }
}

/** Scope that requests a refresh token. */
export const OFFLINE = 'offline_access'

/** Returns true if metadata may name this resource for the server: its own URL or a parent of it. */
function isResourceOf(serverUrl: string, resource: string): boolean {
  return URL.canParse(resource) && checkResourceAllowed({ requestedResource: serverUrl, configuredResource: resource })
}

/**
 * Wraps `fetch` for metadata requests. A redirect counts as a missing document. `rethrow` throws failures of the guard,
 * the network or the server, and returns for a missing or malformed document. `field` returns a field of the latest
 * document.
 */
function watchMetadata(fetch: typeof globalThis.fetch) {
  let last: Response | undefined
  let text = ''
  let failure: PullFailure | undefined
  const watched: typeof globalThis.fetch = async (input, init) => {
    try {
      const response = await fetch(input, init)
      text = await response.text()
      last = new Response(text === '' ? null : text, response)
    } catch (cause) {
      const known = findPullFailure(cause)
      if (known?.reason === 'redirected') last = new Response(null, { status: ABSENT })
      else {
        failure ??= known
        throw cause
      }
    }
    return last
  }
  return {
    fetch: watched,
    field: (name: string): unknown => {
      const value: unknown = JSON.parse(text)
      return (value as Record<string, unknown> | null)?.[name]
    },
    rethrow: (cause: unknown) => {
      if (failure) throw toMcpFailure(failure)
      const late = findPullFailure(cause)
      if (late) throw toMcpFailure(late)
      const busy = last && busyFailure(last)
      if (busy) throw busy
    },
  }
}
