import type { Decision, RecordContent } from '@cairnstore/engine/resolve'
import { sql } from 'kysely'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { Row } from '../db/tables.ts'
import { type ContentSeal, type KeptFailure, keepFailures } from '../tenancy/caller-keys/content-seal.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { type PublicKey, sealTo } from '../tenancy/secrets/seal.ts'

/** A record that waits to be applied. */
export interface WaitingRecord {
  content: RecordContent
  projectId: string | null
  deleted: boolean
  /** The time at which its source deleted it, if that differs from the version's time: RFC 3339, UTC. */
  deletedAt?: string
  /** When it happened is not known: the moment at which it came stands for it, until it is stored. */
  isTimeAssumed?: true
  /** Its place in what was sent, from 1. */
  line: number
  /** The file of an archive that it came in. */
  file?: string
}

/** What one row of the inbox holds: records of one source, with the provider within which logins are unique. */
export interface Chunk {
  provider: string
  records: WaitingRecord[]
  /** What people decided of the things of records that came before. */
  decisions?: Decision[]
  /** The delivery that it came in, by the digest of its event. */
  event?: string
  /** The project that its bringer's grant is limited to; records outside it are neither replaced nor removed. */
  within?: string
}

/** A checkpoint in a delivery: the number of lines that are stored, and a digest of them. */
export type ReadUpTo = { lines: number; digest: string }

/** The counts of a job, as they stand in its row. */
export type JobCounts = {
  received: number
  /** Rows, entries and values that are known to come, where any are. */
  expected?: number
  written: number
  unchanged: number
  removed: number
  failed: number
  errors: KeptFailure[]
  /** The record that was brought, where it is one. */
  record_id?: string
  /** The stream that feeds the job has not ended. */
  open?: boolean
  /** Its reply was given before that, so that who sent it counts on it: the process that reads on, by its id. */
  accepted?: string
  /** The checkpoint of a delivery that can be resumed. */
  read?: ReadUpTo
}

/** A job, and what its content is sealed to in a sandbox under a caller's key. */
interface JobRef extends SandboxRef {
  id: string
  sealTo?: PublicKey | undefined
}

interface NewJob extends JobRef {
  type: string
  sourceId: string | null
  /** The project that whoever made the job was limited to, or that it names: who is limited to it sees the job. */
  projectId?: string | null
  createdAt: Date
}

/** What the job of an import is called. */
export const IMPORT_JOB = 'import'
/** What the job of a pull is called. */
export const PULL_JOB = 'data_source_pull'

/** Said of a delivery that ended early; records that come again replace themselves. */
export const CUT_OFF = 'The delivery was cut off. What is counted here is stored; send the whole of it again.'

/** Failed records that a job's result names; the rest are counted. */
export const NAMED_ERRORS_MAX = 100

export function noCounts(): JobCounts {
  return { received: 0, written: 0, unchanged: 0, removed: 0, failed: 0, errors: [] }
}

/** Adds up counts, keeping the first errors, and the record of what has brought no more than one. */
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

/** Makes a job whose chunks follow; it completes when they are applied and `closeJob` said that no more come. */
export async function openJob(tx: Tx, job: NewJob): Promise<void> {
  await insertJob(tx, job, 0, { ...noCounts(), open: true })
}

/** Makes a job of one chunk, or of none: all that a small delivery needs. */
export async function wholeJob(tx: Tx, job: NewJob, chunk: Chunk, refused: Partial<JobCounts>): Promise<void> {
  const chunks = chunk.records.length > 0 || chunk.decisions ? 1 : 0
  await insertJob(tx, job, chunks, addCounts(noCounts(), kept(job, refused)))
  if (chunks > 0) await insertChunk(tx, job, chunk, job.createdAt)
}

async function insertJob(tx: Tx, job: NewJob, chunks: number, counts: JobCounts): Promise<void> {
  const isDone = chunks === 0 && !counts.open
  await tx
    .insertInto('job')
    .values({
      user_id: job.userId,
      sandbox_id: job.sandboxId,
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

/** Stores a chunk of the job; once the transaction is durable the chunk will be applied, whatever crashes. */
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
      user_id: job.userId,
      sandbox_id: job.sandboxId,
      source_id: job.sourceId,
      job_id: job.id,
      kind: 'records',
      payload: toPayload(chunk, job.sourceId, job.sealTo),
      record_count: chunk.records.length,
      received_at: receivedAt,
    })
    .execute()
}

/** Counts what came for an open job, and what of it was refused. */
export async function countReceived(tx: Tx, job: JobRef, counted: Partial<JobCounts>, at: Date): Promise<void> {
  await changeJob(tx, job, at, 0, (counts) => addCounts(counts, kept(job, counted)))
}

/** Says that the job gets no more chunks, and what was refused on the way in. */
export async function closeJob(tx: Tx, job: JobRef, refused: Partial<JobCounts>, at: Date): Promise<void> {
  await changeJob(tx, job, at, 0, (counts) => {
    const { open: _, read: __, ...closed } = addCounts(counts, kept(job, refused))
    return closed
  })
}

/**
 * Ends a job whose delivery was cut off: what had arrived is applied, and the job says why there is no more. One that
 * was accepted has failed.
 */
export async function cutJob(tx: Tx, job: JobRef, refused: Partial<JobCounts>, why: string, at: Date): Promise<void> {
  await closeJob(tx, job, refused, at)
  await tx
    .updateTable('job')
    .set({ error_message: why })
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
 * written records stay.
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

/** Counts applied chunks; the job completes with its last one. */
export async function countApplied(
  tx: Tx,
  job: JobRef,
  chunks: number,
  counted: Partial<JobCounts>,
  at: Date,
): Promise<boolean> {
  return changeJob(tx, job, at, chunks, (counts) => addCounts(counts, kept(job, counted)))
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
        ? { status: 'completed', completed_at: at, ...(row.error_message === WAITS_FOR_KEY && { error_message: null }) }
        : appliedChunks > 0 && row.status === 'queued' && { status: 'processing' }),
    })
    .where(ofSandbox(job, { id: job.id }))
    .execute()
  return isCompleted
}

/** What a job says that cannot go on before somebody brings its sandbox's key. */
export const WAITS_FOR_KEY = 'Waits for the sandbox’s key: it goes on with the next request that brings it.'

/** Counts as a job's row keeps them. */
function kept({ id, sealTo: to }: JobRef, counts: Partial<JobCounts>): Partial<JobCounts> {
  return to && counts.errors ? { ...counts, errors: keepFailures(id, counts.errors, to) } : counts
}

/** A chunk as a row of the inbox holds it: JSON, or sealed to the sandbox's public key. */
export function toPayload(chunk: Chunk, sourceId: string | null, to: PublicKey | undefined): string {
  const json = JSON.stringify(chunk)
  return to ? SEALED + sealTo(to, placeOf(sourceId), Buffer.from(json)).toString('base64') : json
}

/** The chunk that a row of the inbox holds. */
export function chunkOf(
  { payload, source_id: sourceId }: Pick<Row<'inbox'>, 'payload' | 'source_id'>,
  seal: ContentSeal | undefined,
): Chunk {
  if (!payload.startsWith(SEALED)) return JSON.parse(payload) as Chunk
  if (!seal) throw new Error('a sealed chunk is read without its key')
  const box = Buffer.from(payload.slice(SEALED.length), 'base64')
  return JSON.parse(seal.openBox(placeOf(sourceId), box).toString()) as Chunk
}

/** JSON never begins so. */
const SEALED = 'sealed:'

function placeOf(sourceId: string | null): string {
  return `inbox/${sourceId ?? ''}`
}
