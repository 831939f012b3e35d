import { newId } from '../base/id.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { Planes } from '../store/planes.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { DELIVERY_JOB } from './delivery-jobs.ts'
import { noCounts, WAITING_FOR_KEY_MESSAGE } from './inbox.ts'

/** Maximum number of deliveries for which jobs are created at once. */
const ROWS_MAX = 1_000

/**
 * Marks jobs as waiting for the sandbox's customer-managed key, which this process does not hold. They stay queued.
 * Usually a delivery gets a job only when it is applied. Here, one job for each source is created before.
 */
export async function awaitKey(planes: Planes, { userId, sandboxId }: SandboxRef): Promise<void> {
  const sandboxKey = { user_id: userId, sandbox_id: sandboxId }
  await planes.sql.transact(userId, async (tx) => {
    const waiting = await tx
      .selectFrom('inbox')
      .select(['source_id', 'id', 'received_at'])
      .where((is) => is.and(sandboxKey))
      .where('job_id', 'is', null)
      .orderBy('id')
      .limit(ROWS_MAX)
      .execute()
    const bySource = new Map<string | null, typeof waiting>()
    for (const row of waiting) bySource.set(row.source_id, [...(bySource.get(row.source_id) ?? []), row])
    for (const [sourceId, rows] of bySource) {
      const id = await waitingJob(planes, tx, { ...sandboxKey, source_id: sourceId }, rows[0]!.received_at)
      const ids = rows.map((row) => row.id)
      const assignJob = tx.updateTable('inbox').set({ job_id: id })
      await assignJob
        .where((is) => is.and(sandboxKey))
        .where('id', 'in', ids)
        .execute()
      await tx
        .updateTable('job')
        .set((is) => ({
          total_chunks: is('total_chunks', '+', rows.length),
          pending_chunks: is('pending_chunks', '+', rows.length),
        }))
        .where((is) => is.and({ ...sandboxKey, id }))
        .execute()
    }
    await tx
      .updateTable('job')
      .set({ error_message: WAITING_FOR_KEY_MESSAGE })
      .where((is) => is.and(sandboxKey))
      .where('status', 'in', ['queued', 'processing'])
      .where('pending_chunks', '>', 0)
      .where('error_message', 'is', null)
      .execute()
  })
}

/** Shows that an unfinished job waits for the sandbox's key, unless it has a message already. */
export async function awaitKeyForJob({ sql }: Pick<Planes, 'sql'>, sandbox: SandboxRef, jobId: string): Promise<void> {
  await sql.transact(sandbox.userId, (tx) =>
    tx
      .updateTable('job')
      .set({ error_message: WAITING_FOR_KEY_MESSAGE })
      .where(ofSandbox(sandbox, { id: jobId }))
      .where('status', 'in', ['queued', 'processing'])
      .where('error_message', 'is', null)
      .execute(),
  )
}

/** Returns the job in which the source's deliveries wait, and creates it if there is none. */
async function waitingJob(
  planes: Planes,
  tx: Tx,
  jobKey: { user_id: string; sandbox_id: string; source_id: string | null },
  at: Date,
): Promise<string> {
  const { source_id: sourceId, ...sandbox } = jobKey
  const known = await tx
    .selectFrom('job')
    .select('id')
    .where((is) => is.and(sandbox))
    .where('source_id', 'is not distinct from', sourceId)
    .where('type', '=', DELIVERY_JOB)
    .where('status', '=', 'queued')
    .forUpdate()
    .executeTakeFirst()
  if (known) return known.id
  const id = newId('job', planes.clock)
  await tx
    .insertInto('job')
    .values({
      ...jobKey,
      id,
      type: DELIVERY_JOB,
      encrypted: true,
      parent_id: null,
      result: noCounts(),
      error_message: null,
      created_at: at,
      started_at: null,
      completed_at: null,
    })
    .execute()
  return id
}
