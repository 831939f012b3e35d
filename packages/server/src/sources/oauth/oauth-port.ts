import type { OAuthMetadata } from '@modelcontextprotocol/client'
import type { SafeFetch } from '../../base/safe-fetch.ts'
import type { OAuthIssuer } from '../../config/oauth.ts'
import type { SecretScope } from '../../tenancy/secrets/secret-store.ts'
import type { McpTokens } from '../connectors/connector.ts'

export interface OAuth {
  /** Guarded `fetch` for URLs from metadata, with limits on the response. */
  readonly fetch: typeof globalThis.fetch
  /** Throws a PullFailure for a URL that must not be called. */
  readonly assertCallable: SafeFetch['assertCallable']
  /** Throws a PullFailure for a URL to which browsers must not be redirected. */
  assertForBrowsers(url: URL): void
  readonly issuers: readonly OAuthIssuer[]
  /** True if authorization servers may read this service's Client ID Metadata Document. */
  readonly hasDocument: boolean
  /** Returns the access tokens of the source's grant. */
  tokensOf(source: ConsentRef): McpTokens
}

/** A source that is authorized by OAuth consent. */
export interface ConsentRef extends SecretScope {
  readonly sourceId: string
}

/** Fields of an authorization server's metadata that later requests need. */
export type ServerMetadata = Pick<
  OAuthMetadata,
  | 'issuer'
  | 'authorization_endpoint'
  | 'token_endpoint'
  | 'registration_endpoint'
  | 'revocation_endpoint'
  | 'response_types_supported'
  | 'scopes_supported'
  | 'token_endpoint_auth_methods_supported'
  | 'code_challenge_methods_supported'
  | 'client_id_metadata_document_supported'
  | 'authorization_response_iss_parameter_supported'
>

/** This service as a client of an authorization server. */
export interface OAuthClient {
  /** Given by the user, configured by the operator, identified by its document, or registered dynamically. */
  readonly kind: 'given' | 'configured' | 'document' | 'registered'
  readonly id: string
  readonly secret?: string | undefined
  readonly authMethod?: string | undefined
}
