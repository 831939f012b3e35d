import type { Decision, RecordContent } from '@cairnstore/engine/resolve'
import { sql } from 'kysely'
import { ofSandbox, sandboxColumns } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { Row } from '../db/tables.ts'
import { type ContentCipher, encryptFailures, type StoredFailure } from '../tenancy/caller-keys/content-cipher.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { encryptTo, type PublicKey } from '../tenancy/secrets/encrypt.ts'

/** A record that is waiting to be applied. */
export interface WaitingRecord {
  content: RecordContent
  projectId: string | null
  deleted: boolean
  /** Time at which its source deleted it, if that differs from the time of the version: RFC 3339, UTC. */
  deletedAt?: string
  /** True if its time is unknown and the time of arrival is used instead. */
  isTimeAssumed?: true
  /** Line number in the delivery, from 1. */
  line: number
  /** The archive member that it was read from. */
  file?: string
  /** Id of the stored file that it was read from. */
  original?: string
}

/** Content of an inbox row: records of one source. Logins in them are unique within the provider. */
export interface Chunk {
  provider: string
  records: WaitingRecord[]
  /** Users' decisions about the entities of earlier records. */
  decisions?: Decision[]
  /** Digest of the event of its delivery. */
  event?: string
  /** The project to which the sender's grant is limited. Records outside it are not replaced or removed. */
  within?: string
}

/** A checkpoint in a delivery: the number of lines that are stored, and a digest of them. */
export type ReadPosition = { lines: number; digest: string }

/** The counts of a job, as stored in its row. */
export type JobCounts = {
  received: number
  /** Number of rows, entries and values that are expected, if known. */
  expected?: number
  written: number
  unchanged: number
  removed: number
  failed: number
  errors: StoredFailure[]
  /** Id of the record, if there is only one. */
  record_id?: string
  /** True until the job's delivery has ended. */
  open?: boolean
  /**
   * Id of the process that continues the delivery, if the reply was sent before the end. The sender then relies on the
   * job.
   */
  accepted?: string
  /** The checkpoint of a delivery that can be resumed. */
  read?: ReadPosition
}

/** A job, with the public key that encrypts its content if the sandbox has a customer-managed key. */
interface JobRef extends SandboxRef {
  id: string
  sealTo?: PublicKey | undefined
}

interface NewJob extends JobRef {
  type: string
  sourceId: string | null
  /**
   * The project that the job's creator was limited to, or that the job names. Users who are limited to that project can
   * see the job.
   */
  projectId?: string | null
  createdAt: Date
}

export const IMPORT_JOB = 'import'
export const PULL_JOB = 'data_source_pull'

/** Message for an interrupted delivery. Records that are sent again replace themselves. */
export const INTERRUPTED_MESSAGE =
  'The delivery was interrupted. The counted records are stored; send the whole delivery again.'

/** Maximum number of failed records that are listed in a job's result. Others are only counted. */
export const NAMED_ERRORS_MAX = 100

export function noCounts(): JobCounts {
  return { received: 0, written: 0, unchanged: 0, removed: 0, failed: 0, errors: [] }
}

/** Adds counts. Keeps the first errors. Keeps the record id if there is only one record. */
export function addCounts(one: JobCounts, other: Partial<JobCounts>): JobCounts {
  const { record_id: before, ...rest } = one
  const received = one.received + (other.received ?? 0)
  const recordId = before ?? other.record_id
  const expected = (one.expected ?? 0) + (other.expected ?? 0)
  return {
    ...rest,
    ...(recordId !== undefined && received <= 1 && { record_id: recordId }),
    received,
    ...(expected > 0 && { expected }),
    written: one.written + (other.written ?? 0),
    unchanged: (one.unchanged ?? 0) + (other.unchanged ?? 0),
    removed: one.removed + (other.removed ?? 0),
    failed: one.failed + (other.failed ?? 0),
    ...(other.accepted && { accepted: other.accepted }),
    ...(other.read && { read: other.read }),
    errors: [...one.errors, ...(other.errors ?? [])].slice(0, NAMED_ERRORS_MAX),
  }
}

