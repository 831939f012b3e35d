import type { Id, Job } from '@cairn/contract'
import type { Row } from '../../db/tables.ts'
import type { JobCounts } from './inbox.ts'

/** A job as the contract shows it. */
export function wireJob(row: Row<'job'>): Job {
  const { open: _, ...result } = (row.result ?? {}) as unknown as JobCounts
  return {
    job_id: row.id as Id<'job'>,
    status: row.status,
    job_type: row.type,
    encrypted: row.encrypted,
    sandbox_id: row.sandbox_id as Id<'sandbox'>,
    result,
    error_message: row.error_message,
    retry_count: row.retry_count,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    completed_at: row.completed_at?.toISOString() ?? null,
  }
}
