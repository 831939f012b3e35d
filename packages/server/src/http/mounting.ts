import type { Operation } from '@cairnstore/contract'
import type { Caller } from '../tenancy/caller.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { Authenticate } from './authenticate.ts'
import type { BodyRoom } from './body-budget.ts'
import type { HttpApp } from './context.ts'
import type { LoopShares } from './event-loop.ts'
import type { Forwarding } from './forwarding.ts'
import type { InputTimeouts } from './input.ts'
import type { Metrics } from './metrics.ts'
import type { TurnClass, Turns } from './turns.ts'

/** Finds what a caller may do in a sandbox, in its primary one when none is named; nothing when it cannot reach it. */
export type ReachOf = (caller: Caller, sandboxId: string | undefined) => Promise<Reach | undefined>

/** What every mounted operation uses. */
export interface Mounting {
  readonly app: HttpApp
  readonly authenticate: Authenticate
  readonly reachOf: ReachOf
  readonly metrics: Metrics
  readonly timeouts: InputTimeouts
  readonly turns: Readonly<Record<TurnClass, Turns>>
  readonly bodies: BodyRoom
  readonly shares: LoopShares
  /** Sends requests on to other processes; none where there is no other. */
  readonly forwarding: Forwarding | undefined
  /** Aborted when the process is to end. */
  readonly stopping: AbortSignal
  /** Told when an operation has changed a sandbox, or a source in it. */
  readonly changed: (sandboxId: string) => void
}

/** An operation with its id. */
export type NamedOperation = Operation & { readonly id: string }
