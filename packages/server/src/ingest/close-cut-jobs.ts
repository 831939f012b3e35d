import { sql } from 'kysely'
import type { Planes } from '../store/planes.ts'
import { cutJob, PULL_JOB } from './inbox.ts'

const CUT_OFF = 'The delivery was cut off before its end. What had arrived until then is stored; send the rest.'

/**
 * Ends the jobs whose delivery died with the process that received it. Only for a process that knows that it is the
 * only one, and before it receives anything.
 */
export async function closeCutJobs({ sql: control, clock }: Pick<Planes, 'sql' | 'clock'>): Promise<void> {
  const cut = await control.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('job')
      .select(['user_id', 'sandbox_id', 'id'])
      .where('status', 'in', ['queued', 'processing'])
      // A pull goes on where it was interrupted.
      .where('type', '!=', PULL_JOB)
      .where(sql<boolean>`result ->> 'open' = 'true'`)
      .execute(),
  )
  for (const { user_id: userId, sandbox_id: sandboxId, id } of cut) {
    await control.transact(userId, (tx) => cutJob(tx, { userId, sandboxId, id }, {}, CUT_OFF, clock.now()))
  }
}
