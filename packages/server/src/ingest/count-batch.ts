import type { FailedRecord } from '@cairnstore/contract'
import type { Row } from '../db/tables.ts'
import type { Batch, IncomingRecord, Refusal } from './batch-shape.ts'
import { addCounts, type JobCounts, noCounts } from './inbox.ts'

/** A row of the inbox with the records that it held. */
export interface AppliedChunk {
  row: Row<'inbox'>
  incoming: IncomingRecord[]
  /** The delivery that it came in, by the digest of its event. */
  event: string | undefined
}

/** What each job's chunks of a batch came to. */
export function byJob(chunks: AppliedChunk[], batch: Batch): Map<string, { count: number; counts: JobCounts }> {
  const jobs = new Map<string, { count: number; counts: JobCounts }>()
  for (const { row, incoming } of chunks) {
    if (row.job_id === null) continue
    const job = jobs.get(row.job_id) ?? { count: 0, counts: noCounts() }
    jobs.set(row.job_id, { count: job.count + 1, counts: addCounts(job.counts, countOf(incoming, batch)) })
  }
  return jobs
}

/** What each delivery of a batch came to that did not simply become what is stored. */
export function otherFates(chunks: AppliedChunk[], batch: Batch): DeliveryFate[] {
  return chunks.flatMap(({ row, incoming, event }): DeliveryFate[] => {
    if (event === undefined || row.source_id === null) return []
    const { written = 0, removed = 0, failed = 0, errors = [] } = countOf(incoming, batch)
    const delivery = { source_id: row.source_id, event_hash: event }
    if (failed > 0) return [{ ...delivery, fate: 'failed', reason: errors[0]?.reason ?? null }]
    return written + removed > 0 ? [] : [{ ...delivery, fate: 'unchanged', reason: null }]
  })
}

/** What became of a delivery, as its row says it. */
export interface DeliveryFate {
  source_id: string
  event_hash: string
  fate: 'unchanged' | 'failed'
  /** A code. */
  reason: string | null
}

/** What each delivery of a batch came to. */
export function appliedDeliveries(chunks: AppliedChunk[], batch: Batch) {
  const deliveries = chunks.filter(({ row }) => row.job_id === null)
  return deliveries.map(({ row, incoming }) => ({
    row,
    counts: { received: incoming.length, ...countOf(incoming, batch) },
  }))
}

/** What records of a batch came to. */
export function countOf(incoming: IncomingRecord[], { refused, unchanged, ids }: Batch): Partial<JobCounts> {
  const removed = incoming.filter((one) => one.deleted && !unchanged.has(one) && !refused.has(one)).length
  const same = incoming.filter((record) => unchanged.has(record)).length
  const errors = incoming.flatMap((record) => {
    const reason = refused.get(record)
    return reason === undefined ? [] : [failureOf(record, reason)]
  })
  const written = incoming.length - removed - same - errors.length
  const [only, other] = incoming
  const id = only && !other && !only.deleted && !refused.has(only) ? ids.get(only) : undefined
  return { written, unchanged: same, removed, failed: errors.length, errors, ...(id && { record_id: id }) }
}

function failureOf({ content, line, file }: IncomingRecord, reason: Refusal): FailedRecord {
  return {
    line,
    ...(file !== undefined && { file }),
    external_id: content.external_id,
    reason,
    detail: DETAILS[reason],
  }
}

const DETAILS: Record<Refusal, string> = {
  quota_exceeded: 'The sandbox holds as much as its tier, or the memory of the service, allows.',
  outside_project:
    'A record of this external_id lies outside the project that your grant is limited to: it stays as it is. Use ' +
    'another external_id, or ask the sandbox’s owner.',
}
