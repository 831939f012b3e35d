import { setTimeout as sleep } from 'node:timers/promises'
import type { Accepted, Id, Job, JobPage, JobState } from '@cairnstore/contract'
import type { ExpressionBuilder } from 'kysely'
import { openPage, type Page, type PageRequest, type Position } from '../base/cursor.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { Row, Tables } from '../db/tables.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import { type ContentCipher, wireFailure } from '../tenancy/caller-keys/content-cipher.ts'
import { type Reply, reply, type Wait } from '../tenancy/handler.ts'
import type { IngestCtx } from './context.ts'
import { firstFiles } from './files/store-files.ts'
import type { JobCounts } from './inbox.ts'

/** The data of a delivery that is needed for the reply. */
interface ReplyTarget {
  access: AccessScope
  wait: Wait
  projectId: string | null
}

/**
 * Returns the reply to a delivery. If the job ends while the sender waits, it is the job; the sender can also wait for
 * the vectors of the records. Otherwise it is an acceptance with status 202.
 */
export async function replyOf(
  ctx: Pick<IngestCtx, 'applier' | 'key' | 'knowledge' | 'signal' | 'sql' | 'stopping' | 'slot'>,
  delivery: ReplyTarget,
  jobId: Id<'job'>,
): Promise<Reply<Accepted | Job>> {
  const { access, wait } = delivery
  const deadline = performance.now() + wait.seconds * 1000
  ctx.slot.rest()
  let endedAt: number | undefined
  while (wait.seconds > 0 && !ctx.signal.aborted && !ctx.stopping.aborted) {
    const job = await findJob(ctx, access, jobId)
    if (job && (job.status === 'completed' || job.status === 'failed')) {
      const read = wait.isForVectors ? await embeddedUpTo(ctx, access) : undefined
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

/**
 * Returns the head of the sandbox, and the commit up to which all records have vectors. Undefined if its records get no
 * vectors.
 */
async function embeddedUpTo(
  { knowledge, sql }: Pick<IngestCtx, 'knowledge' | 'sql'>,
  access: AccessScope,
): Promise<{ seq: number; upTo: number } | undefined> {
  const { space } = knowledge
  if (space === undefined) return undefined
  const head = await sql.transact(access.holderId, (tx) =>
    tx
      .selectFrom('sandbox_head')
      .select(['seq', 'key_epoch', 'vectored_seq', 'vector_space'])
      .where(ofSandbox(access))
      .executeTakeFirst(),
  )
  // Content under a customer-managed key is not sent to an external model.
  if (head === undefined || (head.key_epoch !== null && !space.isLocal)) return undefined
  return { seq: head.seq, upTo: head.vector_space === space.key ? head.vectored_seq : 0 }
}

/** Returns the acceptance of a delivery, with the URL of its job. */
export function acceptedReply(
  { key }: Pick<IngestCtx, 'key'>,
  { access, projectId }: ReplyTarget,
  jobId: Id<'job'>,
): Accepted {
  return {
    job_id: jobId,
    status: 'queued',
    encrypted: key !== undefined,
    sandbox_id: access.sandboxId as Id<'sandbox'>,
    project_id: projectId,
    status_url: `/api/v1/storage/sandboxes/${access.sandboxId}/ingest/${jobId}`,
  }
}

/** Maximum number of files that are listed in a job's result. The run of the source lists all. */
const FILES_SHOWN = 100
/** Milliseconds between two checks. Another process may complete the job without a notification. */
const RECHECK_MS = 250

/**
 * Returns a job in the API's format. Undefined if it is outside the access scope. A user who is limited to a project
 * sees only jobs of that project, because a job contains counts and names of its records.
 */
export async function findJob(
  ctx: Pick<IngestCtx, 'key' | 'sql'>,
  access: AccessScope,
  jobId: string,
): Promise<Job | undefined> {
  return ctx.sql.transact(access.holderId, async (tx) => {
    const found = tx
      .selectFrom('job')
      .selectAll()
      .where(ofSandbox(access, { id: jobId }))
    const inScope = access.projectId === null ? found : found.where('project_id', '=', access.projectId)
    const row = await inScope.executeTakeFirst()
    if (!row) return undefined
    const job = wireJob(row, access, ctx.key?.seal)
    const files = await firstFiles(tx, access, jobId, { max: FILES_SHOWN, seal: ctx.key?.seal })
    return files ? { ...job, result: { ...job.result, files } } : job
  })
}

/** Returns a job in the API's format. Details of failures are included if the sandbox's key is available. */
function wireJob(row: Row<'job'>, access: AccessScope, cipher: ContentCipher | undefined): Job {
  const { open: _, accepted: __, read: ___, ...counts } = (row.result ?? {}) as JobCounts
  const errors = counts.errors?.map((failure) => wireFailure(row.id, failure, cipher))
  return {
    job_id: row.id as Id<'job'>,
    status: row.status,
    job_type: row.type,
    encrypted: row.encrypted,
    sandbox_id: row.sandbox_id as Id<'sandbox'>,
    ...(row.source_id !== null && access.projectId === null && { source_id: row.source_id }),
    result: { ...counts, ...(errors && { errors }) },
    error_message: row.error_message,
    retry_count: row.retry_count,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    completed_at: row.completed_at?.toISOString() ?? null,
  }
}

interface JobListQuery extends PageRequest {
  status?: JobState | undefined
}

/** Returns a page of the sandbox's jobs, newest first. A user limited to a project sees only its jobs. */
export async function listJobs(
  ctx: Pick<IngestCtx, 'caller' | 'cursors' | 'key' | 'sql'>,
  access: AccessScope,
  { status, ...pageRequest }: JobListQuery,
): Promise<JobPage> {
  const scope = ['jobs', ctx.caller.accountId, access.sandboxId, access.projectId, status]
  const page = openPage(ctx.cursors, scope, pageRequest)
  const found = await ctx.sql.transact(access.holderId, (tx) => {
    let query = jobsAfter(tx, access, page)
    if (access.projectId !== null) query = query.where('project_id', '=', access.projectId)
    if (status !== undefined) query = query.where('status', '=', status)
    return query.execute()
  })
  const { rows, end } = page.cut(found, positionOfJob)
  return { jobs: rows.map((row) => wireJob(row, access, ctx.key?.seal)), ...end }
}

/** Selects the sandbox's jobs after a position in the list, newest first, optionally of one source. */
export function jobsAfter(tx: Tx, access: AccessScope, { after, rowsMax }: Page, ids: { source_id?: string } = {}) {
  const query = tx
    .selectFrom('job')
    .selectAll()
    .where(ofSandbox(access, ids))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(rowsMax)
  if (!after) return query
  const [at, id] = [new Date(String(after[0])), String(after[1])]
  return query.where((is) => is.or([is('created_at', '<', at), is.and([is('created_at', '=', at), is('id', '<', id)])]))
}

/**
 * Returns a condition for the jobs of a source that are visible in the access scope. A scope that is limited to a
 * project includes the jobs of that project. It also includes jobs without a project, unless the source is linked to
 * another project.
 */
export async function jobsInScope(tx: Tx, access: AccessScope, sourceId: string) {
  const { projectId } = access
  if (projectId === null) return (is: ExpressionBuilder<Tables, 'job'>) => is.lit(true)
  const { count } = await tx
    .selectFrom('project_source')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where(ofSandbox(access, { source_id: sourceId }))
    .where('project_id', '!=', projectId)
    .executeTakeFirstOrThrow()
  return (is: ExpressionBuilder<Tables, 'job'>) => {
    const own = is('job.project_id', '=', projectId)
    return count > 0 ? own : is.or([own, is('job.project_id', 'is', null)])
  }
}

/** Returns the position of a job in the list, newest first. */
export function positionOfJob({ created_at, id }: Row<'job'>): Position {
  return [created_at.toISOString(), id]
}
