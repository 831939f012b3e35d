import type { Id, Outcome } from '@cairnstore/contract'
import type { Row } from '../../db/tables.ts'
import { withVersion } from '../../db/versions.ts'
import type { Checked } from './check-health.ts'

/** A source as the outcome of what was done to it. */
export function outcomeOf(row: Row<'source'>, failure?: Checked['failure']): Outcome {
  const outcome: Outcome = {
    data_source_id: row.id as Id<'source'>,
    status: row.status,
    name: row.name,
    ingestion_mode: row.ingestion_mode,
    health_error: failure?.health ?? null,
    error: null,
    detail: null,
  }
  return withVersion(outcome, row.version)
}
