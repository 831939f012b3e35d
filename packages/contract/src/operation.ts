import type { FaultName } from './fault.ts'
import { encryptionHeaders, type TSchema, Type } from './schema.ts'

/**
 * Required access of an operation. `viewer`, `editor` and `owner` are roles in its sandbox. `admin` is the operator,
 * whose key is valid for nothing else. `sender` is the holder of a source's delivery secret.
 */
export type Access = 'public' | 'account' | 'viewer' | 'editor' | 'owner' | 'admin' | 'sender'

/** The audit event of an operation, or the reason why it has none. */
export type Audit = { event: string } | { none: string }

/** Safe behavior after an unknown outcome: repeat, repeat with an Idempotency-Key, or ask the user first. */
export type Retry = 'safe' | 'keyed' | 'ask'

/**
 * Use of a sandbox's content. It determines if a customer-managed key must be sent. `writes` binds an empty sandbox to
 * the sent key. `reads` needs the sandbox's key. `mentions` works without it and then omits content. `credentials`
 * stores or uses a credential, which is encrypted if the sandbox has a key.
 */
export type ContentUse = 'writes' | 'reads' | 'mentions' | 'credentials'

/** Media type of a streamed response: server-sent events, one JSON value per line, or the bytes of a file. */
export type StreamType = 'text/event-stream' | 'application/x-ndjson' | 'application/octet-stream'

/** Accepted request bodies of an operation: JSON, optionally also NDJSON and files, or any bytes. */
export interface RequestBody {
  /** Schema of a JSON body. */
  readonly json?: TSchema
  /** Schema that the OpenAPI document shows instead of `json`, if items are validated later, one by one. */
  readonly shown?: TSchema
  /** Example of the JSON body, for the OpenAPI document. */
  readonly example?: unknown
  /** Maximum size of a JSON body in bytes; 1 MiB if omitted. */
  readonly bytesMax?: number
  /** If set, invalid JSON gets 400 with the body `OutcomeRefusal` instead of 422. */
  readonly refusal?: 'outcome'
  /** Schema of one line, if the body may also be NDJSON. */
  readonly ndjson?: TSchema
  /** Media types of other bodies, which are passed on as streams. */
  readonly files?: readonly string[]
  /** The body is passed on unread in any format. The operation decides what it accepts. */
  readonly bytes?: true
}

/** Successful responses: JSON, text or a stream. */
export interface OperationReply {
  /** Schema of a JSON response. Undeclared fields are removed. */
  readonly json?: TSchema
  /** True if the JSON is already serialized. */
  readonly isWritten?: true
  /** Media type of a text response. */
  readonly text?: string
  /** Media type of a streamed response. It is sent if the caller accepts it, or always without `json`. */
  readonly stream?: StreamType
  /** Path for the `Location` header. Its parameters are filled from the response and the request's path. */
  readonly location?: string
  /** Body of a 400 or 404 in the format of the body's own protocol, such as JSON-RPC. */
  readonly failure?: TSchema
  /** Another success status, with its JSON schema if it has one. */
  readonly otherwise?: { readonly status: 200 | 202 | 204 | 302 | 304; readonly json?: TSchema; readonly when: string }
}

/** Declaration of an API operation. Server, clients, OpenAPI document and tests derive from it. */
export interface Operation {
  /** Id of the operation. Default: its key in the exported object. */
  readonly id?: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path with parameters as `:name`. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Required access. Without `sandbox_id` in the path, a role applies to the caller's primary sandbox. */
  readonly access: Access
  /** Minimum role of a member, for access `account`. Default: `viewer` for a GET, otherwise `admin`. */
  readonly member?: 'owner' | 'admin' | 'member' | 'viewer'
  /** True if a connection key may use it, although the operation is not inside a sandbox. */
  readonly forConnectionKeys?: true
  readonly audit: Audit
  readonly retry: Retry
  /** Rate limit that a request counts against: one question, one read, or its records. */
  readonly rated?: 'queries' | 'reads' | 'records'
  /** True if an owner may use it with a grantee's access scope, like every `GET` in a sandbox. */
  readonly asUser?: true
  /** Use of the sandbox's content; none if omitted. */
  readonly content?: ContentUse
  /** True if the response has the resource's version as `ETag`, and a change accepts `If-Match`. */
  readonly versioned?: true
  readonly params?: TSchema
  readonly query?: TSchema
  /** Request headers that the operation uses, by lower-case name. */
  readonly headers?: TSchema
  /** Accepted body; none if omitted. */
  readonly body?: RequestBody
  /** Status of a success. */
  readonly status: 200 | 201 | 202 | 204
  /** Successful responses; an empty body if omitted. */
  readonly reply?: OperationReply
  /** True if it calls other operations as its caller. Each checks its own role and limits and has its audit event. */
  readonly calls?: true
  /** Faults specific to the operation; none if omitted. `commonFaults` adds the general ones. */
  readonly faults?: readonly FaultName[]
}

/** A set of operations by id. */
export type Operations = Readonly<Record<string, Operation>>

/** Default limit of a JSON body, in bytes. */
export const BODY_BYTES_MAX = 1024 * 1024

/** Limit of a JSON body with content, in bytes. */
export const CONTENT_BYTES_MAX = 16 * 1024 * 1024

/** Limit of one NDJSON line, in bytes. */
export const LINE_BYTES_MAX = 1024 * 1024

