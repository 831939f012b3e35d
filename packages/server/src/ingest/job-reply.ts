import { setTimeout as sleep } from 'node:timers/promises'
import type { Accepted, Id, Job } from '@cairnstore/contract'
import { ofSandbox } from '../db/of-sandbox.ts'
import { type Reply, reply, type Wait } from '../tenancy/handler.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { Ctx } from './context.ts'
import { firstFiles } from './files/show-files.ts'
import { wireJob } from './wire-job.ts'

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
  ctx: Pick<Ctx, 'applier' | 'key' | 'knowledge' | 'signal' | 'sql' | 'stopping' | 'turn'>,
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
  { knowledge, sql }: Pick<Ctx, 'knowledge' | 'sql'>,
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
  // What is under a caller's key is not read while nobody brings it.
  if (head === undefined || head.key_epoch !== null) return undefined
  return { seq: head.seq, upTo: head.vector_space === space.key ? head.vectored_seq : 0 }
}

/** Says that a delivery is accepted, and where its job is. */
export function acceptedReply({ key }: Pick<Ctx, 'key'>, { reach, projectId }: Replied, jobId: Id<'job'>): Accepted {
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
export async function findJob(ctx: Pick<Ctx, 'key' | 'sql'>, reach: Reach, jobId: string): Promise<Job | undefined> {
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
