import {
  exchangeAuthorization,
  type OAuthClientInformationMixed,
  OAuthError,
  type OAuthTokens,
  refreshAuthorization,
  selectClientAuthMethod,
} from '@modelcontextprotocol/client'
import { findPullFailure } from '../../base/pull-failure.ts'
import type { OAuthIssuer } from '../../config/oauth.ts'
import { busyFailure, McpFailure, toMcpFailure } from '../connectors/mcp/mcp-transport.ts'
import { configuredFor } from './discover.ts'
import type { OAuthClient, ServerMetadata } from './oauth-port.ts'

/** Network access and issuer settings for token requests. */
export interface TokenPort {
  readonly fetch: typeof globalThis.fetch
  readonly issuers: readonly OAuthIssuer[]
}

/** Authorization server, client and resource of a token request. */
export interface TokenRequest {
  readonly metadata: ServerMetadata
  readonly client: OAuthClient
  readonly resource: string | undefined
}

/** Failures of a token request: the grant or the client is rejected, or the failure is temporary. */
export type TokenFailure =
  | { readonly kind: 'grant_rejected' | 'client_rejected' | 'refused' }
  | { readonly kind: 'later'; readonly failure: McpFailure }

export type TokenOutcome = { readonly tokens: OAuthTokens } | TokenFailure

/** Exchanges a code (RFC 6749 section 4.1.3) with its PKCE verifier. */
export function exchangeCode(
  port: TokenPort,
  { metadata, client, resource }: TokenRequest,
  given: { code: string; iss: string | undefined; verifier: string; redirectUri: string },
): Promise<TokenOutcome> {
  return requestTokens(port, (fetchFn) =>
    exchangeAuthorization(metadata.issuer, {
      metadata,
      clientInformation: informationOf(port, metadata, client),
      authorizationCode: given.code,
      codeVerifier: given.verifier,
      redirectUri: given.redirectUri,
      ...(given.iss !== undefined && { iss: given.iss }),
      ...(resource !== undefined && { resource }),
      fetchFn,
    }),
  )
}

/** Refreshes an access token (RFC 6749 section 6). If the response has no refresh token, the old one stays valid. */
export function refreshTokens(port: TokenPort, { metadata, client, resource }: TokenRequest, refreshToken: string) {
  return requestTokens(port, (fetchFn) =>
    refreshAuthorization(metadata.issuer, {
      metadata,
      clientInformation: informationOf(port, metadata, client),
      refreshToken,
      ...(resource !== undefined && { resource }),
      fetchFn,
    }),
  )
}

const TIMEOUT = 408

/** Makes a token request and classifies its failure. The outcome contains no text from the server. */
async function requestTokens(
  { fetch }: TokenPort,
  send: (fetchFn: typeof globalThis.fetch) => Promise<OAuthTokens>,
): Promise<TokenOutcome> {
  let last: Response | undefined
  const watched: typeof globalThis.fetch = async (input, init) => {
    last = await fetch(input, withText(init))
    return last
  }
  try {
    return { tokens: await send(watched) }
  } catch (cause) {
    if (findPullFailure(cause)) return { kind: 'later', failure: toMcpFailure(cause) }
    const busy = last && busyFailure(last)
    if (busy) return { kind: 'later', failure: busy }
    if (last?.status === TIMEOUT) {
      return { kind: 'later', failure: new McpFailure('protocol_error', { reason: 'provider_failed' }) }
    }
    const code = cause instanceof OAuthError ? String(cause.code) : ''
    if (code === 'invalid_grant') return { kind: 'grant_rejected' }
    if (code === 'invalid_client' || code === 'unauthorized_client') return { kind: 'client_rejected' }
    return { kind: 'refused' }
  }
}

/** Converts a form body to text. The SDK passes forms, and the guarded fetch accepts only text. */
function withText(init: RequestInit | undefined): RequestInit | undefined {
  return init?.body instanceof URLSearchParams ? { ...init, body: String(init.body) } : init
}

function informationOf(
  { issuers }: TokenPort,
  { issuer }: ServerMetadata,
  { kind, id, secret, authMethod }: OAuthClient,
): OAuthClientInformationMixed {
  const known = kind === 'configured' ? configuredFor(issuers, issuer)?.client : undefined
  const used = known?.id === id ? known.secret : secret
  return {
    client_id: id,
    ...(used !== undefined && { client_secret: used }),
    ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
  }
}

/**
 * Revokes tokens at the authorization server (RFC 7009). The refresh token comes first, because its revocation ends the
 * grant. Returns false if the server has no revocation endpoint, cannot be reached or returns an error.
 */
export async function revokeTokens(
  port: TokenPort,
  { metadata, client }: Pick<TokenRequest, 'metadata' | 'client'>,
  tokens: { accessToken: string; refreshToken: string | undefined },
): Promise<boolean> {
  const { revocation_endpoint: url, token_endpoint_auth_methods_supported: methods = [] } = metadata
  if (url === undefined) return false
  const information = informationOf(port, metadata, client)
  const { client_id: id, client_secret: secret } = information
  const method = selectClientAuthMethod(information, methods)
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' }
  if (method === 'client_secret_basic' && secret !== undefined) {
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  }
  const identity: Record<string, string> = method === 'client_secret_basic' ? {} : { client_id: id }
  if (method === 'client_secret_post' && secret !== undefined) identity.client_secret = secret
  const revokeOne = async (token: string, hint: string) => {
    const body = String(new URLSearchParams({ token, token_type_hint: hint, ...identity }))
    const response = await port.fetch(url, { method: 'POST', headers, body })
    await response.body?.cancel()
    return response.ok
  }
  try {
    const { accessToken, refreshToken } = tokens
    const isEnded = refreshToken === undefined || (await revokeOne(refreshToken, 'refresh_token'))
    return (await revokeOne(accessToken, 'access_token')) && isEnded
  } catch (cause) {
    if (!findPullFailure(cause)) throw cause
    return false
  }
}
