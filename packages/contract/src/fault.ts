/** Every value that `error` can have, with its status and the sentence used when there is no better one. */
export const FAULTS = {
  bad_request: { status: 400, detail: 'The request cannot be parsed.' },
  unauthorized: { status: 401, detail: 'Send a valid credential as `Authorization: Bearer <token>`.' },
  forbidden: { status: 403, detail: 'Your access to this sandbox does not allow this.' },
  quota_exceeded: { status: 403, detail: 'A limit of the sandbox’s tier is reached.' },
  encryption_key_required: { status: 403, detail: 'This sandbox is encrypted with a key that its caller holds.' },
  not_found: { status: 404, detail: 'There is nothing here that you can reach.' },
  method_not_allowed: { status: 405, detail: 'This path does not have this method; see the Allow header.' },
  request_timeout: { status: 408, detail: 'The request did not arrive in time.' },
  conflict: { status: 409, detail: 'The request does not fit the present state.' },
  gone: { status: 410, detail: 'This existed and does no more.' },
  precondition_failed: { status: 412, detail: 'The resource has changed since the version you named.' },
  payload_too_large: { status: 413, detail: 'The body is larger than this operation takes.' },
  uri_too_long: { status: 414, detail: 'The address is too long.' },
  unsupported_media_type: { status: 415, detail: 'Send `Content-Type: application/json` in UTF-8, not compressed.' },
  validation_error: { status: 422, detail: 'The request breaks the rules listed in `errors`.' },
  rate_limited: { status: 429, detail: 'Too many requests; wait as long as Retry-After says.' },
  headers_too_large: { status: 431, detail: 'The request’s headers are too large.' },
  internal_error: { status: 500, detail: 'Something failed here. The request id finds it in the log.' },
  not_implemented: { status: 501, detail: 'This is not built.' },
  unavailable: { status: 503, detail: 'Not available at the moment; try again shortly.' },
} as const satisfies Record<string, { status: number; detail: string }>

/** A value of `error`. */
export type FaultCode = keyof typeof FAULTS