/** Creates a job, for which chunks will follow. It completes when they are applied and `closeJob` was called. */
export async function openJob(tx: Tx, job: NewJob): Promise<void> {
  await insertJob(tx, job, 0, { ...noCounts(), open: true })
}

/** Creates a job with at most one chunk, for a small delivery. */
export async function insertCompleteJob(tx: Tx, job: NewJob, chunk: Chunk, refused: Partial<JobCounts>): Promise<void> {
  const chunks = chunk.records.length > 0 || chunk.decisions ? 1 : 0
  await insertJob(tx, job, chunks, addCounts(noCounts(), toStoredCounts(job, refused)))
  if (chunks > 0) await insertChunk(tx, job, chunk, job.createdAt)
}

async function insertJob(tx: Tx, job: NewJob, chunks: number, counts: JobCounts): Promise<void> {
  const isDone = chunks === 0 && !counts.open
  await tx
    .insertInto('job')
    .values({
      ...sandboxColumns(job),
      id: job.id,
      type: job.type,
      source_id: job.sourceId,
      project_id: job.projectId ?? null,
      parent_id: null,
      encrypted: job.sealTo !== undefined,
      result: counts,
      total_chunks: chunks,
      pending_chunks: chunks,
      status: isDone ? 'completed' : 'queued',
      error_message: null,
      created_at: job.createdAt,
      started_at: null,
      completed_at: isDone ? job.createdAt : null,
    })
    .execute()
}

/** Stores a chunk of the job. Once the transaction is durable, the chunk will be applied, even after a crash. */
export async function addChunk(tx: Tx, job: ChunkOwner, chunk: Chunk, receivedAt: Date): Promise<void> {
  await insertChunk(tx, job, chunk, receivedAt)
  await tx
    .updateTable('job')
    .set({
      total_chunks: sql<number>`total_chunks + 1`,
      pending_chunks: sql<number>`pending_chunks + 1`,
    })
    .where(ofSandbox(job, { id: job.id }))
    .execute()
}

type ChunkOwner = Pick<NewJob, 'userId' | 'sandboxId' | 'id' | 'sourceId' | 'sealTo'>

async function insertChunk(tx: Tx, job: ChunkOwner, chunk: Chunk, receivedAt: Date): Promise<void> {
  await tx
    .insertInto('inbox')
    .values({
      ...sandboxColumns(job),
      source_id: job.sourceId,
      job_id: job.id,
      kind: 'records',
      payload: toPayload(chunk, job.sourceId, job.sealTo),
      record_count: chunk.records.length,
      received_at: receivedAt,
    })
    .execute()
}

/** Adds received and rejected records to an open job. */
export async function countReceived(tx: Tx, job: JobRef, counted: Partial<JobCounts>, at: Date): Promise<void> {
  await changeJob(tx, job, at, 0, (counts) => addCounts(counts, toStoredCounts(job, counted)))
}

/** Closes the job, so that no more chunks follow. Adds the counts of rejected records. */
export async function closeJob(tx: Tx, job: JobRef, refused: Partial<JobCounts>, at: Date): Promise<void> {
  await changeJob(tx, job, at, 0, (counts) => {
    const { open: _, read: __, ...closed } = addCounts(counts, toStoredCounts(job, refused))
    return closed
  })
}

/**
 * Ends a job whose delivery was interrupted. Stored records are applied, and the job shows the reason. A job that was
 * already accepted fails.
 */
export async function interruptJob(
  tx: Tx,
  job: JobRef,
  refused: Partial<JobCounts>,
  message: string,
  at: Date,
): Promise<void> {
  await closeJob(tx, job, refused, at)
  await tx
    .updateTable('job')
    .set({ error_message: message })
    .where(ofSandbox(job, { id: job.id }))
    .execute()
  await tx
    .updateTable('job')
    .set({ status: 'failed', completed_at: at })
    .where(sql<boolean>`result ->> 'accepted' is not null`)
    .where(ofSandbox(job, { id: job.id }))
    .execute()
}

