import type { Tier } from '@cairnstore/contract'
import { sql } from 'kysely'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { newId } from '../../base/id.ts'
import { CONSENT_FAILURES, PULL_FAILURES, type PullFailureReason } from '../../base/pull-failure.ts'
import { takesWork } from '../../base/role.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { closeJob, cutJob, openJob, PULL_JOB } from '../../ingest/inbox.ts'
import type { Planes } from '../../store/planes.ts'
import type { ContentSeal } from '../../tenancy/caller-keys/content-seal.ts'
import { readKeptKey } from '../../tenancy/caller-keys/kept-keys.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import type { PublicKey } from '../../tenancy/secrets/seal.ts'
import { nextSourceState } from '../../tenancy/sources/source-rows.ts'
import { PULLABLE } from '../connectors/connector-for.ts'
import { POLL_SECONDS_DEFAULT } from '../registry/store.ts'
import { backoffMs, type Chance, intervalMs, isDue, leaseEnd, READ_STATES } from './due.ts'

/** What reading sources needs of the planes. */
export type PullPlanes = Pick<Planes, 'sql' | 'clock' | 'cluster' | 'log' | 'observe' | 'ownerId' | 'room' | 'seals'>

/** The ids of a source. */
export interface SourceRef extends SandboxRef {
  sourceId: string
}

/** A pull under way: its source as it was when the pull began, its job, and the epoch that whatever it writes names. */
export interface PullRun extends SourceRef {
  readonly source: Row<'source'>
  readonly jobId: string
  readonly epoch: number
  /** How often a process died on this job. */
  readonly deaths: number
  readonly tier: Tier
  /** What the source's cursor is under, where its credential is under the caller's key. */
  readonly seal: ContentSeal | undefined
}

/**
 * The sources that are due, the longest waiting first: those that can be read here, where a process that takes no work
 * reads only what nobody else can, or those whose credential is under
 * a key that nobody holds here.
 */
export async function listDue(
  planes: Pick<PullPlanes, 'sql' | 'clock' | 'cluster' | 'seals'>,
  rowsMax: number,
  which: 'readable' | 'keyless',
): Promise<SourceRef[]> {
  const now = planes.clock.now()
  const held = planes.seals.sandboxIds()
  const rows = await planes.sql.transact({ worker: true }, (tx) =>
    dueSources(tx, now)
      .where((is) => {
        const isHeld = held.length > 0 ? is('sandbox_id', 'in', held) : is.lit(false)
        if (which === 'keyless') return is.and([is('credential_under_key', '=', true), is.not(isHeld)])
        return takesWork(planes.cluster.role) ? is.or([is('credential_under_key', '=', false), isHeld]) : isHeld
      })
      .orderBy(sql`next_poll_at nulls first`)
      .limit(rowsMax)
      .execute(),
  )
  return rows.map((row) => ({ userId: row.user_id, sandboxId: row.sandbox_id, sourceId: row.id }))
}

/** The sources that are due. */
export function dueSources(tx: Tx, now: Date) {
  return tx
    .selectFrom('source')
    .select(['user_id', 'sandbox_id', 'id'])
    .where((is) => isDue(is, now))
    .where(sql<string>`translate(lower(provider), '-.', '__')`, 'in', PULLABLE)
}

/** The source's row, by its key. */
export function updateSourceOf(tx: Tx, { userId, sandboxId, sourceId }: SourceRef) {
  return tx.updateTable('source').where(ofSandbox({ userId, sandboxId }, { id: sourceId }))
}

/**
 * Begins a pull of a source that is due, unless someone else has: takes its lease under a new epoch, and opens its job
 * or goes on with the one that waits. Undefined when it is not due any more, or its sandbox or account is not active.
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
      // Out of the way of those that can be read.
      const waitMs = (source.poll_interval_seconds ?? POLL_SECONDS_DEFAULT) * MS_PER_SECOND
      await updateSourceOf(tx, ref)
        .set({ next_poll_at: new Date(now.getTime() + waitMs) })
        .execute()
      return undefined
    }
    const sealTo = readKeptKey(sandbox.caller_key)?.publicKey
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
            // An owner that is still there never gave the source back.
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

/**
 * Gives up every lease, or every one of the owner, for a process that knows that it is the only one or that the owner
 * is dead: so it need not wait them out.
 */
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

/** How a pull ended. */
export type PullEnd =
  /** All there is was read. */
  | { outcome: 'done' }
  /** There is more, or the process stops: the same job goes on, after a while if there is a reason to wait. */
  | { outcome: 'unfinished'; waitMs?: number }
  | { outcome: 'failed'; reason: PullFailureReason; retryAfterMs?: number | undefined }

/** Failures in a row that put a source into error; one says nothing yet. */
const FAILURES_MAX = 3
/** Reasons that no repetition heals by itself. */
const LASTING: readonly PullFailureReason[] = [
  'misconfigured',
  'credential_missing',
  'credential_refused',
  ...CONSENT_FAILURES,
]
/** Being asked to wait is no fault of the source. */
const HARMLESS: readonly PullFailureReason[] = ['rate_limited']
const STOPPED = 'The source was paused or archived. What had been read until then is stored.'

/**
 * Writes down how a pull ended and when the next one is due. Whoever has lost the source in the meantime changes
 * nothing. A source that was paused on the way keeps its state, and its job says so.
 */
export async function endRun(planes: PullPlanes, run: PullRun, end: PullEnd, chance: Chance): Promise<void> {
  const now = planes.clock.now()
  const job = { userId: run.userId, sandboxId: run.sandboxId, id: run.jobId }
  await planes.sql.transact(run.userId, async (tx) => {
    const source = await tx
      .selectFrom('source')
      .select(['status', 'ingestion_mode', 'poll_interval_seconds', 'poll_failures', 'poll_since'])
      .where(ofSandbox(run, { id: run.sourceId }))
      .where('poll_epoch', '=', run.epoch)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (!source) return
    const free = { poll_owner: null, poll_until: null }
    const isRead = (READ_STATES as readonly string[]).includes(source.status)
    // Someone asked for more while this pull was at work: its job goes on from there.
    const isAskedMore = source.poll_since?.getTime() !== run.source.poll_since?.getTime() && source.poll_since !== null
    if (isRead && (end.outcome === 'unfinished' || (end.outcome === 'done' && isAskedMore))) {
      await updateSourceOf(tx, run)
        .set({ ...free, next_poll_at: later(now, end.outcome === 'unfinished' ? (end.waitMs ?? 0) : 0) })
        .execute()
      return
    }
    const ended = { ...free, poll_job_id: null, poll_since: null }
    const seconds = source.poll_interval_seconds ?? POLL_SECONDS_DEFAULT
    const regular = source.ingestion_mode === 'polling' ? later(now, intervalMs(seconds, chance)) : null
    if (!isRead || end.outcome === 'unfinished') {
      await cutJob(tx, job, {}, STOPPED, now)
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
  if (next === 'refused') throw new Error(`a source that is ${state} was read`)
  return next
}

/** Ends a job as failed; what it had stored is applied all the same. */
async function failJob(tx: Tx, job: { userId: string; sandboxId: string; id: string }, why: string, now: Date) {
  await closeJob(tx, job, {}, now)
  await tx
    .updateTable('job')
    .set({ status: 'failed', error_message: why, completed_at: now })
    .where(ofSandbox(job, { id: job.id }))
    .execute()
}
