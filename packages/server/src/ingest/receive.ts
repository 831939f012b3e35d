import type { Accepted, FailedRecord, Id, Job, RecordInput } from '@cairn/contract'
import type { Decision } from '@cairn/engine/resolve'
import { Fault } from '../base/fault.ts'
import { newId } from '../base/id.ts'
import type { Tx } from '../db/open.ts'
import { tellLater } from '../tenancy/audit/audited-sql.ts'
import { type Recording, recordEvent } from '../tenancy/audit/record-event.ts'
import { bindKey } from '../tenancy/caller-keys/bind-key.ts'
import { readKeptKey } from '../tenancy/caller-keys/kept-key.ts'
import { type Line, type Reply, reply } from '../tenancy/handler.ts'
import { type Keeping, keepReply } from '../tenancy/idempotency/keep-reply.ts'
import { renewClaim } from '../tenancy/idempotency/keyed-request.ts'
import { awaitRecords } from '../tenancy/limits/take-records.ts'
import { projectStatus } from '../tenancy/projects/project-status.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import { assertStillReached } from '../tenancy/reach/still-reached.ts'
import { admitDelivery } from './admit-delivery.ts'
import type { Ctx } from './context.ts'
import { addChunk, closeJob, cutJob, NAMED_ERRORS_MAX, openJob, type WaitingRecord, wholeJob } from './inbox.ts'
import { chunkFor, createPending, type SourceChunk } from './pending.ts'
import type { ReceivingSource } from './receiving-source.ts'
import { checkRecord } from './record-check.ts'
import { toRecordContent } from './to-record-content.ts'
import { wireJob } from './wire-job.ts'

/** A line that says what a person decided of things of the records before it. */
interface DecidedLine {
  line: number
  decision: Decision
}

/** A line with what is known of its record beyond what it says itself. */
export type ReceivedLine = (Line | DecidedLine) & {
  /** The source that it goes to in place of the delivery's. */
  source?: ReceivingSource | null
  isStorageOnly?: boolean
  /** It does not say when it happened, and has the moment at which it came in its place. */
  isTimeAssumed?: true
  /** The moment of its version at its source. */
  asOf?: string | undefined
}

interface Delivery {
  reach: Reach
  source: ReceivingSource | null
  jobType: string
  waitSeconds: number
  projectId: string | null
  /** It comes as long as it comes, and is slowed to the sandbox's rate. */
  isStream?: boolean
  /** What comes is kept and exported, and found by nothing that it says. */
  isStorageOnly?: boolean
}

/** Said of a delivery that ended early; records that come again replace themselves. */
const CUT_OFF = 'The delivery was cut off. What is counted here is stored; send the whole of it again.'
/** What receiving works with. */
export type Receiving = Pick<
  Ctx,
  'applier' | 'key' | 'limits' | 'rates' | 'room' | 'signal' | 'sql' | 'stopping' | 'turn'
> &
  Recording &
  Keeping

/**
 * Takes records in: each is checked alone, the good ones are stored in the inbox in chunks, and the reply follows when
 * all of them are on disk. What is not a valid record is counted and named in the job. What comes after the caller's
 * grant was revoked, or the sandbox was put under another key, is not taken. Throws `disk_full`.
 */
