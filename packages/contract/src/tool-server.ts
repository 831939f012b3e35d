import { McpAuthorization } from './mcp-authorization.ts'
import { CREATE, operation } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import { Choice, Maybe, Name, Nullable, ReplyId, type Static, Type as T } from './schema.ts'
import { INGESTION_MODES, type IngestionMode, SOURCE_STATES } from './source.ts'

/** Reasons for a failed check of a tool server, each with its message. */
export const HEALTH_ERRORS = {
  blocked_address: 'The address is in a private network and is not allowed.',
  dns_failed: 'The host name of the server cannot be resolved.',
  connect_failed: 'The server could not be reached, or it closed the connection.',
  tls_failed: 'The server’s certificate was not accepted.',
  timeout: 'The server took too long.',
  auth_rejected: 'The server rejected the credential.',
  rate_limited: 'The server’s rate limit is exceeded.',
  protocol_error: 'The server violated the Model Context Protocol.',
  response_too_large: 'A response of the server is too large.',
  too_many_tools: 'The server lists too many tools.',
  allowed_tool_missing: 'The server lists none of the tools that the settings name.',
  needs_authorization: 'A person has to consent first: authorize the source.',
  needs_scopes: 'The server asks for more scopes than were granted: authorize the source again.',
} as const

/** A reason for a failed check of a tool server. */
export type HealthError = keyof typeof HEALTH_ERRORS

/** Error codes of a rejected registration or update, each with its default message. */
export const OUTCOME_ERRORS = {
  invalid_name: 'name must be 1 to 255 characters, not only spaces.',
  invalid_base_url: 'base_url must be an absolute URL of at most 2048 characters.',
  base_url_not_allowed:
    'base_url must use https on port 443 and a public host name, without a user, a password or a fragment.',
  invalid_auth_kind: 'auth_kind must be bearer, header_token, oauth or none.',
  invalid_token: 'token must be 1 to 4096 visible ASCII characters; omit it to keep the current one.',
  token_required:
    'This auth_kind needs a token: none is stored, or the stored one was given for another base_url. Send token.',
  token_not_expected: 'With auth_kind none or oauth, do not send a token.',
  invalid_auth_header: 'auth_header must be the name of a header that is free to set, of at most 64 characters.',
  auth_header_required: 'auth_kind header_token needs auth_header.',
  invalid_app_namespace: 'app_namespace must be 1 to 64 letters, digits, "_", "-" and ".".',
  app_namespace_taken: 'Another live source of this sandbox has this app_namespace.',
  invalid_allowed_tools: 'allowed_tools must be at most 512 exact names of tools.',
  invalid_ingest_tool_calls: 'ingest_tool_calls must be at most 32 calls, each with a tool and its arguments.',
  tool_not_allowed: 'ingest_tool_calls names a tool that is not in allowed_tools.',
  invalid_server_profile: 'server_profile must be auto or none.',
  invalid_profile_parameters:
    'profile_parameters must be a list of at most 100 objects with the parameters of the profile, in their form. ' +
    '`GET …/providers` lists them.',
  profile_not_found: 'There is no profile for this base_url. `GET …/providers` lists the servers that have one.',
  profile_parameters_required:
    'The profile of this server needs profile_parameters: a list with one object for each place to import. ' +
    '`GET …/providers` lists its parameters.',
  invalid_rate_cap_per_minute: 'rate_cap_per_minute must be a whole number from 1 to 600.',
  invalid_webhook_rate_cap_per_minute: 'webhook_rate_cap_per_minute must be a whole number from 1 to 6000.',
  invalid_api_key: 'api_key must be 1 to 4096 visible ASCII characters.',
  invalid_include: 'include must name at least one of teams, users, projects, issues and cycles.',
  invalid_poll_interval_seconds: 'poll_interval_seconds must be a whole number from 60 to 2592000.',
  invalid_ingestion_mode: 'ingestion_mode must be polling or manual.',
  polling_under_key:
    'A credential encrypted with a customer-managed key can be decrypted only with that key, so its source cannot be ' +
    'polled: send ingestion_mode manual, and pull it with the key.',
  invalid_scopes: 'scopes must be at most 64 scope names of at most 256 characters, each without spaces.',
  invalid_client_id: 'client_id must be 1 to 2048 visible ASCII characters.',
  invalid_client_secret: 'client_secret must be 1 to 4096 visible ASCII characters.',
  invalid_code: 'code must be the confirmation code that the browser shows: letters, digits and "-".',
  invalid_callback_url: 'callback_url must be the address of at most 8192 characters to which the browser was sent.',
  client_not_expected: 'scopes, client_id and client_secret belong to auth_kind oauth.',
  client_id_required: 'client_secret needs the client_id that it belongs to.',
  code_required: 'Send code, the confirmation code, or callback_url; not both.',
  oauth_not_offered:
    'The server does not offer OAuth: it publishes no usable authorization server. Use auth_kind bearer or ' +
    'header_token with a token that the server issues.',
  oauth_client_required:
    'The authorization server registers no clients by itself. Register one there and send its client_id and, if it ' +
    'has one, its client_secret.',
  oauth_registration_refused:
    'The authorization server refused to register a client. Register one there and send its client_id and, if it ' +
    'has one, its client_secret.',
  oauth_pkce_unsupported:
    'The authorization server does not offer PKCE with S256, so a stolen code could be used. Ask its operator, or ' +
    'set assume_pkce for this issuer in CAIRN_OAUTH_CLIENTS if it is known to check it.',
  oauth_issuer_mismatch:
    'The authorization server names a different issuer than the requested one. If that is correct, set ' +
    'metadata_issuer for it in CAIRN_OAUTH_CLIENTS; otherwise do not connect it.',
  oauth_resource_mismatch:
    'The server’s metadata names a resource with a different address than base_url. Use the base_url from its ' +
    'documentation.',
  oauth_public_url_required:
    'Browsers must be redirected to this service: set CAIRN_PUBLIC_URL to its https address, or listen on 127.0.0.1.',
  oauth_under_key:
    'A sandbox with a customer-managed key cannot store an OAuth grant, because refreshing it needs the key at any ' +
    'time. Use a sandbox without such a key, or auth_kind bearer.',
  state_invalid: 'This consent was used, replaced or has expired, or it belongs to another source. Authorize again.',
  access_denied: 'The person at the authorization server declined. Authorize again to ask once more.',
  exchange_failed: 'The authorization server did not exchange the code for usable tokens. Authorize again.',
  invalid_body: 'The body must be a JSON object.',
} as const

