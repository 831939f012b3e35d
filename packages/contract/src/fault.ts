/** All values of `error`, with status and default detail. */
export const FAULTS = {
  bad_request: { status: 400, detail: 'The request cannot be parsed.' },
  unauthorized: { status: 401, detail: 'Send a valid credential as `Authorization: Bearer <token>`.' },
  forbidden: { status: 403, detail: 'Your access to this sandbox does not allow this.' },
  quota_exceeded: { status: 403, detail: 'A limit of the sandbox’s tier is reached.' },
  encryption_key_required: { status: 403, detail: 'This sandbox is encrypted with a key that its caller holds.' },
  not_found: { status: 404, detail: 'Not found, or not in your access scope.' },
  method_not_allowed: { status: 405, detail: 'This path does not support this method; see the Allow header.' },
  request_timeout: { status: 408, detail: 'The request did not arrive in time.' },
  conflict: { status: 409, detail: 'The request conflicts with the current state.' },
  gone: { status: 410, detail: 'This no longer exists.' },
  precondition_failed: { status: 412, detail: 'The resource has changed since the version you named.' },
  payload_too_large: { status: 413, detail: 'The body is larger than this operation accepts.' },
  uri_too_long: { status: 414, detail: 'The address is too long.' },
  unsupported_media_type: { status: 415, detail: 'Send `Content-Type: application/json` in UTF-8, not compressed.' },
  validation_error: { status: 422, detail: 'The request breaks the rules listed in `errors`.' },
  rate_limited: { status: 429, detail: 'Too many requests. Wait for the seconds in Retry-After.' },
  headers_too_large: { status: 431, detail: 'The request’s headers are too large.' },
  internal_error: { status: 500, detail: 'Internal error. Find it in the log by the request id.' },
  not_implemented: { status: 501, detail: 'Not implemented.' },
  unavailable: { status: 503, detail: 'Temporarily unavailable. Try again shortly.' },
} as const satisfies Record<string, { status: number; detail: string }>

/** A value of `error`. */
export type FaultCode = keyof typeof FAULTS

