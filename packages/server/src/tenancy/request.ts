import type { featureOperations, mcpOperations, Operation } from '@cairnstore/contract'
import type { IfMatch } from '../db/versions.ts'
import type { Caller } from './caller.ts'
import type { RequestKey } from './caller-keys/caller-key.ts'
import type { InputOf, ReplyOf, Wait } from './handler.ts'
import type { Keeping } from './idempotency/keyed-request.ts'

/** What a handler is told of its request beside the checked input. */
export interface Request extends Keeping {
  readonly caller: Caller
  /** True if an owner asks with the access scope of the caller. */
  readonly isAsUser: boolean
  readonly requestId: string
  /** The address that it came from: the connection's, or the one that a trusted proxy names. */
  readonly address: string
  /** The `Cookie` header as it came; for what signs browsers in and out. */
  readonly cookie: string | undefined
  /** The key that the request brought, when it means something to the sandbox. */
  readonly key: RequestKey | undefined
  /** The key that is to take its place. */
  readonly newKey: Buffer | undefined
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal
  /** The versions that a change is conditional on, when the caller named some. */
  readonly ifMatch: IfMatch | undefined
  /** The request's turn among those at work; one that only waits for somebody else's machine ends it early. */
  readonly turn: {
    end: () => void
    /** From here on the request only waits: what it holds for working is given back, and it still counts as at work. */
    rest: () => void
  }
  /** Aborted when the process is to end, so that a request that only waits is answered instead of cut off. */
  readonly stopping: AbortSignal
}

/** What an operation is called with: its input without what the request has anyway. */
export interface CallInput {
  /** Path parameters beside the sandbox's id. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  /** How long to wait for background work. */
  readonly wait?: Wait
}

type Callable = Omit<typeof featureOperations, keyof typeof mcpOperations>
type CallInputOf<O extends Operation> = CallInput & {
  readonly body?: InputOf<O>['body']
  readonly query?: Partial<NonNullable<InputOf<O>['query']>>
}

/**
 * Calls another operation as the caller of this request, in its sandbox, by that operation's role, limits, rules, turn
 * and audit event; gives what it replies. Throws its faults.
 */
export type CallOperation = <K extends keyof Callable>(
  id: K,
  given: CallInputOf<Callable[K]>,
) => Promise<ReplyOf<Callable[K]>>

/** A request of an operation that is declared to call others. */
export interface CallingRequest extends Request {
  /** The way to other operations. */
  readonly call: CallOperation
}
