import type { Operation } from '@cairnstore/contract'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import type { Caller } from '../tenancy/caller.ts'
import type { Authenticate } from './authenticate.ts'
import type { BodyResources } from './body-quota.ts'
import type { HttpApp } from './context.ts'
import type { LoopShares } from './event-loop.ts'
import type { Forwarding } from './forwarding.ts'
import type { InputTimeouts } from './input.ts'
import type { Metrics } from './metrics.ts'
import type { SlotClass, SlotQueue } from './slot-queue.ts'

/** Returns the caller's access scope in a sandbox, by default the primary one. Undefined without access. */
export type FindAccess = (caller: Caller, sandboxId: string | undefined) => Promise<AccessScope | undefined>

/** Services shared by all mounted operations. */
export interface Mounting {
  readonly app: HttpApp
  readonly authenticate: Authenticate
  readonly accessOf: FindAccess
  readonly metrics: Metrics
  readonly timeouts: InputTimeouts
  readonly slots: Readonly<Record<SlotClass, SlotQueue>>
  readonly bodies: BodyResources
  readonly shares: LoopShares
  /** Forwards requests to other processes; undefined if there are none. */
  readonly forwarding: Forwarding | undefined
  /** Aborted when the service shuts down. */
  readonly stopping: AbortSignal
  /** Called after an operation has changed a sandbox or one of its sources. */
  readonly changed: (sandboxId: string) => void
}

export type NamedOperation = Operation & { readonly id: string }
