import type { Clock } from '../base/clock.ts'
import type { Cursors } from '../base/cursor.ts'
import type { DiskSpaceGuard } from '../base/disk-space-guard.ts'
import type { Log } from '../base/log.ts'
import type { Observe } from '../base/observe.ts'
import type { TierLimits } from '../config/limits.ts'
import type { Notifications } from '../db/notifications.ts'
import type { Sql } from '../db/open.ts'
import type { WorkPoller } from '../db/work-poller.ts'
import type { HeldKeys } from './caller-keys/retained-keys.ts'
import type { SecretStore } from './secrets/secret-store.ts'

/** The control plane and its services; opened once and closed with the process. */
export interface Planes {
  readonly clock: Clock
  readonly log: Log
  /** Records the duration of operations. */
  readonly observe: Observe
  readonly sql: Sql
  /** Polls for work of this process's workers. */
  readonly workPoller: WorkPoller
  /** Publish/subscribe notifications between the processes that share the database. */
  readonly notifications: Notifications
  readonly cursors: Cursors
  readonly secrets: SecretStore
  /** Customer-managed keys in use by requests and jobs. */
  readonly seals: HeldKeys
  readonly limits: TierLimits
  readonly diskSpace: DiskSpaceGuard
  /** Public base URL, without a trailing slash. */
  readonly publicUrl: string
  /** Hours without a call after which an ephemeral source is archived. */
  readonly ephemeralIdleHours: number
  /** Days for which a finished job is stored. */
  readonly jobRetentionDays: number
  /** Days for which an answer is stored; 0 stores none. */
  readonly answerDays: number
  /** Maximum size of a file whose original is stored, in bytes; 0 stores none. */
  readonly originalBytesMax: number
  /** Daily language model tokens per account; null is unlimited. */
  readonly modelDailyTokens: number | null
  /** Whole months for which audit events are stored; null is without limit. */
  readonly auditRetentionMonths: number | null
  /** Maximum age of a restorable backup, in days. Erasure records are stored as long. */
  readonly restorableDays: number
  /** Owner id of this process's leases. */
  readonly ownerId: string
  /** Seconds until an unrenewed lease expires. */
  readonly leaseSeconds: number
}