/** All values of `reason`, grouped by the `error` that they refine, with the default detail. */
const DETAILS = {
  bad_request: {
    malformed_json: 'The body is not valid JSON.',
    invalid_utf8: 'The body is not valid UTF-8.',
    invalid_text: 'A string contains a NUL character or half of a surrogate pair.',
    too_deep: 'The JSON in the body is nested too deeply.',
    too_many_values: 'The body contains more than 50 000 values.',
    duplicate_key: 'An object in the body has the same key twice.',
    forbidden_key: 'A key in the body is not allowed (`__proto__`, `constructor.prototype`).',
    duplicate_header: 'A header that is allowed once was sent more than once.',
    invalid_header: 'A header cannot be parsed.',
    invalid_cursor: 'Send a cursor unchanged and with the same filters as in the request that returned it.',
    encryption_header_invalid: 'An X-Encryption header is malformed or cannot be decrypted.',
    encryption_headers_conflict: 'The two X-Encryption headers contain different keys.',
    state_invalid: 'This consent was used, replaced or has expired. Start it again where you started it.',
    access_denied: 'The consent was declined. Start it again where you started it to ask once more.',
    exchange_failed: 'The authorization server did not exchange the code for usable tokens. Start the consent again.',
    logout_token_invalid: 'The logout token is not a valid one of the configured identity provider.',
    invitation_invalid: 'This invitation was used, withdrawn or has expired. Ask for a new one.',
    groups_overage:
      'The identity provider left out your groups because there are too many. Its administrator must limit the ' +
      'groups claim to the groups of this application.',
    https_required: 'Signing in with a browser needs https. Set CAIRN_PUBLIC_URL to the https address of the service.',
    oauth_issuer_mismatch:
      'The reply came from a different authorization server than the consent was started with, so it was rejected. ' +
      'Do not repeat it; start the consent again.',
  },
  conflict: {
    idempotency_key_in_use: 'A request with this Idempotency-Key is still running; repeat it after Retry-After.',
    duplicate_name: 'This name is taken; choose another.',
    sandbox_not_active: 'The sandbox is not active.',
    source_not_active: 'The source is not active.',
    needs_authorization:
      'A user must consent first: authorize the source with POST …/user-mcp/authorize, then pull it.',
    not_pullable: 'Sources of this provider cannot be pulled; the provider delivers events.',
    wrong_kind: 'The source is not a tool server.',
    not_realtime: 'Only a realtime source has a webhook secret.',
    project_archived: 'The project is archived.',
    connection_not_active: 'The connection is revoked or expired; make a new one.',
    last_owner: 'The account would have no active owner. Make another member an owner first.',
    provider_signs_in:
      'People sign in with the identity provider here. Open the link of the invitation, or /api/v1/auth/login.',
    group_grant: 'A grant to a group or an address has no key. Grant the sandbox to a member to make one.',
    account_exists: 'An account with this user_id exists.',
    types_differ: 'The two entities are of different types.',
    suggestion_accepted:
      'The suggestion was already accepted. Undo its merge instead; the two entities then stay separate.',
    merge_undone: 'This merge was already undone.',
    holds_plain_content: 'The sandbox already contains content without encryption by a customer-managed key.',
    no_own_storage: 'The sandbox has no bucket of its own, so it has no access key to replace.',
  },
  validation_error: {
    idempotency_key_reused: 'This Idempotency-Key was used for another body or query; use a new key for a new request.',
    polling_under_key:
      'A credential encrypted with a customer-managed key can be decrypted only with that key, so its source cannot ' +
      'be polled: register it with ingestion_mode manual, and pull it with the key.',
    not_pollable:
      'This service has no adapter for this provider, so it cannot be polled; the message names the providers that ' +
      'can be.',
    unknown_format: 'The format of this export is unknown. Set `format` to one of the supported formats.',
    unsupported_file: 'The file cannot be read; `errors` contains the reason.',
    unreadable_archive: 'The archive is damaged or its format is not supported.',
    encrypted_archive: 'The archive is encrypted; send it without a password.',
    unsafe_path: 'A file name in the archive points outside the archive.',
    storage_unfit: 'The object store cannot be used; `errors` names the step that failed.',
    unknown_grantee: 'user_id is not another account of this service.',
    unknown_member: 'An id does not name a member or group of this account.',
    unknown_source: 'An entry of data_source_ids is not a live source of this sandbox.',
    secret_in_config:
      'adapter_config must not contain credentials. Send the provider’s credential as provider_credential and its ' +
      'signing secret as provider_signing_secret.',
    not_deliverable: 'This address is not allowed: it must use https on port 443 and must not be in a private network.',
    use_secret_endpoint:
      'Sources of this provider are registered with a separate operation, which stores their credential: ' +
      'POST …/sources/user-mcp for tool servers, POST …/sources/linear for Linear.',
  },
  gone: {
    cursor_expired:
      'The changes after this cursor are no longer stored. Read the current data and continue with a new cursor.',
  },
  encryption_key_required: {
    missing: 'Send this sandbox’s key as X-Encryption-Token or X-Encryption-Key.',
    mismatch: 'The key that was sent is not this sandbox’s key.',
  },
  forbidden: {
    connection_key_limits: 'A connection key works only in its sandbox. Use a credential of an account for this.',
    csrf:
      'A change with the session cookie needs the header X-Cairn-Request: 1 and the Origin of this service, as ' +
      'set by CAIRN_PUBLIC_URL.',
    member_role: 'Your role in the account does not allow this. Ask an owner or admin.',
    owner_only: 'Only an owner of the account may do this.',
    not_a_member:
      'You are signed in at the identity provider, but you are not an active member of an account here. Ask for an ' +
      'invitation.',
    foreign_origin:
      'Requests from pages of other sites are not allowed. The address of this service is set by CAIRN_PUBLIC_URL.',
    insufficient_scope:
      'The token lacks the scope named in WWW-Authenticate. Request a token with this scope from its issuer.',
    grant_limits: 'Your grant is limited to one project, and this operation affects more than the project.',
    preset_reserved: 'The preset `max` is reserved.',
  },
  rate_limited: {
    account_limits:
      'The account’s sandboxes of this tier have used up their shared limit per minute. Wait for Retry-After.',
  },
  quota_exceeded: {
    memory_max:
      'The sandbox has nearly reached the memory limit for one sandbox, so nothing can be added. Remove ' +
      'something, or ask the operator to raise CAIRN_GRAPH_MIB.',
    sandboxes_max: 'The account has as many sandboxes of this tier as are allowed.',
  },
  not_found: {
    sign_in_not_offered:
      'No identity provider is configured. Sign in with a link of `cairn console`, or set CAIRN_OIDC_ISSUER.',
    no_primary_sandbox:
      'This account has no primary sandbox and not exactly one active sandbox. Set the primary sandbox with POST ' +
      '/api/v1/users/me/profile.',
  },
  payload_too_large: {
    archive_too_large:
      'The file is larger than 1 GiB, unpacks to more than the limit, or contains more than 100 000 files.',
  },
  unavailable: {
    provider_unreachable: 'The identity provider returned an unexpected response or none. Try again shortly.',
    storage_unavailable:
      'The object store of this sandbox is unavailable. Accepted data is kept, and processed when the store is back.',
    sandbox_too_large:
      'The sandbox exceeds the memory limit for one sandbox, so it cannot be queried. Nothing is ' +
      'lost: it can be queried again once the operator raises CAIRN_GRAPH_MIB.',
    disk_full:
      'The disk of the service is nearly full, so new data is rejected. This ends automatically when space is free ' +
      'again.',
  },
} as const satisfies Partial<Record<FaultCode, Record<string, string>>>

/** A value of `reason`. */
export type Reason = { [C in keyof typeof DETAILS]: keyof (typeof DETAILS)[C] & string }[keyof typeof DETAILS]

/** The `error` and default detail of each reason. */
export const REASONS = Object.fromEntries(
  Object.entries(DETAILS).flatMap(([code, details]) =>
    Object.entries(details).map(([reason, detail]) => [reason, { code, detail }]),
  ),
) as Readonly<Record<Reason, { code: FaultCode; detail: string }>>

/** Name of a fault: an `error`, or a `reason`, which implies its `error`. */
export type FaultName = FaultCode | Reason

/** One violated rule of a request. It never contains the rejected value. */
export interface Problem {
  /** Path to the value: `body`, `query` or `headers`, then property names and indexes. */
  loc: (string | number)[]
  /** Description of the rule. */
  msg: string
  /** Name of the rule. */
  type: string
}

/** Body of every error response. */
export interface ErrorBody {
  error: FaultCode
  reason?: Reason
  detail: string
  request_id: string
  errors?: Problem[]
}

/** Returns the `error`, the `reason` if any, the status and the default detail of a fault's name. */
export function faultOf(name: FaultName): { code: FaultCode; reason?: Reason; status: number; detail: string } {
  if (name in REASONS) {
    const reason = name as Reason
    const { code, detail } = REASONS[reason]
    return { code, reason, status: FAULTS[code].status, detail }
  }
  const code = name as FaultCode
  return { code, ...FAULTS[code] }
}
