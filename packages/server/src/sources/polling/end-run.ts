import { PULL_FAILURES, type PullFailureReason } from '../../base/pull-failure.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import { closeJob, cutJob } from '../../ingest/inbox.ts'
import { nextSourceState } from '../../tenancy/sources/source-states.ts'
import { POLL_SECONDS_DEFAULT } from '../registry/store.ts'
import { backoffMs, type Chance, intervalMs } from './backoff.ts'
import { READ_STATES } from './due.ts'
import { type PullPlanes, type PullRun, updateSourceOf } from './pull-run.ts'

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
const LASTING: readonly PullFailureReason[] = ['misconfigured', 'credential_missing', 'credential_refused']
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