export async function receive(
  ctx: Receiving,
  delivery: Delivery,
  lines: AsyncIterable<ReceivedLine> | Iterable<ReceivedLine>,
): Promise<Reply<Accepted | Job>> {
  const { reach, source } = delivery
  const job = {
    userId: reach.holderId,
    sandboxId: reach.sandboxId,
    id: newId('job', ctx.clock),
    sourceId: source?.id ?? null,
  }
  const refused: Refused = { received: 0, failed: 0, errors: [] }
  const projects = new Map<string, string | null>()
  let isOpen = false
  let pending = createPending()
  const store = async (isLast: boolean) => {
    await ctx.room.assert()
    if (delivery.isStream) await awaitRecords(ctx, reach, pending.count)
    if (isOpen) await assertStillReached(ctx, reach, 'editor')
    await storePending(ctx, delivery, { job, refused, isOpen, isLast }, pending.chunks())
    ctx.key?.hold()
    isOpen = true
    if (pending.count > 0) ctx.applier.wake(job)
    pending = createPending()
  }

  try {
    for await (const line of lines) {
      if ('decision' in line) pending.decide(line.decision)
      else {
        refused.received += 1
        const checked = await toWaiting(ctx, delivery, line, projects)
        if ('reason' in checked) refuse(refused, checked)
        else pending.add(line.source === undefined ? source : line.source, checked)
      }
      if (pending.isFull) await store(false)
    }
    await store(true)
  } catch (cause) {
    const taken = { ...refused, received: refused.received - pending.records }
    const cut = { ...job, sealTo: ctx.key?.seal.kept.publicKey }
    const cutShort = (tx: Tx) => {
      tellLater(tx)
      return cutJob(tx, cut, taken, CUT_OFF, ctx.clock.now())
    }
    if (isOpen) await ctx.sql.transact(reach.holderId, cutShort).catch(() => undefined)
    throw cause
  }
  return answer(ctx, delivery, job.id)
}

/** What has come so far, and what of it was not taken. */
type Refused = { received: number; failed: number; errors: FailedRecord[] }

function refuse(refused: Refused, failed: FailedRecord): void {
  refused.failed += 1
  if (refused.errors.length < NAMED_ERRORS_MAX) refused.errors.push(failed)
}

/** How far a delivery is. */
interface Progress {
  job: { userId: string; sandboxId: string; id: Id<'job'>; sourceId: string | null }
  refused: Refused
  /** Something of it is stored already. */
  isOpen: boolean
  isLast: boolean
}

/** Stores what has come since the last time, in one transaction; with the last of it the event and the kept reply. */
async function storePending(
  ctx: Receiving,
  delivery: Delivery,
  { job, refused, isOpen, isLast }: Progress,
  chunks: SourceChunk[],
): Promise<void> {
  const { reach, source } = delivery
  const [first = { source, records: [] }, ...others] = chunks
  const projectId = delivery.projectId ?? reach.projectId
  const open = { ...job, type: delivery.jobType, projectId, createdAt: ctx.clock.now() }
  await ctx.sql.transact(reach.holderId, async (tx) => {
    const sealTo = await bindKey(ctx, tx, reach)
    for (const each of [first, ...others]) {
      // It may have been put under a key, or another one, since the request began.
      const kept = readKeptKey(await admitDelivery(ctx, tx, reach, each.source))
      if (kept && !ctx.key) throw new Fault('missing')
      if (kept && !ctx.key?.seal.fits(kept)) throw new Fault('mismatch')
    }
    const owned = <J extends object>(each: J, { source: own }: SourceChunk) => ({
      ...each,
      sealTo,
      sourceId: own?.id ?? null,
    })
    if (!isOpen && isLast && others.length === 0)
      await wholeJob(tx, owned(open, first), chunkFor(reach.projectId, first), refused)
    else {
      if (!isOpen) await openJob(tx, { ...open, sealTo })
      for (const each of chunks) await addChunk(tx, owned(job, each), chunkFor(reach.projectId, each), ctx.clock.now())
      if (isLast) await closeJob(tx, { ...job, sealTo }, refused, ctx.clock.now())
      else if (ctx.keyed) await renewClaim(tx, ctx.keyed.request, ctx.clock.now())
    }
    if (isLast) {
      await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: job.id })
      await keepReply(ctx, tx, accepted(ctx, delivery, job.id))
    } else tellLater(tx)
  })
}

