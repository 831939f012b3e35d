import { operation, READ } from './operation.ts'
import { Choice, Moment, Nullable, type Static, Type as T } from './schema.ts'

const SCOPES_MAX = 64
const CODE_CHARS_MAX = 4096
const STATE_CHARS_MAX = 512
const URL_CHARS_MAX = 2048
const ERROR_CHARS_MAX = 256

/** A scope token (RFC 6749 section 3.3). */
const Scope = T.String({ pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,256}$' })

/** Returns the schema of a list of OAuth scopes. */
export function Scopes(description: string) {
  return T.Array(Scope, { maxItems: SCOPES_MAX, description })
}

/** States of the consent that a source with `auth_kind: "oauth"` needs. */
export const AUTHORIZATION_STATES = [
  'needs_authorization',
  'pending',
  'confirming',
  'authorized',
  'needs_scopes',
] as const

/** Reasons for a missing consent, each with its message. */
export const AUTHORIZATION_REASONS = {
  revoked: 'The consent was revoked here.',
  grant_rejected: 'The authorization server no longer accepts the refresh token: the consent was revoked or expired.',
  client_rejected: 'The authorization server no longer knows the client.',
  token_rejected: 'The server rejected the access token, and a refreshed one as well.',
  base_url_changed: 'base_url was changed, and a consent is valid for one server only.',
  access_denied: 'The user declined the consent.',
  exchange_failed: 'The authorization server did not exchange the code for tokens.',
  unreachable: 'The server or its authorization server could not be reached; authorize again later.',
  insufficient_scope: 'The server asks for scopes that were not granted.',
} as const

/** A reason for a missing consent. */
export type AuthorizationReason = keyof typeof AUTHORIZATION_REASONS

/** The user consent that authorizes a source with `auth_kind: "oauth"`. */
export const McpAuthorization = T.Object({
  state: Choice(AUTHORIZATION_STATES),
  url: T.Optional(
    Nullable(
      T.String({
        description:
          'The URL to open in a browser. Present only while the state is `pending`, for the account that started it.',
      }),
    ),
  ),
  expires_at: T.Optional(Nullable(Moment('When the URL, or the confirmation code, expires.'))),
  scopes: T.Array(T.String(), { description: 'The scopes granted, or asked for while nothing is granted.' }),
  issuer: Nullable(T.String({ description: 'The authorization server; null while none is known.' })),
  refreshable: T.Boolean({ description: 'True if the token can be refreshed without a new consent.' }),
  authorized_by: Nullable(
    T.String({ description: 'The account whose member consented. Every editor’s calls act as that person.' }),
  ),
  reason: T.Optional(
    Nullable(
      Choice(Object.keys(AUTHORIZATION_REASONS) as AuthorizationReason[], {
        description: 'The reason for a missing consent.',
      }),
    ),
  ),
})
export type McpAuthorization = Static<typeof McpAuthorization>

/** Request body to start a consent. */
export const StartAuthorization = T.Object({
  scopes: T.Optional(Nullable(Scopes('Scopes to request instead of those that the server names.'))),
})
export type StartAuthorization = Static<typeof StartAuthorization>

/** Request body to complete a consent. Exactly one field is set. */
export const CompleteAuthorization = T.Object({
  code: T.Optional(
    Nullable(
      T.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[A-Za-z0-9 -]+$',
        writeOnly: true,
        description: 'The confirmation code that the browser shows after the consent.',
      }),
    ),
  ),
  callback_url: T.Optional(
    Nullable(
      T.String({
        minLength: 1,
        maxLength: 8192,
        writeOnly: true,
        description: 'Alternatively, the full URL that the authorization server redirected the browser to.',
      }),
    ),
  ),
})
export type CompleteAuthorization = Static<typeof CompleteAuthorization>

/** Metadata of this service as an OAuth client (OAuth Client ID Metadata Document). */
export const OAuthClientDocument = T.Object({
  client_id: T.String({ description: 'The address of this document.' }),
  client_name: T.String(),
  client_uri: T.String(),
  redirect_uris: T.Array(T.String()),
  grant_types: T.Array(T.String()),
  response_types: T.Array(T.String()),
  token_endpoint_auth_method: T.String(),
  application_type: T.String(),
})

const tag = 'Sources'
const open = { ...READ, tag, access: 'public' } as const
const callback = {
  ...open,
  retry: 'ask',
  description:
    'The authorization server redirects the browser here. The reply is a page with a confirmation code. The person ' +
    'who started the consent sends it with `POST …/user-mcp/authorize/complete`. A client that does not accept ' +
    '`text/html` gets an error as JSON.',
  query: T.Object({
    state: T.Optional(T.String({ maxLength: STATE_CHARS_MAX })),
    code: T.Optional(T.String({ maxLength: CODE_CHARS_MAX })),
    iss: T.Optional(T.String({ maxLength: URL_CHARS_MAX })),
    error: T.Optional(T.String({ maxLength: ERROR_CHARS_MAX })),
  }),
  headers: T.Object({ accept: T.Optional(T.String({ description: 'With `text/html` an error is a page too.' })) }),
  reply: { text: 'text/html' },
  faults: [
    'state_invalid',
    'access_denied',
    'exchange_failed',
    'oauth_issuer_mismatch',
    'source_not_active',
    'rate_limited',
    'unavailable',
  ],
} as const

/** Operations called by authorization servers and by the browsers that they redirect. */
export const oauthOperations = {
  receiveOAuthCallback: operation({
    ...callback,
    audit: { none: 'holds tokens that nothing uses until the consent is completed, which has its own event' },
    path: '/api/v1/oauth/callback',
    summary: 'Receive the browser from an authorization server',
  }),
  receiveOAuthIssuerCallback: operation({
    ...callback,
    audit: { none: 'holds tokens that nothing uses until the consent is completed, which has its own event' },
    faults: [...callback.faults, 'not_found'],
    path: '/api/v1/oauth/callback/:issuer_tag',
    summary: 'Receive the browser from an authorization server that does not name itself',
    params: T.Object({ issuer_tag: T.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: 'Names the issuer.' }) }),
  }),
  getOAuthClient: operation({
    ...open,
    path: '/api/v1/oauth/client.json',
    summary: 'Describe this service as an OAuth client',
    reply: { json: OAuthClientDocument },
    faults: ['rate_limited'],
  }),
}
