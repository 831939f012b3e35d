import { ofSandbox } from '../../db/of-sandbox.ts'
import { WAITS_FOR_KEY } from '../../ingest/inbox.ts'
import type { Planes } from '../../store/planes.ts'
import { READ_STATES } from './due.ts'
import type { SourceRef } from './pull-run.ts'

/** Lets the pull that waits for its sandbox's key say so: its job goes on when somebody brings it. */
export async function awaitPullKey(planes: Pick<Planes, 'sql'>, ref: SourceRef): Promise<void> {
  const { userId, sandboxId, sourceId } = ref
  await planes.sql.transact(userId, (tx) =>
    tx
      .updateTable('job')
      .set({ error_message: WAITS_FOR_KEY })
      .where(ofSandbox({ userId, sandboxId }, { source_id: sourceId }))
      .where('status', 'in', ['queued', 'processing'])
      .where('error_message', 'is', null)
      .where((is) =>
        is.exists(
          is
            .selectFrom('source')
            .select('source.id')
            .whereRef('source.user_id', '=', 'job.user_id')
            .whereRef('source.sandbox_id', '=', 'job.sandbox_id')
            .whereRef('source.poll_job_id', '=', 'job.id'),
        ),
      )
      .execute(),
  )
}

/** Whether a pull in the sandbox, under way or asked for, needs the sandbox's key. */
export async function isKeyAwaited(
  planes: Pick<Planes, 'sql'>,
  { userId, sandboxId }: Pick<SourceRef, 'userId' | 'sandboxId'>,
): Promise<boolean> {
  const found = await planes.sql.transact(userId, (tx) =>
    tx
      .selectFrom('source')
      .select('id')
      .where(ofSandbox({ userId, sandboxId }))
      .where('credential_under_key', '=', true)
      .where('poll_job_id', 'is not', null)
      .where('status', 'in', READ_STATES)
      .limit(1)
      .executeTakeFirst(),
  )
  return found !== undefined
}
