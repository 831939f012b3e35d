import type { Id, Job } from '@cairnstore/contract'
import type { Row } from '../db/tables.ts'
import { type ContentSeal, showFailure } from '../tenancy/caller-keys/content-seal.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { JobCounts } from './inbox.ts'

/** A job as the contract shows it to a reach; with the sandbox's key, what it says of single records too. */
export function wireJob(row: Row<'job'>, reach: Reach, seal: ContentSeal | undefined): Job {
  const { open: _, accepted: __, ...counts } = (row.result ?? {}) as JobCounts
  const errors = counts.errors?.map((failure) => showFailure(row.id, failure, seal))
  return {
    job_id: row.id as Id<'job'>,
    status: row.status,
    job_type: row.type,
    encrypted: row.encrypted,
    sandbox_id: row.sandbox_id as Id<'sandbox'>,
    ...(row.source_id !== null && reach.projectId === null && { source_id: row.source_id }),
    result: { ...counts, ...(errors && { errors }) },
    error_message: row.error_message,
    retry_count: row.retry_count,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    completed_at: row.completed_at?.toISOString() ?? null,
  }
}
