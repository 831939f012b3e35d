import { setTimeout as sleep } from 'node:timers/promises'
import type { Accepted, Id, Job, JobPage, JobState } from '@cairnstore/contract'
import type { ExpressionBuilder } from 'kysely'
import { openPage, type Page, type PageAsked, type Position } from '../base/cursor.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { Row, Tables } from '../db/tables.ts'
import { type ContentSeal, showFailure } from '../tenancy/caller-keys/content-seal.ts'
import { type Reply, reply, type Wait } from '../tenancy/handler.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { IngestCtx } from './context.ts'
import { firstFiles } from './files/note-files.ts'
import type { JobCounts } from './inbox.ts'

/** A delivery, as far as its reply tells of it. */
interface Replied {
  reach: Reach
  wait: Wait
  projectId: string | null
}

/**
 * The reply to a delivery: its job when that ends, and has been read where the sender waits for that too, within the
 * time that the sender waits; else that it is accepted.
 */
export async function replyOf(
  ctx: Pick<IngestCtx, 'applier' | 'key' | 'knowledge' | 'signal' | 'sql' | 'stopping' | 'turn'>,
  delivery: Replied,
  jobId: Id<'job'>,
): Promise<Reply<Accepted | Job>> {
  const { reach, wait } = delivery
  const deadline = performance.now() + wait.seconds * 1000
  ctx.turn.rest()
  let endedAt: number | undefined
  while (wait.seconds > 0 && !ctx.signal.aborted && !ctx.stopping.aborted) {
    const job = await findJob(ctx, reach, jobId)
    if (job && (job.status === 'completed' || job.status === 'failed')) {
      const read = wait.isForReading ? await readUpTo(ctx, reach) : undefined
      endedAt ??= read?.seq
      if (endedAt === undefined || read === undefined || read.upTo >= endedAt) return reply<Accepted | Job>(200, job)
    }
    const left = deadline - performance.now()
    if (left <= 0) break
    const ms = Math.min(left, RECHECK_MS)
    await (endedAt === undefined ? ctx.applier.untilCompleted(jobId, ms) : sleep(ms))
  }
  return reply<Accepted | Job>(202, acceptedReply(ctx, delivery, jobId))
}

/** The sandbox's head, and up to which commit all is read; undefined where nothing is read at all. */
async function readUpTo(
  { knowledge, sql }: Pick<IngestCtx, 'knowledge' | 'sql'>,
  reach: Reach,
): Promise<{ seq: number; upTo: number } | undefined> {
  const { space } = knowledge
  if (space === undefined) return undefined
  const head = await sql.transact(reach.holderId, (tx) =>
    tx
      .selectFrom('sandbox_head')
      .select(['seq', 'key_epoch', 'vectored_seq', 'vector_space'])
      .where(ofSandbox(reach))
      .executeTakeFirst(),
  )
  // What is under a caller's key goes to no other machine.
  if (head === undefined || (head.key_epoch !== null && !space.isLocal)) return undefined
  return { seq: head.seq, upTo: head.vector_space === space.key ? head.vectored_seq : 0 }
}

/** Says that a delivery is accepted, and where its job is. */
export function acceptedReply(
  { key }: Pick<IngestCtx, 'key'>,
  { reach, projectId }: Replied,
  jobId: Id<'job'>,
): Accepted {
  return {
    job_id: jobId,
    status: 'queued',
    encrypted: key !== undefined,
    sandbox_id: reach.sandboxId as Id<'sandbox'>,
    project_id: projectId,
    status_url: `/api/v1/storage/sandboxes/${reach.sandboxId}/ingest/${jobId}`,
  }
}

/** Files that a job names; the run of its source lists all. */
const FILES_SHOWN = 100
/** Another process may complete the job without telling this one. */
const RECHECK_MS = 250

/**
 * The job as the contract shows it, or undefined when the reach has no such job. A job counts and names what came in,
 * so who is limited to a project sees those alone that came in within it.
 */
export async function findJob(
  ctx: Pick<IngestCtx, 'key' | 'sql'>,
  reach: Reach,
  jobId: string,
): Promise<Job | undefined> {
  return ctx.sql.transact(reach.holderId, async (tx) => {
    const found = tx
      .selectFrom('job')
      .selectAll()
      .where(ofSandbox(reach, { id: jobId }))
    const inScope = reach.projectId === null ? found : found.where('project_id', '=', reach.projectId)
    const row = await inScope.executeTakeFirst()
    if (!row) return undefined
    const job = wireJob(row, reach, ctx.key?.seal)
    const files = await firstFiles(tx, reach, jobId, { max: FILES_SHOWN, seal: ctx.key?.seal })
    return files ? { ...job, result: { ...job.result, files } } : job
  })
}

/** A job as the contract shows it to a reach; with the sandbox's key, what it says of single records too. */
function wireJob(row: Row<'job'>, reach: Reach, seal: ContentSeal | undefined): Job {
  const { open: _, accepted: __, read: ___, ...counts } = (row.result ?? {}) as JobCounts
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

interface Listed extends PageAsked {
  status?: JobState | undefined
}

/** One page of the sandbox's jobs, newest first; who is limited to a project sees those that came in within it. */
export async function listJobs(
  ctx: Pick<IngestCtx, 'caller' | 'cursors' | 'key' | 'sql'>,
  reach: Reach,
  { status, ...asked }: Listed,
): Promise<JobPage> {
  const scope = ['jobs', ctx.caller.accountId, reach.sandboxId, reach.projectId, status]
  const page = openPage(ctx.cursors, scope, asked)
  const found = await ctx.sql.transact(reach.holderId, (tx) => {
    let query = jobsAfter(tx, reach, page)
    if (reach.projectId !== null) query = query.where('project_id', '=', reach.projectId)
    if (status !== undefined) query = query.where('status', '=', status)
    return query.execute()
  })
  const { rows, end } = page.cut(found, placeOfJob)
  return { jobs: rows.map((row) => wireJob(row, reach, ctx.key?.seal)), ...end }
}

/** The sandbox's jobs behind what a page follows, newest first, of one source where its id is given. */
export function jobsAfter(tx: Tx, reach: Reach, { after, rowsMax }: Page, ids: { source_id?: string } = {}) {
  const query = tx
    .selectFrom('job')
    .selectAll()
    .where(ofSandbox(reach, ids))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(rowsMax)
  if (!after) return query
  const [at, id] = [new Date(String(after[0])), String(after[1])]
  return query.where((is) => is.or([is('created_at', '<', at), is.and([is('created_at', '=', at), is('id', '<', id)])]))
}

/**
 * Returns a condition for the jobs of a source that the access scope may see. A scope that is limited to one project
 * sees the jobs of that project. It also sees jobs without a project, unless the source is linked to another project.
 */
export async function jobsInReach(tx: Tx, reach: Reach, sourceId: string) {
  const { projectId } = reach
  if (projectId === null) return (is: ExpressionBuilder<Tables, 'job'>) => is.lit(true)
  const { count } = await tx
    .selectFrom('project_source')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where(ofSandbox(reach, { source_id: sourceId }))
    .where('project_id', '!=', projectId)
    .executeTakeFirstOrThrow()
  return (is: ExpressionBuilder<Tables, 'job'>) => {
    const own = is('job.project_id', '=', projectId)
    return count > 0 ? own : is.or([own, is('job.project_id', 'is', null)])
  }
}

/** Where a job stands in that order. */
export function placeOfJob({ created_at, id }: Row<'job'>): Position {
  return [created_at.toISOString(), id]
}