async function toWaiting(
  ctx: Pick<Ctx, 'sql'>,
  { reach, projectId, isStorageOnly }: Delivery,
  line: Exclude<ReceivedLine, DecidedLine>,
  projects: Map<string, string | null>,
): Promise<WaitingRecord | FailedRecord> {
  const place = { line: line.line, ...(line.file !== undefined && { file: line.file }) }
  if ('error' in line) return { ...place, ...line.error }
  const problem = checkRecord(line.value)
  if (problem) return { ...place, ...problem }
  const input = line.value as RecordInput
  if (input.project_id) {
    const refusal = await projectRefusal(ctx, reach, input.project_id, projects)
    if (refusal) return { ...place, external_id: input.external_id, reason: refusal, detail: PROJECT_REFUSALS[refusal] }
  }
  return {
    content: {
      ...toRecordContent(input),
      ...(line.asOf && { as_of: line.asOf }),
      ...((isStorageOnly || line.isStorageOnly) && { storage_only: true }),
    },
    projectId: input.project_id ?? projectId,
    deleted: input.deleted === true,
    ...(line.isTimeAssumed && { isTimeAssumed: true }),
    ...place,
  }
}

const PROJECT_REFUSALS = {
  unknown_project: 'project_id is not a project of this sandbox.',
  project_archived: 'The project is archived.',
}

async function projectRefusal(
  ctx: Pick<Ctx, 'sql'>,
  reach: Reach,
  projectId: string,
  known: Map<string, string | null>,
) {
  if (reach.projectId && reach.projectId !== projectId) return 'unknown_project'
  if (!known.has(projectId)) known.set(projectId, await projectStatus(ctx, reach, projectId))
  const status = known.get(projectId)
  if (!status) return 'unknown_project'
  return status === 'archived' ? 'project_archived' : undefined
}

async function answer(
  ctx: Pick<Ctx, 'applier' | 'key' | 'signal' | 'sql' | 'stopping' | 'turn'>,
  delivery: Delivery,
  jobId: Id<'job'>,
): Promise<Reply<Accepted | Job>> {
  const { reach, waitSeconds } = delivery
  const deadline = performance.now() + waitSeconds * 1000
  ctx.turn.rest()
  while (waitSeconds > 0 && !ctx.signal.aborted && !ctx.stopping.aborted) {
    const job = await findJob(ctx, reach, jobId)
    if (job && (job.status === 'completed' || job.status === 'failed')) return reply<Accepted | Job>(200, job)
    const left = deadline - performance.now()
    if (left <= 0) break
    await ctx.applier.untilCompleted(jobId, Math.min(left, RECHECK_MS))
  }
  return reply<Accepted | Job>(202, accepted(ctx, delivery, jobId))
}

function accepted({ key }: Pick<Ctx, 'key'>, { reach, projectId }: Delivery, jobId: Id<'job'>): Accepted {
  return {
    job_id: jobId,
    status: 'queued',
    encrypted: key !== undefined,
    sandbox_id: reach.sandboxId as Id<'sandbox'>,
    project_id: projectId,
    status_url: `/api/v1/storage/sandboxes/${reach.sandboxId}/ingest/${jobId}`,
  }
}

/** Another process may complete the job without telling this one. */
const RECHECK_MS = 250

/**
 * The job as the contract shows it, or undefined when the reach has no such job. A job counts and names what came in,
 * so who is limited to a project sees those alone that came in within it.
 */
export async function findJob(ctx: Pick<Ctx, 'key' | 'sql'>, reach: Reach, jobId: string): Promise<Job | undefined> {
  const row = await ctx.sql.transact(reach.holderId, (tx) => {
    const found = tx
      .selectFrom('job')
      .selectAll()
      .where('user_id', '=', reach.holderId)
      .where('sandbox_id', '=', reach.sandboxId)
      .where('id', '=', jobId)
    const inScope = reach.projectId === null ? found : found.where('project_id', '=', reach.projectId)
    return inScope.executeTakeFirst()
  })
  return row && wireJob(row, ctx.key?.seal)
}