/** An error code of a rejected registration or update. */
export type OutcomeError = keyof typeof OUTCOME_ERRORS

/** Returns the error code for an invalid field of the body. */
export function outcomeErrorOf(field: string | number | undefined): OutcomeError {
  const code = `invalid_${field}`
  return code in OUTCOME_ERRORS ? (code as OutcomeError) : 'invalid_body'
}

const outcome = {
  data_source_id: Nullable(ReplyId('source', 'The source; null when nothing was registered.')),
  status: Nullable(Choice(SOURCE_STATES)),
  name: Nullable(T.String()),
  ingestion_mode: Nullable(Choice(INGESTION_MODES)),
  health_error: Nullable(
    T.String({ description: `Why the check failed: ${Object.keys(HEALTH_ERRORS).join(', ')}. Null when it did not.` }),
  ),
  error: Nullable(T.String({ description: 'Always null; errors get 400 with this field.' })),
  detail: Nullable(T.String({ description: 'Always null; errors have this field.' })),
}

/** Ingestion modes of a tool server. */
export const READ_MODES = ['polling', 'manual'] as const satisfies readonly IngestionMode[]

/** Result of an operation on a tool server: the source, and the result of the server check. */
export const Outcome = T.Object({ ...outcome, authorization: T.Optional(McpAuthorization) })
export type Outcome = Static<typeof Outcome>

/** Entity types that a tracker's source can import. */
export const TRACKER_ENTITIES = ['teams', 'users', 'projects', 'issues', 'cycles'] as const
export type TrackerEntity = (typeof TRACKER_ENTITIES)[number]

/** Result of a tracker's registration. */
export const TrackerOutcome = T.Object({ ...outcome, entities: T.Array(Choice(TRACKER_ENTITIES)) })
export type TrackerOutcome = Static<typeof TrackerOutcome>

/** Body of a rejected registration: an empty outcome with the error, its detail and the request id. */
export const OutcomeRefusal = T.Object({
  ...outcome,
  error: Choice(Object.keys(OUTCOME_ERRORS) as OutcomeError[]),
  detail: T.String({ description: 'A sentence that says what to do.' }),
  request_id: T.String(),
})
export type OutcomeRefusal = Static<typeof OutcomeRefusal>

const KEY_CHARS_MAX = 4096
const CAP_MAX = 600
const CAP_DEFAULT = 60
const POLL_SECONDS_MIN = 60
const POLL_SECONDS_MAX = 30 * 24 * 60 * 60
const POLL_SECONDS_DEFAULT = 900

/** Request body to register a tracker. */
export const RegisterTracker = T.Object({
  api_key: T.String({
    minLength: 1,
    maxLength: KEY_CHARS_MAX,
    pattern: '^[\\x21-\\x7e]+$',
    writeOnly: true,
    description: 'The API key of the tracker. It is encrypted and never shown again.',
  }),
  name: Maybe(Name('A label for developers; the product’s name by default.')),
  include: Maybe(
    T.Array(Choice(TRACKER_ENTITIES), { minItems: 1, description: 'The data to import. Default: everything.' }),
  ),
  ingestion_mode: Maybe(
    Choice(READ_MODES, { description: 'Default: polling. `manual`: it is read only on request.', default: 'polling' }),
  ),
  rate_cap_per_minute: Maybe(
    T.Integer({ minimum: 1, maximum: CAP_MAX, description: `Tool calls a minute; ${CAP_DEFAULT} by default.` }),
  ),
  poll_interval_seconds: Maybe(
    T.Integer({
      minimum: POLL_SECONDS_MIN,
      maximum: POLL_SECONDS_MAX,
      description: `Seconds between two polls; ${POLL_SECONDS_DEFAULT} by default.`,
    }),
  ),
})
export type RegisterTracker = Static<typeof RegisterTracker>

export const trackerOperations = {
  createTracker: operation({
    ...CREATE,
    path: '/api/v1/storage/sandboxes/:sandbox_id/sources/linear',
    tag: 'Sources',
    summary: 'Register Linear, which is read through its tool server',
    description:
      'The key is encrypted as `linear/<data_source_id>/auth` and tested once. An invalid key is not an error: ' +
      'the reply has `status` error and says why in `health_error`. Repeat the call with another key to repair the ' +
      'source of that name. A violated rule gets 400 in the form of the outcome, with a specific code in `error`.',
    access: 'editor',
    audit: { event: 'source.registered' },
    versioned: true,
    body: {
      json: RegisterTracker,
      example: { api_key: 'lin_api_the-key', include: ['teams', 'users', 'projects', 'issues'] },
      refusal: 'outcome',
    },
    params: T.Object(sandboxParams),
    content: 'credentials',
    reply: { json: TrackerOutcome, location: '/api/v1/storage/sandboxes/:sandbox_id/sources/:data_source_id' },
    faults: ['sandbox_not_active', 'project_archived', 'quota_exceeded', 'holds_plain_content'],
  }),
}
