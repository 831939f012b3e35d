import { sql as sqlText } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { newId } from '../base/id.ts'
import type { Tx } from '../db/open.ts'
import type { Row } from '../db/tables.ts'
import { keepFailures } from '../tenancy/caller-keys/content-seal.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { PublicKey } from '../tenancy/secrets/seal.ts'
import type { DeliveryFate } from './count-batch.ts'
import { addCounts, type JobCounts, noCounts } from './inbox.ts'

type InboxRow = Row<'inbox'>

/** What the jobs of deliveries are called. */
export const DELIVERY_JOB = 'webhook'

/**
 * Leaves a finished job for each source whose deliveries were just applied: what was written and removed, and when. A
 * job of its own for every delivery would cost its sender more than the delivery does.
 */
export async function insertDeliveryJobs(
  tx: Tx,
  sandbox: SandboxRef & { sealTo: PublicKey | undefined },
  deliveries: { row: InboxRow; counts: Partial<JobCounts> }[],
  clock: Clock,
): Promise<void> {
  const sources = new Map<string | null, { first: Date; counts: JobCounts; chunks: number }>()
  for (const { row, counts } of deliveries) {
    const before = sources.get(row.source_id) ?? { first: row.received_at, counts: noCounts(), chunks: 0 }
    sources.set(row.source_id, {
      first: row.received_at < before.first ? row.received_at : before.first,
      counts: addCounts(before.counts, counts),
      chunks: before.chunks + 1,
    })
  }
  if (sources.size === 0) return
  const now = clock.now()
  const rows = [...sources].map(([sourceId, { first, counts, chunks: total }]) => {
    const job = jobOf(sandbox, sourceId, first, clock)
    return {
      ...job,
      encrypted: sandbox.sealTo !== undefined,
      status: 'completed' as const,
      result: { ...counts, errors: keepFailures(job.id, counts.errors, sandbox.sealTo) },
      total_chunks: total,
      started_at: now,
      completed_at: now,
    }
  })
  await insertJobs(tx, rows)
}

/** Says of deliveries that were applied what became of them, where it is not that they were written. */
export async function noteFates(tx: Tx, { userId, sandboxId }: SandboxRef, fates: DeliveryFate[]): Promise<void> {
  if (fates.length === 0) return
  await sqlText`
    update delivery set fate = given.fate, reason = coalesce(given.reason, delivery.reason)
    from json_to_recordset(${JSON.stringify(fates)}::text::json)
      as given (source_id text, event_hash text, fate text, reason text)
    where delivery.user_id = ${userId} and delivery.sandbox_id = ${sandboxId}
      and delivery.source_id = given.source_id and delivery.event_hash = given.event_hash`.execute(tx)
}

/** Leaves a failed job for each delivery that is given up, so that its sandbox sees it. */
export async function insertFailedDeliveryJobs(tx: Tx, rows: InboxRow[], message: string, clock: Clock): Promise<void> {
  if (rows.length === 0) return
  const now = clock.now()
  const jobs = rows.map((row) => ({
    ...jobOf({ userId: row.user_id, sandboxId: row.sandbox_id }, row.source_id, row.received_at, clock),
    status: 'failed' as const,
    result: { ...noCounts(), received: row.record_count, failed: row.record_count },
    error_message: message,
    completed_at: now,
  }))
  await insertJobs(tx, jobs)
}

/** One value holds them all, so that the statement is the same, and planned once, however many sources there are. */
async function insertJobs(tx: Tx, jobs: Partial<Row<'job'>>[]): Promise<void> {
  const given = JSON.stringify(jobs.map((job) => ({ total_chunks: 0, encrypted: false, ...job })))
  await sqlText`
    insert into job (
      user_id, sandbox_id, id, type, source_id, encrypted, status, result, error_message, total_chunks, created_at,
      started_at, completed_at
    )
    select user_id, sandbox_id, id, type, source_id, encrypted, status, result, error_message, total_chunks, created_at,
      started_at, completed_at
    from json_populate_recordset(null::job, ${given}::text::json)`.execute(tx)
}

function jobOf({ userId, sandboxId }: SandboxRef, sourceId: string | null, createdAt: Date, clock: Clock) {
  return {
    user_id: userId,
    sandbox_id: sandboxId,
    id: newId('job', clock),
    type: DELIVERY_JOB,
    source_id: sourceId,
    parent_id: null,
    result: null,
    error_message: null,
    created_at: createdAt,
    started_at: null,
    completed_at: null,
  }
}
