import type { Tier } from '@cairnstore/contract'
import { sql } from 'kysely'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { newId } from '../../base/id.ts'
import { CONSENT_FAILURES, PULL_FAILURES, type PullFailureReason } from '../../base/pull-failure.ts'
import { takesWork } from '../../base/role.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { closeJob, interruptJob, openJob, PULL_JOB } from '../../ingest/inbox.ts'
import type { Planes } from '../../store/planes.ts'
import type { ContentCipher } from '../../tenancy/caller-keys/content-cipher.ts'
import { readStoredKey } from '../../tenancy/caller-keys/retained-keys.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import type { PublicKey } from '../../tenancy/secrets/encrypt.ts'
import { nextSourceState } from '../../tenancy/sources/source-rows.ts'
import { PULLABLE } from '../connectors/connector-for.ts'
import { POLL_SECONDS_DEFAULT } from '../registry/store.ts'
import { backoffMs, intervalMs, isDue, leaseEnd, type RandomSource, READ_STATES } from './due.ts'

/** Dependencies for polling sources. */
export type PullPlanes = Pick<
  Planes,
  'sql' | 'clock' | 'cluster' | 'log' | 'observe' | 'ownerId' | 'diskSpace' | 'seals'
>

export interface SourceRef extends SandboxRef {
  sourceId: string
}

/** A pull in progress: its source as of the start, its job, and the epoch under which it writes (fencing token). */
export interface PullRun extends SourceRef {
  readonly source: Row<'source'>
  readonly jobId: string
  readonly epoch: number
  /** Number of processes that died during this job. */
  readonly deaths: number
  readonly tier: Tier
  /** Key of the cursor, if the source's credential is encrypted with the customer-managed key. */
  readonly seal: ContentCipher | undefined
}

/**
 * Returns the due sources, the longest waiting first. With `readable`, returns those that this process can poll. A
 * process without background work polls only sources whose key it has in memory. With `keyless`, returns those whose
 * credential needs a key that this process does not have.
 */
export async function listDue(
  planes: Pick<PullPlanes, 'sql' | 'clock' | 'cluster' | 'seals'>,
  rowsMax: number,
  which: 'readable' | 'keyless',
): Promise<SourceRef[]> {
  const now = planes.clock.now()
  const withKey = planes.seals.sandboxIds()
  const rows = await planes.sql.transact({ worker: true }, (tx) =>
    dueSources(tx, now)
      .where((is) => {
        const hasKey = withKey.length > 0 ? is('sandbox_id', 'in', withKey) : is.lit(false)
        if (which === 'keyless') return is.and([is('credential_under_key', '=', true), is.not(hasKey)])
        return takesWork(planes.cluster.role) ? is.or([is('credential_under_key', '=', false), hasKey]) : hasKey
      })
      .orderBy(sql`next_poll_at nulls first`)
      .limit(rowsMax)
      .execute(),
  )
  return rows.map((row) => ({ userId: row.user_id, sandboxId: row.sandbox_id, sourceId: row.id }))
}

/** Returns a query for the due sources. */
export function dueSources(tx: Tx, now: Date) {
  return tx
    .selectFrom('source')
    .select(['user_id', 'sandbox_id', 'id'])
    .where((is) => isDue(is, now))
    .where(sql<string>`translate(lower(provider), '-.', '__')`, 'in', PULLABLE)
}

/** Returns an update statement for the source's row. */
export function updateSourceOf(tx: Tx, { userId, sandboxId, sourceId }: SourceRef) {
  return tx.updateTable('source').where(ofSandbox({ userId, sandboxId }, { id: sourceId }))
}

/**
 * Starts a pull of a due source unless another process has done so. Takes its lease under a new epoch, and opens a job
 * or continues the waiting one. Returns undefined if the source is not due or its sandbox or account is not active.
 */
