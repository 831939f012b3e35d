import { sql } from 'kysely'
import type { Planes } from '../store/planes.ts'
import { CUT_OFF, cutJob, PULL_JOB } from './inbox.ts'

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
