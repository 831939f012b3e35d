import type { featureOperations, mcpOperations, Operation } from '@cairnstore/contract'
import type { IfMatch } from '../db/versions.ts'
import type { Caller } from './caller.ts'
import type { RequestKey } from './caller-keys/caller-key.ts'
import type { InputOf, ReplyOf, Wait } from './handler.ts'
import type { IdempotencyContext } from './idempotency/keyed-request.ts'

/** Request context of a handler, in addition to the validated input. */
export interface Request extends IdempotencyContext {
  readonly caller: Caller
  /** True if an owner uses a grantee's access scope. `caller` is then the grantee. */
  readonly isAsUser: boolean
  readonly requestId: string
  /** Client address: of the connection, or as given by a trusted proxy. */
  readonly address: string
  /** The raw `Cookie` header, for sign-in and sign-out. */
  readonly cookie: string | undefined
  /** The `Origin` header. Browsers send it with every request that is not a GET. */
  readonly origin: string | undefined
  /** The `Sec-Fetch-Site` header: the relation of the page that started the request to this service. */
  readonly fetchSite: string | undefined
  /** The request's customer-managed key; undefined if the sandbox does not use it. */
  readonly key: RequestKey | undefined
  /** The new key in a request to change the sandbox's key. */
  readonly newKey: Buffer | undefined
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Versions in `If-Match`, if sent. */
  readonly ifMatch: IfMatch | undefined
  /** The request's scheduler slot. A request that only waits for a remote machine releases it early. */
  readonly slot: {
    end: () => void
    /** Marks the request as only waiting: it gives up its CPU share but still counts as running. */
    rest: () => void
  }
  /** Aborted at shutdown, so that a waiting request gets a response before the connection closes. */
  readonly stopping: AbortSignal
}

/** Input of a call to another operation. Everything else comes from the current request. */
export interface CallInput {
  /** Path parameters other than the sandbox id. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  /** Time to wait for background work. */
  readonly wait?: Wait
}

type Callable = Omit<typeof featureOperations, keyof typeof mcpOperations>
type CallInputOf<O extends Operation> = CallInput & {
  readonly body?: InputOf<O>['body']
  readonly query?: Partial<NonNullable<InputOf<O>['query']>>
}

/**
 * Calls another operation as the caller of this request, in the same sandbox. That operation's role, limits,
 * validation, scheduler slot and audit event apply. Returns its response and throws its faults.
 */
export type CallOperation = <K extends keyof Callable>(
  id: K,
  given: CallInputOf<Callable[K]>,
) => Promise<ReplyOf<Callable[K]>>

/** Request context of an operation that is declared to call others. */
export interface CallingRequest extends Request {
  /** Calls other operations. */
  readonly call: CallOperation
}
