import { MS_PER_DAY } from '@cairnstore/engine/text'
import { sql } from 'kysely'
import type { Planes } from '../store/planes.ts'
import { CUT_OFF, cutJob, PULL_JOB } from './inbox.ts'

/** Jobs dropped in one round. */
const DROP_ROWS_MAX = 5_000

/**
 * Drops jobs that ended long ago, the oldest first; those of which something is still kept to be applied stay. Replies
 * that are repeated for a day name jobs that ended within it.
 */
export async function dropJobs({
  sql: control,
  clock,
  jobsKeptDays,
}: Pick<Planes, 'sql' | 'clock' | 'jobsKeptDays'>): Promise<void> {
  const cutoff = new Date(clock.now().getTime() - jobsKeptDays * MS_PER_DAY)
  await control.transact({ worker: true }, (tx) =>
    sql`delete from job where ctid = any (array(
      select ctid from job j
      where created_at < ${cutoff} and completed_at < ${cutoff} and not exists (
        select from inbox i where i.user_id = j.user_id and i.sandbox_id = j.sandbox_id and i.job_id = j.id
      )
      order by created_at limit ${DROP_ROWS_MAX}
    ))`.execute(tx),
  )
}

/**
 * Ends the jobs whose delivery died with the process that received it, before this one receives anything. Who is not
 * known to be the only one names the dead process, and ends what that had accepted.
 */
export async function closeCutJobs(
  { sql: control, clock }: Pick<Planes, 'sql' | 'clock'>,
  deadOwnerId?: string,
): Promise<void> {
  const cut = await control.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('job')
      .select(['user_id', 'sandbox_id', 'id'])
      .where('status', 'in', ['queued', 'processing'])
      // A pull goes on where it was interrupted.
      .where('type', '!=', PULL_JOB)
      .where(sql<boolean>`result ->> 'open' = 'true'`)
      .$if(deadOwnerId !== undefined, (jobs) => jobs.where(sql<boolean>`result ->> 'accepted' = ${deadOwnerId}`))
      .execute(),
  )
  for (const { user_id: userId, sandbox_id: sandboxId, id } of cut) {
    await control.transact(userId, (tx) => cutJob(tx, { userId, sandboxId, id }, {}, CUT_OFF, clock.now()))
  }
}
