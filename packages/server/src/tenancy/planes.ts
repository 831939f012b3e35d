import type { Clock } from '../base/clock.ts'
import type { Cursors } from '../base/cursor.ts'
import type { DiskRoom } from '../base/disk-room.ts'
import type { Log } from '../base/log.ts'
import type { Observe } from '../base/observe.ts'
import type { TierLimits } from '../config/limits.ts'
import type { Announcements } from '../db/announcements.ts'
import type { Lookout } from '../db/lookout.ts'
import type { Sql } from '../db/open.ts'
import type { HeldSeals } from './caller-keys/kept-keys.ts'
import type { SecretStore } from './secrets/secret-store.ts'

/** The control plane and what work on it needs; opened once and closed with the program. */
export interface Planes {
  readonly clock: Clock
  readonly log: Log
  /** Measures pieces of work. */
  readonly observe: Observe
  readonly sql: Sql
  /** Looks for work of this process's workers. */
  readonly lookout: Lookout
  /** What the processes that share the database tell each other. */
  readonly announcements: Announcements
  readonly cursors: Cursors
  readonly secrets: SecretStore
  /** The callers' keys that requests and jobs hold at the moment. */
  readonly seals: HeldSeals
  readonly limits: TierLimits
  readonly room: DiskRoom
  /** Base of the addresses that are given out, without a trailing slash. */
  readonly publicUrl: string
  /** Hours without a call after which an ephemeral source is archived. */
  readonly ephemeralIdleHours: number
  /** How long a job is kept after its end. */
  readonly jobsKeptDays: number
  /** Days for which an answer is stored; 0 stores none. */
  readonly answerDays: number
  /** Tokens that the language model may use for an account in a day; null: any number. */
  readonly modelDailyTokens: number | null
  /** How many whole months of the audit log are kept; null: all. */
  readonly auditKeptMonths: number | null
  /** Backups so old are restored: so long it is kept what was erased. */
  readonly restorableDays: number
  /** Tells this process's leases from those of others. */
  readonly ownerId: string
  /** How long those last unless renewed. */
  readonly leaseSeconds: number
}
