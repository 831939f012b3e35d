import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import { closeJob } from '../../ingest/inbox.ts'

/** Cancels the pull of a source that will never be read again. */
export async function cancelPull(
  tx: Tx,
  source: { user_id: string; sandbox_id: string; poll_job_id: string | null },
  now: Date,
) {
  if (source.poll_job_id === null) return
  const job = { userId: source.user_id, sandboxId: source.sandbox_id, id: source.poll_job_id }
  await closeJob(tx, job, {}, now)
  await tx
    .updateTable('job')
    .set({ status: 'cancelled', completed_at: now })
    .where(ofSandbox(source, { id: source.poll_job_id }))
    .where('status', 'in', ['queued', 'processing', 'completed'])
    .execute()
}
