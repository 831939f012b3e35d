import type { FaultName } from './fault.ts'
import { encryptionHeaders, type TSchema, Type } from './schema.ts'

/**
 * What a caller must be to use an operation; the three roles are roles on the sandbox it names. `admin` is the
 * operator, whose key opens nothing else, `sender` whoever has the secret of the source that is delivered to.
 */
export type Access = 'public' | 'account' | 'viewer' | 'editor' | 'owner' | 'admin' | 'sender'

/** The audit event of an operation, or why it has none. */
export type Audit = { event: string } | { none: string }

/** What a client may do when the outcome is unknown: repeat freely, repeat with a key, or ask first. */
export type Retry = 'safe' | 'keyed' | 'ask'

/**
 * What an operation has to do with a sandbox's content, and so with a caller-held key: `writes` may put an empty
 * sandbox under one, `reads` needs the sandbox's, `mentions` shows without it what is not content, `credentials` keeps
 * or uses one, which is content where the sandbox is under a key, and goes on without it otherwise.
 */
export type ContentUse = 'writes' | 'reads' | 'mentions' | 'credentials'

/** A reply that is sent in parts: server-sent events, or one JSON value a line. */
export type StreamType = 'text/event-stream' | 'application/x-ndjson'

/** The forms of body that an operation takes: JSON, beside it NDJSON and files, or any bytes at all. */
export interface BodyTaken {
  /** The schema of a JSON body. */
  readonly json?: TSchema
  /** What the document shows in place of `json`, when items of it are checked one by one later. */
  readonly shown?: TSchema
  /** An example of the JSON, for the document. */
  readonly example?: unknown
  /** The largest JSON body in bytes; 1 MiB when omitted. */
  readonly bytesMax?: number
  /** A broken rule of the JSON is 400 in the shape of the outcome, as the specification has it for these operations. */
  readonly refusal?: 'outcome'
  /** The schema of one line when the body may also come as NDJSON. */
  readonly ndjson?: TSchema
  /** Media types of other bodies that are handed on as they come, piece by piece. */
  readonly files?: readonly string[]
  /** The body is handed on unread, in whatever form it comes: the operation decides what it takes. */
  readonly bytes?: true
}

/** The forms of a success: JSON, text, or parts. */
export interface ReplyGiven {
  /** The schema of a JSON reply; fields that it does not declare never leave. */
  readonly json?: TSchema
  /** The JSON was written before, and is sent as it is. */
  readonly isWritten?: true
  /** The media type of a reply of text. */
  readonly text?: string
  /** The type of a reply in parts: what is sent when the caller accepts it, or always when there is no `json`. */
  readonly stream?: StreamType
  /** The path of the created thing, filled from the reply and the path's parameters, for `Location`. */
  readonly location?: string
  /** What a failure that the body's own protocol tells has instead of `Error`: 400 or 404. */
  readonly failure?: TSchema
  /** Another status of success, and its JSON when that has another schema. */
  readonly otherwise?: { readonly status: 200 | 202 | 204 | 302 | 304; readonly json?: TSchema; readonly when: string }
}

/** One operation of the API, as everything that serves, calls, documents or tests it needs to know it. */
export interface Operation {
  /** The operation's id. Where it is omitted, its name in the object that exports it is the id. */
  readonly id?: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path, with parameters as `:name`. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Without `sandbox_id` in the path, a role is a role on the caller's primary sandbox. */
  readonly access: Access
  /**
   * The least role of a member of the account who may use it, for an operation with access `account`. Omitted: every
   * member may use a GET, and owners and admins anything else.
   */
  readonly member?: 'owner' | 'admin' | 'member' | 'viewer'
  /** Whether a connection's key opens it although it is outside sandboxes. */
  readonly forConnectionKeys?: true
  readonly audit: Audit
  readonly retry: Retry
  /** What of the sandbox's limits by the minute a request uses: one question, one read, or the records it brings. */
  readonly rated?: 'queries' | 'reads' | 'records'
  /** An owner may ask it with the reach of a grantee, as every `GET` in a sandbox. */
  readonly asUser?: true
  /** What it has to do with the sandbox's content; nothing when omitted. */
  readonly content?: ContentUse
  /** The reply carries the resource's version as `ETag`, and a change can be made conditional on it by `If-Match`. */
  readonly versioned?: true
  readonly params?: TSchema
  readonly query?: TSchema
  /** The request headers that mean something here, by their names in lower case. */
  readonly headers?: TSchema
  /** The body that it takes; none when omitted. */
  readonly body?: BodyTaken
  /** The status of a success. */
  readonly status: 200 | 201 | 202 | 204
  /** What a success says; nothing when omitted. */
  readonly reply?: ReplyGiven
  /** It calls other operations as its caller, each of which keeps its own role, limits, turn and audit event. */
  readonly calls?: true
  /** The faults of its own; those that any operation of its access can have are added from `commonFaults`. */
  readonly faults: readonly FaultName[]
}

/** A set of operations by id. */
export type Operations = Readonly<Record<string, Operation>>

