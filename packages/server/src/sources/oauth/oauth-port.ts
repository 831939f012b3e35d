import type { OAuthMetadata } from '@modelcontextprotocol/client'
import type { SafeFetch } from '../../base/safe-fetch.ts'
import type { OAuthIssuer } from '../../config/oauth.ts'
import type { SecretPlace } from '../../tenancy/secrets/secret-store.ts'
import type { McpTokens } from '../connectors/connector.ts'

/** The interface to the OAuth client. */
export interface OAuth {
  /** Calls the addresses that metadata names, through the guard, within the bounds of such replies. */
  readonly fetch: typeof globalThis.fetch
  /** Throws a PullFailure for an address that is not called. */
  readonly assertCallable: SafeFetch['assertCallable']
  /** Throws a PullFailure for an address to which no browser is sent. */
  assertForBrowsers(url: URL): void
  readonly issuers: readonly OAuthIssuer[]
  /** True if authorization servers may read this service's Client ID Metadata Document. */
  readonly hasDocument: boolean
  /** Returns the access tokens of the source's grant. */
  tokensOf(source: ConsentPlace): McpTokens
}

/** A source that is authorized by OAuth consent. */
export interface ConsentPlace extends SecretPlace {
  readonly sourceId: string
}

/** The metadata of an authorization server that later requests need. */
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
  /**
   * Given by the user, configured by the operator, identified by its document, or registered dynamically. The secret of
   * a configured one is read from the configuration at each use.
   */
  readonly kind: 'given' | 'configured' | 'document' | 'registered'
  readonly id: string
  readonly secret?: string | undefined
  readonly authMethod?: string | undefined
}
