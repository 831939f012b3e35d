import { sql } from 'kysely'
import type { Planes } from '../handler.ts'
import { closeJob } from './inbox.ts'

const CUT_OFF =
  'The delivery was cut off when the service stopped. What had arrived until then is stored; send the rest.'

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
      .where(sql<boolean>`result ->> 'open' = 'true'`)
      .execute(),
  )
  for (const { user_id: userId, sandbox_id: sandboxId, id } of cut) {
    await control.transact(userId, async (tx) => {
      await closeJob(tx, { userId, sandboxId, id }, {}, clock.now())
      await tx
        .updateTable('job')
        .set({ error_message: CUT_OFF })
        .where('user_id', '=', userId)
        .where('sandbox_id', '=', sandboxId)
        .where('id', '=', id)
        .execute()
    })
  }
}