/** The limit of a JSON body where an operation names none, in bytes. */
export const BODY_BYTES_MAX = 1024 * 1024

/** The limit of a JSON body that carries content, in bytes. */
export const CONTENT_BYTES_MAX = 16 * 1024 * 1024

/** The limit of one line of NDJSON, in bytes. */
export const LINE_BYTES_MAX = 1024 * 1024

/** Declares an operation, keeping the exact types of its parts. */
export function operation<const O extends Operation>(declared: O): O {
  return declared
}

/** What operations that read have in common; what one does otherwise it says after them. */
export const READ = { method: 'GET', audit: { none: 'reads' }, retry: 'safe', status: 200 } as const

/** What operations have in common that a repeat leaves as they were. Each says its own audit event. */
export const CHANGE = { method: 'POST', retry: 'safe', status: 200 } as const

/** What operations have in common that make something, which a repeat would make again. */
export const CREATE = { method: 'POST', retry: 'keyed', status: 201 } as const

/** What operations have in common that take content in. */
export const INGEST = {
  ...CREATE,
  status: 202,
  access: 'editor',
  rated: 'records',
  content: 'writes',
} as const

/** The faults that an operation can have by what it takes, on top of those it declares. */
export function commonFaults(declared: Operation): FaultName[] {
  const faults: FaultName[] = ['bad_request', 'uri_too_long', 'headers_too_large']
  if (declared.access !== 'public') faults.push('unauthorized')
  if (declared.access !== 'public' && declared.access !== 'sender') faults.push('rate_limited')
  if (declared.access === 'admin') faults.push('forbidden')
  if (declared.access === 'account' && !declared.forConnectionKeys) faults.push('connection_key_limits')
  if (needsReach(declared) || declared.access === 'account') {
    faults.push('insufficient_scope')
    if (declared.method !== 'GET' && !declared.calls) faults.push('csrf')
  }
  if (memberRoleOf(declared) !== 'viewer') faults.push('member_role')
  if (needsReach(declared)) faults.push('not_found')
  if ((needsReach(declared) && declared.access !== 'viewer') || takesAsUser(declared)) faults.push('forbidden')
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
  if (needsReach(declared)) faults.push('storage_unavailable')
  if (declared.rated === 'records' || declared.access === 'sender') faults.push('disk_full')
  return faults
}

/** Returns the least role of a member that may use an operation with access `account`. */
export function memberRoleOf({ access, member, method }: Operation): NonNullable<Operation['member']> {
  if (access !== 'account') return 'viewer'
  return member ?? (method === 'GET' ? 'viewer' : 'admin')
}

/** Whether a change can be made conditional on the resource's version. */
export function takesIfMatch({ versioned, method }: Operation): boolean {
  return versioned === true && (method === 'PATCH' || method === 'DELETE')
}

const IdempotencyKey = Type.String({
  description:
    'At most 255 visible ASCII characters, yours to choose. A repeat with the same body and query within 24 hours ' +
    'gets the first reply, without its one-time secrets and with `Idempotent-Replayed: true`.',
  examples: ['6f1f1f0e-2b7b-4f0e-9a3e-2f5d8c1b9a10'],
})
const IfMatch = Type.String({
  description: 'The `ETag` that you saw: the change is made only to that version. `*` is any.',
  examples: ['"3"'],
})

/** The request headers that mean something to an operation: those that it declares, and those of its kind. */
export function headersOf(declared: Operation): Record<string, TSchema> {
  const { properties = {} } = (declared.headers ?? {}) as { properties?: Record<string, TSchema> }
  return {
    ...properties,
    ...(declared.content && encryptionHeaders),
    ...(declared.retry === 'keyed' && { 'idempotency-key': IdempotencyKey }),
    ...(takesIfMatch(declared) && { 'if-match': IfMatch }),
  }
}

/** The audit event of a request that an owner made with the reach of a grantee. */
export const READ_AS_EVENT = 'sandbox.read_as'

/** Whether an owner may ask an operation with the reach of a grantee: what reads in a sandbox. */
export function takesAsUser(declared: Operation): boolean {
  return needsReach(declared) && (declared.method === 'GET' || declared.asUser === true)
}

const AsUser = Type.String({
  description:
    'For the owner: what this account, which the sandbox is shared with, would be answered. The audit log says ' +
    `\`${READ_AS_EVENT}\`. 404 for an account that it is not shared with.`,
})

/** The query parameters that mean something to an operation: those that it declares, and those of its kind. */
export function queryOf(declared: Operation): TSchema | undefined {
  if (!takesAsUser(declared)) return declared.query
  const { properties = {} } = (declared.query ?? {}) as { properties?: Record<string, TSchema> }
  const { required = [] } = (declared.query ?? {}) as { required?: string[] }
  return { ...Type.Object({ ...properties, as_user: Type.Optional(AsUser) }), required } as TSchema
}

/** Whether an operation is inside a sandbox, so that the caller's reach decides. */
export function needsReach(declared: Operation): boolean {
  return declared.access === 'viewer' || declared.access === 'editor' || declared.access === 'owner'
}