/**
 * Resets the received and failed counts of a job, because its delivery is read again from the start. The counts of
 * written records are kept.
 */
export async function restartJob(tx: Tx, job: JobRef, at: Date): Promise<void> {
  await changeJob(tx, job, at, 0, ({ read: _, expected: __, ...counts }) => {
    return { ...counts, received: 0, failed: 0, errors: [] }
  })
  await tx
    .deleteFrom('import_file')
    .where(ofSandbox(job, { job_id: job.id }))
    .execute()
}

/** Counts applied chunks. Returns true if the job completed with these chunks. */
export async function countApplied(
  tx: Tx,
  job: JobRef,
  chunks: number,
  counted: Partial<JobCounts>,
  at: Date,
): Promise<boolean> {
  return changeJob(tx, job, at, chunks, (counts) => addCounts(counts, toStoredCounts(job, counted)))
}

async function changeJob(
  tx: Tx,
  job: JobRef,
  at: Date,
  appliedChunks: number,
  change: (counts: JobCounts) => JobCounts,
): Promise<boolean> {
  const row = await tx
    .selectFrom('job')
    .select(['pending_chunks', 'result', 'status', 'started_at', 'error_message'])
    .where(ofSandbox(job, { id: job.id }))
    .forUpdate()
    .executeTakeFirst()
  if (!row) return false
  const pending = row.pending_chunks - appliedChunks
  const counts = change(row.result as JobCounts)
  const isCompleted = pending === 0 && !counts.open && row.status !== 'failed'
  await tx
    .updateTable('job')
    .set({
      pending_chunks: pending,
      result: counts,
      ...(appliedChunks > 0 && { started_at: row.started_at ?? at }),
      ...(isCompleted
        ? {
            status: 'completed',
            completed_at: at,
            ...(row.error_message === WAITING_FOR_KEY_MESSAGE && { error_message: null }),
          }
        : appliedChunks > 0 && row.status === 'queued' && { status: 'processing' }),
    })
    .where(ofSandbox(job, { id: job.id }))
    .execute()
  return isCompleted
}

/** Message of a job that waits for a request with the sandbox's key. */
export const WAITING_FOR_KEY_MESSAGE = 'Waits for the sandbox’s key: continues with the next request that sends it.'

/** Returns counts in the form in which they are stored, with encrypted errors. */
function toStoredCounts({ id, sealTo: to }: JobRef, counts: Partial<JobCounts>): Partial<JobCounts> {
  return to && counts.errors ? { ...counts, errors: encryptFailures(id, counts.errors, to) } : counts
}

/** Returns a chunk as the payload of an inbox row: JSON, which is encrypted if the sandbox has a public key. */
export function toPayload(chunk: Chunk, sourceId: string | null, to: PublicKey | undefined): string {
  const json = JSON.stringify(chunk)
  return to ? ENCRYPTED_PREFIX + encryptTo(to, associatedDataOf(sourceId), Buffer.from(json)).toString('base64') : json
}

export function chunkOf(
  { payload, source_id: sourceId }: Pick<Row<'inbox'>, 'payload' | 'source_id'>,
  cipher: ContentCipher | undefined,
): Chunk {
  if (!payload.startsWith(ENCRYPTED_PREFIX)) return JSON.parse(payload) as Chunk
  if (!cipher) throw new Error('an encrypted chunk cannot be read without its key')
  const box = Buffer.from(payload.slice(ENCRYPTED_PREFIX.length), 'base64')
  return JSON.parse(cipher.decryptBox(associatedDataOf(sourceId), box).toString()) as Chunk
}

/** Prefix of an encrypted payload. JSON never begins with it. */
const ENCRYPTED_PREFIX = 'sealed:'

function associatedDataOf(sourceId: string | null): string {
  return `inbox/${sourceId ?? ''}`
}