/** Every value that `reason` can have: the `error` it refines and the sentence used when there is no better one. */
export const REASONS = {
  malformed_json: { code: 'bad_request', detail: 'The body is not valid JSON.' },
  invalid_utf8: { code: 'bad_request', detail: 'The body is not valid UTF-8.' },
  invalid_text: { code: 'bad_request', detail: 'A string holds a NUL character or half of a surrogate pair.' },
  too_deep: { code: 'bad_request', detail: 'The body is nested too deeply.' },
  too_many_values: { code: 'bad_request', detail: 'The body holds more than 50 000 values.' },
  duplicate_key: { code: 'bad_request', detail: 'An object in the body has the same key twice.' },
  forbidden_key: {
    code: 'bad_request',
    detail: 'A key in the body is not allowed (`__proto__`, `constructor.prototype`).',
  },
  duplicate_header: { code: 'bad_request', detail: 'A header that may come once came more than once.' },
  invalid_header: { code: 'bad_request', detail: 'A header cannot be parsed.' },
  idempotency_key_in_use: {
    code: 'conflict',
    detail: 'A request with this Idempotency-Key is still running; repeat it after Retry-After.',
  },
  idempotency_key_reused: {
    code: 'validation_error',
    detail: 'This Idempotency-Key was used for another body or query; use a new key for a new request.',
  },
  invalid_cursor: { code: 'bad_request', detail: 'Send a cursor unchanged, with the filters it was given for.' },
  cursor_expired: {
    code: 'gone',
    detail: 'What changed after this cursor is not kept any more; read what is there, and go on with a new cursor.',
  },
  encryption_header_invalid: { code: 'bad_request', detail: 'An X-Encryption header is malformed or wrongly sealed.' },
  encryption_headers_conflict: { code: 'bad_request', detail: 'The two X-Encryption headers hold different keys.' },
  missing: {
    code: 'encryption_key_required',
    detail: 'Send this sandbox’s key as X-Encryption-Token or X-Encryption-Key.',
  },
  mismatch: { code: 'encryption_key_required', detail: 'The key that was sent is not this sandbox’s key.' },
  connection_key_limits: {
    code: 'forbidden',
    detail: 'A connection’s key works inside its sandbox alone; use a credential of an account for this.',
  },
  foreign_origin: {
    code: 'forbidden',
    detail: 'A page of another site may not ask here; the address of this service is what CAIRN_PUBLIC_URL says.',
  },
  insufficient_scope: {
    code: 'forbidden',
    detail: 'The token is not meant for this; ask its issuer for the scope that WWW-Authenticate names.',
  },
  account_limits: {
    code: 'rate_limited',
    detail: 'The account’s sandboxes of this tier have used up what they share of a minute; wait for Retry-After.',
  },
  sandboxes_max: { code: 'quota_exceeded', detail: 'The account has as many sandboxes of this tier as are allowed.' },
  grant_limits: { code: 'forbidden', detail: 'Your grant is limited to one project; this is about more than it.' },
  preset_reserved: { code: 'forbidden', detail: 'The preset `max` is reserved.' },
  no_primary_sandbox: {
    code: 'not_found',
    detail:
      'This account has not exactly one active sandbox, and has set none as its primary one; set one with POST ' +
      '/api/v1/users/me/profile.',
  },
  duplicate_name: { code: 'conflict', detail: 'This name is taken; choose another.' },
  sandbox_not_active: { code: 'conflict', detail: 'The sandbox is not active.' },
  source_not_active: { code: 'conflict', detail: 'The source is not active.' },
  not_pullable: { code: 'conflict', detail: 'Sources of this provider cannot be pulled; they deliver.' },
  wrong_kind: { code: 'conflict', detail: 'The source is no server of tools.' },
  not_realtime: { code: 'conflict', detail: 'Only a realtime source has a webhook secret.' },
  project_archived: { code: 'conflict', detail: 'The project is archived.' },
  connection_not_active: { code: 'conflict', detail: 'The connection is revoked or expired; make a new one.' },
  account_exists: { code: 'conflict', detail: 'An account with this user_id exists.' },
  types_differ: { code: 'conflict', detail: 'The two entities are of different types.' },
  merge_undone: { code: 'conflict', detail: 'This merge holds no more.' },
  holds_plain_content: {
    code: 'conflict',
    detail: 'The sandbox already holds content that is not under a caller’s key.',
  },
  polling_under_key: {
    code: 'validation_error',
    detail:
      'A credential under a caller’s key opens only while somebody brings that key, so its source cannot be polled: ' +
      'register it with ingestion_mode manual, and pull it with the key.',
  },
  not_pollable: {
    code: 'validation_error',
    detail: 'Nothing here can read this provider, so it cannot be polled; the message names those that can be.',
  },
  unknown_format: {
    code: 'validation_error',
    detail: 'This is no export that is known here; name its `format`, or see which are taken.',
  },
  unreadable_archive: { code: 'validation_error', detail: 'The archive is damaged, or of a kind that is not taken.' },
  encrypted_archive: { code: 'validation_error', detail: 'The archive is encrypted; send it without a password.' },
  unsafe_path: { code: 'validation_error', detail: 'A file of the archive has a name that leads out of it.' },
  archive_too_large: {
    code: 'payload_too_large',
    detail: 'The file is larger than 1 GiB, unpacks to more than is taken, or holds more than 100 000 files.',
  },
  no_own_storage: { code: 'conflict', detail: 'The sandbox has no bucket of its own whose key could be replaced.' },
  storage_unfit: { code: 'validation_error', detail: 'The object store cannot be used; `errors` names the step.' },
  storage_unavailable: {
    code: 'unavailable',
    detail:
      'The object store of this sandbox does not answer as it should. What was accepted is kept and goes on when it ' +
      'does.',
  },
  disk_full: {
    code: 'unavailable',
    detail:
      'The disk of the service is nearly full, so nothing more is taken in; it goes on by itself once there is room.',
  },
  unknown_grantee: {
    code: 'validation_error',
    detail: 'user_id is not another account of this service.',
  },
  unknown_source: {
    code: 'validation_error',
    detail: 'An entry of data_source_ids is not a live source of this sandbox.',
  },
  secret_in_config: {
    code: 'validation_error',
    detail:
      'adapter_config must not hold credentials; send what opens the provider as provider_credential, and what it ' +
      'signs with as provider_signing_secret.',
  },
  use_secret_endpoint: {
    code: 'validation_error',
    detail:
      'Sources of this provider have a registration of their own, which keeps their credential: ' +
      'POST …/sources/user-mcp for servers of tools, POST …/sources/linear for the tracker.',
  },
} as const satisfies Record<string, { code: FaultCode; detail: string }>

/** A value of `reason`. */
export type Reason = keyof typeof REASONS

/** What a fault is raised by: an `error` itself, or a `reason`, which implies its `error`. */
export type FaultName = FaultCode | Reason

/** One broken rule of a request; the rejected value is never part of it. */
export interface Problem {
  /** Where: `body`, `query` or `headers`, then the way down. */
  loc: (string | number)[]
  /** What the rule is, in words. */
  msg: string
  /** The rule's name. */
  type: string
}

/** The body of every error. */
export interface ErrorBody {
  error: FaultCode
  reason?: Reason
  detail: string
  request_id: string
  errors?: Problem[]
}

/** The `error`, the `reason` if it is one, the status and the default sentence of a fault's name. */
export function faultOf(name: FaultName): { code: FaultCode; reason?: Reason; status: number; detail: string } {
  if (name in REASONS) {
    const reason = name as Reason
    const { code, detail } = REASONS[reason]
    return { code, reason, status: FAULTS[code].status, detail }
  }
  const code = name as FaultCode
  return { code, ...FAULTS[code] }
}