/** Declares an operation and keeps the exact types of its parts. */
export function operation<const O extends Operation>(declared: O): O {
  return declared
}

export const READ = { method: 'GET', audit: { none: 'reads' }, retry: 'safe', status: 200 } as const

/** Defaults of idempotent changes. Each operation adds its audit event. */
export const CHANGE = { method: 'POST', retry: 'safe', status: 200 } as const

/** Defaults of operations that create a resource. A repeat would create another one. */
export const CREATE = { method: 'POST', retry: 'keyed', status: 201 } as const

export const INGEST = {
  ...CREATE,
  status: 202,
  access: 'editor',
  rated: 'records',
  content: 'writes',
} as const

/** Returns the general faults of an operation, derived from its declaration. */
export function commonFaults(declared: Operation): FaultName[] {
  const faults: FaultName[] = ['bad_request', 'uri_too_long', 'headers_too_large']
  if (declared.access !== 'public') faults.push('unauthorized')
  if (declared.access !== 'public' && declared.access !== 'sender') faults.push('rate_limited')
  if (declared.access === 'admin') faults.push('forbidden')
  if (declared.access === 'account' && !declared.forConnectionKeys) faults.push('connection_key_limits')
  if (needsAccessScope(declared) || declared.access === 'account') {
    faults.push('insufficient_scope')
    if (declared.method !== 'GET' && !declared.calls) faults.push('csrf')
  }
  if (memberRoleOf(declared) !== 'viewer') faults.push('member_role')
  if (needsAccessScope(declared)) faults.push('not_found')
  if ((needsAccessScope(declared) && declared.access !== 'viewer') || takesAsUser(declared)) faults.push('forbidden')
  const body = declared.body?.json && declared.body
  if (body) faults.push('payload_too_large', 'unsupported_media_type', 'rate_limited')
  if ((body && !body.refusal) || declared.query !== undefined) faults.push('validation_error')
  if (declared.rated) faults.push('rate_limited', 'account_limits')
  if (declared.content) faults.push('encryption_header_invalid', 'encryption_headers_conflict', 'mismatch')
  if (declared.content && declared.content !== 'mentions') faults.push('missing')
  if (declared.content === 'writes') faults.push('holds_plain_content')
  if (declared.retry === 'keyed') faults.push('invalid_header', 'idempotency_key_in_use', 'idempotency_key_reused')
  if (takesIfMatch(declared)) faults.push('invalid_header', 'precondition_failed')
  if (declared.access !== 'public') faults.push('unavailable')
  if (needsAccessScope(declared)) faults.push('storage_unavailable')
  if (declared.rated === 'records' || declared.access === 'sender') faults.push('disk_full')
  return faults
}

/** Returns the minimum role of a member for an operation with access `account`. */
export function memberRoleOf({ access, member, method }: Operation): NonNullable<Operation['member']> {
  if (access !== 'account') return 'viewer'
  return member ?? (method === 'GET' ? 'viewer' : 'admin')
}

/** Returns true if a change accepts `If-Match`. */
export function takesIfMatch({ versioned, method }: Operation): boolean {
  return versioned === true && (method === 'PATCH' || method === 'DELETE')
}

const IdempotencyKey = Type.String({
  description:
    'A key of your choice, at most 255 visible ASCII characters. A repeat with the same body and query within 24 ' +
    'hours gets the first reply, without its one-time secrets and with `Idempotent-Replayed: true`.',
  examples: ['6f1f1f0e-2b7b-4f0e-9a3e-2f5d8c1b9a10'],
})
const IfMatch = Type.String({
  description: 'The `ETag` of the version that you read: only that version is changed. `*` matches any.',
  examples: ['"3"'],
})

/** Returns the request headers of an operation: declared and implied ones. */
export function headersOf(declared: Operation): Record<string, TSchema> {
  const { properties = {} } = (declared.headers ?? {}) as { properties?: Record<string, TSchema> }
  return {
    ...properties,
    ...(declared.content && encryptionHeaders),
    ...(declared.retry === 'keyed' && { 'idempotency-key': IdempotencyKey }),
    ...(takesIfMatch(declared) && { 'if-match': IfMatch }),
  }
}

/** Audit event of a request that an owner makes with a grantee's access scope. */
export const READ_AS_EVENT = 'sandbox.read_as'

/** Returns true if an owner may use the operation with a grantee's access scope. */
export function takesAsUser(declared: Operation): boolean {
  return needsAccessScope(declared) && (declared.method === 'GET' || declared.asUser === true)
}

const AsUser = Type.String({
  description:
    'For the owner: reply as to this account, with which the sandbox is shared. The audit log records ' +
    `\`${READ_AS_EVENT}\`. 404 for an account that it is not shared with.`,
})

/** Returns the query parameters of an operation: declared and implied ones. */
export function queryOf(declared: Operation): TSchema | undefined {
  if (!takesAsUser(declared)) return declared.query
  const { properties = {} } = (declared.query ?? {}) as { properties?: Record<string, TSchema> }
  const { required = [] } = (declared.query ?? {}) as { required?: string[] }
  return { ...Type.Object({ ...properties, as_user: Type.Optional(AsUser) }), required } as TSchema
}

/** Returns true if an operation needs an access scope in a sandbox. */
export function needsAccessScope(declared: Operation): boolean {
  return declared.access === 'viewer' || declared.access === 'editor' || declared.access === 'owner'
}
