import type { FailedRecord } from '@cairnstore/contract'
import { MS_PER_DAY } from '@cairnstore/engine/text'
import { sql, sql as sqlText } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { newId } from '../base/id.ts'
import type { Tx } from '../db/open.ts'
import type { Row } from '../db/tables.ts'
import type { Planes } from '../store/planes.ts'
import { encryptFailures } from '../tenancy/caller-keys/content-cipher.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { PublicKey } from '../tenancy/secrets/encrypt.ts'
import type { Batch, IncomingRecord, Refusal } from './batch-shape.ts'
import { addCounts, INTERRUPTED_MESSAGE, interruptJob, type JobCounts, noCounts, PULL_JOB } from './inbox.ts'

type InboxRow = Row<'inbox'>

export const DELIVERY_JOB = 'webhook'

/**
 * Inserts one completed job for each source of the applied deliveries, with counts and times. One job for each delivery
 * would cost more than the delivery itself.
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
      result: { ...counts, errors: encryptFailures(job.id, counts.errors, sandbox.sealTo) },
      total_chunks: total,
      started_at: now,
      completed_at: now,
    }
  })
  await insertJobs(tx, rows)
}

/** Stores the outcomes of deliveries that failed or changed nothing. */
export async function storeFates(tx: Tx, { userId, sandboxId }: SandboxRef, fates: DeliveryFate[]): Promise<void> {
  if (fates.length === 0) return
  await sqlText`
    update delivery set fate = given.fate, reason = coalesce(given.reason, delivery.reason)
    from json_to_recordset(${JSON.stringify(fates)}::text::json)
      as given (source_id text, event_hash text, fate text, reason text)
    where delivery.user_id = ${userId} and delivery.sandbox_id = ${sandboxId}
      and delivery.source_id = given.source_id and delivery.event_hash = given.event_hash`.execute(tx)
}

/** Inserts a failed job for each delivery that was given up, so that users see it. */
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

/** Inserts jobs. They are one parameter, so the database plans the statement only once, whatever their number. */
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

/** An inbox row with its records. */
export interface AppliedChunk {
  row: Row<'inbox'>
  incoming: IncomingRecord[]
  /** Digest of the event of its delivery. */
  event: string | undefined
}

/** Returns the number of chunks of each job in a batch, and its counts. */
export function countByJob(chunks: AppliedChunk[], batch: Batch): Map<string, { count: number; counts: JobCounts }> {
  const jobs = new Map<string, { count: number; counts: JobCounts }>()
  for (const { row, incoming } of chunks) {
    if (row.job_id === null) continue
    const job = jobs.get(row.job_id) ?? { count: 0, counts: noCounts() }
    jobs.set(row.job_id, { count: job.count + 1, counts: addCounts(job.counts, countOf(incoming, batch)) })
  }
  return jobs
}

/**
 * Returns the outcomes of the deliveries that changed nothing: failed ones, and those whose records were already
 * stored.
 */
export function fatesWithoutJob(chunks: AppliedChunk[], batch: Batch): DeliveryFate[] {
  return chunks.flatMap(({ row, incoming, event }): DeliveryFate[] => {
    if (event === undefined || row.source_id === null) return []
    const { written = 0, removed = 0, failed = 0, errors = [] } = countOf(incoming, batch)
    const delivery = { source_id: row.source_id, event_hash: event }
    if (failed > 0) return [{ ...delivery, fate: 'failed', reason: errors[0]?.reason ?? null }]
    return written + removed > 0 ? [] : [{ ...delivery, fate: 'unchanged', reason: null }]
  })
}

/** The outcome of a delivery, as a database row. */
interface DeliveryFate {
  source_id: string
  event_hash: string
  fate: 'unchanged' | 'failed'
  /** An error code. */
  reason: string | null
}

/** Returns the counts of each delivery of a batch. */
export function appliedDeliveries(chunks: AppliedChunk[], batch: Batch) {
  const deliveries = chunks.filter(({ row }) => row.job_id === null)
  return deliveries.map(({ row, incoming }) => ({
    row,
    counts: { received: incoming.length, ...countOf(incoming, batch) },
  }))
}

/** Returns the counts of some records of a batch. */
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
    detail: REFUSAL_DETAILS[reason],
  }
}

const REFUSAL_DETAILS: Record<Refusal, string> = {
  quota_exceeded: 'The sandbox has reached the limit of its tier, or of the memory of the service.',
  outside_project:
    'Another project, to which your grant does not apply, has a record with this external_id. It is unchanged. Use ' +
    'another external_id, or ask the sandbox’s owner.',
}

/** Maximum number of jobs that are deleted at a time. */
const DROP_ROWS_MAX = 5_000

/**
 * Deletes old completed jobs, oldest first. Jobs that have chunks in the inbox are kept. An idempotent response is
 * stored for a day and names only jobs that ended within that day, so the jobs that it names still exist.
 */
export async function dropJobs({
  sql: control,
  clock,
  jobRetentionDays,
}: Pick<Planes, 'sql' | 'clock' | 'jobRetentionDays'>): Promise<void> {
  const cutoff = new Date(clock.now().getTime() - jobRetentionDays * MS_PER_DAY)
  await control.transact({ worker: true }, (tx) =>
    sql`delete from job where ctid = any (array(
      select ctid from job j
      where created_at < ${cutoff} and completed_at < ${cutoff} and not exists (
        select from inbox i where i.user_id = j.user_id and i.sandbox_id = j.sandbox_id and i.job_id = j.id
      )
      order by created_at limit ${DROP_ROWS_MAX}
    ))`.execute(tx),
  )
}

/**
 * Ends the jobs whose deliveries were interrupted when their process ended. Must run before this process receives
 * anything. If other processes may exist, the id of the dead process is passed, and only jobs that it had accepted are
 * ended.
 */
export async function closeInterruptedJobs(
  { sql: control, clock }: Pick<Planes, 'sql' | 'clock'>,
  deadOwnerId?: string,
): Promise<void> {
  const cut = await control.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('job')
      .select(['user_id', 'sandbox_id', 'id'])
      .where('status', 'in', ['queued', 'processing'])
      // A pull resumes where it was interrupted.
      .where('type', '!=', PULL_JOB)
      .where(sql<boolean>`result ->> 'open' = 'true'`)
      // An import whose upload is stored is resumed, so its job stays open too.
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('import_upload')
              .select('import_upload.job_id')
              .whereRef('import_upload.user_id', '=', 'job.user_id')
              .whereRef('import_upload.sandbox_id', '=', 'job.sandbox_id')
              .whereRef('import_upload.job_id', '=', 'job.id')
              .where('import_upload.state', '=', 'stored'),
          ),
        ),
      )
      .$if(deadOwnerId !== undefined, (jobs) => jobs.where(sql<boolean>`result ->> 'accepted' = ${deadOwnerId}`))
      .execute(),
  )
  for (const { user_id: userId, sandbox_id: sandboxId, id } of cut) {
    await control.transact(userId, (tx) =>
      interruptJob(tx, { userId, sandboxId, id }, {}, INTERRUPTED_MESSAGE, clock.now()),
    )
  }
}
