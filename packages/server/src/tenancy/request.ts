import type { Operation } from '@cairnstore/contract'
import type { IfMatch } from '../db/versions.ts'
import type { Caller } from './caller.ts'
import type { RequestKey } from './caller-keys/unlock.ts'
import type { KeyedRequest } from './idempotency/keyed-request.ts'

/** What a handler is told of its request beside the checked input. */
export interface Request {
  readonly caller: Caller
  readonly requestId: string
  /** Where it came from, as far as that can be believed. */
  readonly address: string
  readonly operation: Operation & { readonly id: string }
  /** The key that the request brought, when it means something to the sandbox. */
  readonly key: RequestKey | undefined
  /** The key that is to take its place. */
  readonly newKey: Buffer | undefined
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal
  /** The versions that a change is conditional on, when the caller named some. */
  readonly ifMatch: IfMatch | undefined
  /** The key under which the reply is kept for repeats, when the caller sent one, and whether that is done. */
  readonly keyed: { readonly request: KeyedRequest; isKept: boolean } | undefined
  /** The request's turn among those at work; one that only waits for somebody else's machine ends it early. */
  readonly turn: {
    end: () => void
    /** From here on the request only waits: what it holds for working is given back, and it still counts as at work. */
    rest: () => void
  }
  /** Aborted when the process is to end, so that a request that only waits is answered instead of cut off. */
  readonly stopping: AbortSignal
}
