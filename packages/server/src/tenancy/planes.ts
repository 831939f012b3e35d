import type { Clock } from '../base/clock.ts'
import type { Cursors } from '../base/cursor.ts'
import type { Log } from '../base/log.ts'
import type { TierLimits } from '../config/limits.ts'
import type { Sql } from '../db/open.ts'
import type { HeldSeals } from './caller-keys/held-seals.ts'
import type { DiskRoom } from './limits/disk-room.ts'
import type { SecretStore } from './secrets/secret-store.ts'

/** The control plane and what work on it needs; opened once and closed with the program. */
export interface Planes {
  readonly clock: Clock
  readonly log: Log
  readonly sql: Sql
  readonly cursors: Cursors
  readonly secrets: SecretStore
  /** The callers' keys that requests and jobs hold at the moment. */
  readonly seals: HeldSeals
  readonly limits: TierLimits
  readonly room: DiskRoom
  /** Base of the addresses that are given out, without a trailing slash. */
  readonly publicUrl: string
  /** An ephemeral source is archived after so many hours without a call. */
  readonly ephemeralIdleHours: number
  /** Tells this process's leases from those of others. */
  readonly ownerId: string
}