export async function takeRun(planes: PullPlanes, ref: SourceRef): Promise<PullRun | undefined> {
  const now = planes.clock.now()
  return planes.sql.transact(ref.userId, async (tx) => {
    const source = await lockDue(tx, ref, now)
    if (!source) return undefined
    const sandbox = await tx
      .selectFrom('sandbox')
      .innerJoin('account', 'account.user_id', 'sandbox.user_id')
      .select(['sandbox.status', 'sandbox.tier', 'sandbox.caller_key', 'account.status as accountStatus'])
      .where('sandbox.user_id', '=', ref.userId)
      .where('sandbox.id', '=', ref.sandboxId)
      .executeTakeFirst()
    if (sandbox?.status !== 'active' || sandbox.accountStatus !== 'active') {
      // Deferred, so that it does not delay active sources.
      const waitMs = (source.poll_interval_seconds ?? POLL_SECONDS_DEFAULT) * MS_PER_SECOND
      await updateSourceOf(tx, ref)
        .set({ next_poll_at: new Date(now.getTime() + waitMs) })
        .execute()
      return undefined
    }
    const sealTo = readStoredKey(sandbox.caller_key)?.publicKey
    const { jobId, deaths } = await jobFor(planes, tx, { ...ref, sealTo }, source)
    const epoch = source.poll_epoch + 1
    const lease = { poll_owner: planes.ownerId, poll_epoch: epoch, poll_until: leaseEnd(now), poll_job_id: jobId }
    await updateSourceOf(tx, ref).set(lease).execute()
    const seal = source.credential_under_key ? planes.seals.findAny(ref.sandboxId) : undefined
    return { ...ref, source, jobId, epoch, deaths, tier: sandbox.tier, seal }
  })
}

async function lockDue(tx: Tx, ref: SourceRef, now: Date): Promise<Row<'source'> | undefined> {
  return tx
    .selectFrom('source')
    .selectAll()
    .where(ofSandbox(ref, { id: ref.sourceId }))
    .where((is) => isDue(is, now))
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()
}

async function jobFor(
  planes: PullPlanes,
  tx: Tx,
  ref: SourceRef & { sealTo: PublicKey | undefined },
  source: Row<'source'>,
) {
  const now = planes.clock.now()
  const waiting =
    source.poll_job_id === null
      ? undefined
      : await tx
          .updateTable('job')
          .set((is) => ({
            status: 'processing',
            started_at: is.fn.coalesce('started_at', is.val(now)),
            ...(source.credential_under_key && { error_message: null }),
            // An owner that is still set never released the source: its process died.
            retry_count: source.poll_owner === null ? is.ref('retry_count') : is('retry_count', '+', 1),
          }))
          .where(ofSandbox(ref, { id: source.poll_job_id }))
          .where('status', 'in', ['queued', 'processing'])
          .returning(['id', 'retry_count'])
          .executeTakeFirst()
  if (waiting) return { jobId: waiting.id, deaths: waiting.retry_count }
  const jobId = newId('job', planes.clock)
  await openJob(tx, { ...ref, id: jobId, type: PULL_JOB, createdAt: now })
  await tx
    .updateTable('job')
    .set({ status: 'processing', started_at: now })
    .where(ofSandbox(ref, { id: jobId }))
    .execute()
  return { jobId, deaths: 0 }
}

/** Clears the poll leases of a dead process. Without `owner`, clears all leases. */
export async function clearPollLeases({ sql: control }: Pick<Planes, 'sql'>, owner?: string): Promise<void> {
  const left = await control.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('source')
      .select(['user_id', 'sandbox_id', 'id'])
      .where('poll_until', 'is not', null)
      .where((is) => (owner === undefined ? is.lit(true) : is('poll_owner', '=', owner)))
      .where((is) => is.or([is('ingestion_mode', '=', 'polling'), is('poll_job_id', 'is not', null)]))
      .execute(),
  )
  for (const { user_id: userId, sandbox_id: sandboxId, id: sourceId } of left) {
    const ref = { userId, sandboxId, sourceId }
    await control.transact(userId, (tx) => updateSourceOf(tx, ref).set({ poll_until: null }).execute())
  }
}

export type PullEnd =
  /** Everything was read. */
  | { outcome: 'done' }
  /** There is more to read, or the process stops. The same job continues, after `waitMs` if it is set. */
  | { outcome: 'unfinished'; waitMs?: number }
  | { outcome: 'failed'; reason: PullFailureReason; retryAfterMs?: number | undefined }

