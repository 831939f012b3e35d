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

/** Returns the caller's access scope in a sandbox, by default the primary one; undefined if it is not accessible. */
export type ReachOf = (caller: Caller, sandboxId: string | undefined) => Promise<Reach | undefined>

/** Services shared by all mounted operations. */
export interface Mounting {
  readonly app: HttpApp
  readonly authenticate: Authenticate
  readonly reachOf: ReachOf
  readonly metrics: Metrics
  readonly timeouts: InputTimeouts
  readonly turns: Readonly<Record<TurnClass, Turns>>
  readonly bodies: BodyRoom
  readonly shares: LoopShares
  /** Forwards requests to other processes; undefined if there are none. */
  readonly forwarding: Forwarding | undefined
  /** Aborted at shutdown. */
  readonly stopping: AbortSignal
  /** Called after an operation has changed a sandbox or one of its sources. */
  readonly changed: (sandboxId: string) => void
}

/** An operation with its id. */
export type NamedOperation = Operation & { readonly id: string }