/** Consecutive failures after which a source gets the status `error`. A single failure may be temporary. */
const FAILURES_MAX = 3
/** Reasons that retries cannot fix. */
const LASTING: readonly PullFailureReason[] = [
  'misconfigured',
  'credential_missing',
  'credential_refused',
  ...CONSENT_FAILURES,
]
/** Reasons that are not the source's fault. */
const HARMLESS: readonly PullFailureReason[] = ['rate_limited']
const STOPPED = 'The source was paused or archived. Records read before that are stored.'

/** Records the result of a pull and the next due time, unless the lease was lost. A paused source stays paused. */
export async function endRun(planes: PullPlanes, run: PullRun, end: PullEnd, chance: RandomSource): Promise<void> {
  const now = planes.clock.now()
  const job = { userId: run.userId, sandboxId: run.sandboxId, id: run.jobId }
  await planes.sql.transact(run.userId, async (tx) => {
    const source = await tx
      .selectFrom('source')
      .select(['status', 'ingestion_mode', 'poll_interval_seconds', 'poll_failures', 'poll_since'])
      .where(ofSandbox(run, { id: run.sourceId, poll_epoch: run.epoch }))
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (!source) return
    const free = { poll_owner: null, poll_until: null }
    const isRead = (READ_STATES as readonly string[]).includes(source.status)
    // If another `since` was requested during this pull, the job continues from there.
    const isRequeued = source.poll_since?.getTime() !== run.source.poll_since?.getTime() && source.poll_since !== null
    if (isRead && (end.outcome === 'unfinished' || (end.outcome === 'done' && isRequeued))) {
      await updateSourceOf(tx, run)
        .set({ ...free, next_poll_at: later(now, end.outcome === 'unfinished' ? (end.waitMs ?? 0) : 0) })
        .execute()
      return
    }
    const ended = { ...free, poll_job_id: null, poll_since: null }
    const seconds = source.poll_interval_seconds ?? POLL_SECONDS_DEFAULT
    const regular = source.ingestion_mode === 'polling' ? later(now, intervalMs(seconds, chance)) : null
    if (!isRead || end.outcome === 'unfinished') {
      await interruptJob(tx, job, {}, STOPPED, now)
      await updateSourceOf(tx, run)
        .set({ ...ended, next_poll_at: regular })
        .execute()
    } else if (end.outcome === 'done') {
      await closeJob(tx, job, {}, now)
      const healed = { poll_failures: 0, last_error: null, status: stateAfter(source.status, 'health_passed') }
      await updateSourceOf(tx, run)
        .set({ ...ended, ...healed, next_poll_at: regular })
        .execute()
    } else {
      const failures = source.poll_failures + (HARMLESS.includes(end.reason) ? 0 : 1)
      const isBroken = LASTING.includes(end.reason) || failures >= FAILURES_MAX
      const again = later(now, backoffMs(source.poll_failures + 1, end.retryAfterMs, chance))
      await failJob(tx, job, PULL_FAILURES[end.reason], now)
      await updateSourceOf(tx, run)
        .set({
          ...ended,
          poll_failures: failures,
          last_error: end.reason,
          next_poll_at: regular && again,
          ...(isBroken && { status: stateAfter(source.status, 'health_failed') }),
        })
        .execute()
    }
  })
}

function later(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms)
}

function stateAfter(state: (typeof READ_STATES)[number] | string, event: 'health_passed' | 'health_failed') {
  const next = nextSourceState(state as (typeof READ_STATES)[number], event)
  if (next === 'refused') throw new Error(`a source in state ${state} was polled`)
  return next
}

/** Ends a job as failed. The records that it has stored are still applied. */
async function failJob(tx: Tx, job: { userId: string; sandboxId: string; id: string }, why: string, now: Date) {
  await closeJob(tx, job, {}, now)
  await tx
    .updateTable('job')
    .set({ status: 'failed', error_message: why, completed_at: now })
    .where(ofSandbox(job, { id: job.id }))
    .execute()
}
