import type { Accepted, FailedRecord, Id, Job } from '@cairnstore/contract'
import { Fault } from '../base/fault.ts'
import { newId } from '../base/id.ts'
import { createYieldPoint } from '../base/yield-point.ts'
import type { Tx } from '../db/open.ts'
import { REFUSALS } from '../documents/document.ts'
import { type AccessScope, assertStillAllowed } from '../tenancy/access/access-scope.ts'
import { recordLater } from '../tenancy/audit/audited-sql.ts'
import { type AuditContext, recordEvent } from '../tenancy/audit/record-event.ts'
import { bindKey } from '../tenancy/caller-keys/credential-cipher.ts'
import { readStoredKey } from '../tenancy/caller-keys/retained-keys.ts'
import { NO_WAIT, type Reply, type Wait } from '../tenancy/handler.ts'
import { type IdempotencyContext, renewClaim, storeReply } from '../tenancy/idempotency/keyed-request.ts'
import { awaitRecords } from '../tenancy/limits/rates.ts'
import { acceptLater } from './accept-later.ts'
import { admitDelivery } from './admit-delivery.ts'
import type { IngestCtx } from './context.ts'
import { countFile, deleteOldestFiles, FILES_PER_WRITE, type IncomingFiles, storeFiles } from './files/store-files.ts'
import {
  addChunk,
  closeJob,
  countReceived,
  INTERRUPTED_MESSAGE,
  insertCompleteJob,
  interruptJob,
  NAMED_ERRORS_MAX,
  openJob,
} from './inbox.ts'
import { acceptedReply, replyOf } from './jobs.ts'
import { createKeyedMutex } from './keyed-mutex.ts'
import type { ReceivedLine, ReceivingSource } from './receiving-source.ts'
import { countLines, type LineCount, leaveReason, type StoredDelivery } from './stored-delivery.ts'
import {
  CHUNK_RECORDS_MAX,
  chunkFor,
  createPendingChunks,
  type SourceChunk,
  toWaitingRecord,
} from './to-waiting-record.ts'

interface Delivery {
  access: AccessScope
  source: ReceivingSource | null
  jobType: string
  wait: Wait
  projectId: string | null
  /** True for a delivery of any length. It is slowed down to the sandbox's rate limit. */
  isStream?: boolean
  /** True if the records are only stored and exported, and their text is not searched. */
  isStorageOnly?: boolean
  /**
   * Set if the whole input is available, so that the sender need not wait. It is called with the reply if reading takes
   * long; reading then continues. Before that, the job and its input are stored durably.
   */
  accept?: (reply: Promise<Reply<Accepted | Job>>) => void
  /** Stores the input from the acceptance until the job ends. */
  stored?: StoredDelivery
  /** True if the delivery is a single file. If it cannot be read, the request itself is rejected. */
  isOneFile?: boolean
}

/** Milliseconds of reading before it yields to other work. */
const SLICE_MS = 5
export type ReceiveContext = Pick<
  IngestCtx,
  | 'applier'
  | 'key'
  | 'limits'
  | 'ownerId'
  | 'questions'
  | 'rates'
  | 'diskSpace'
  | 'signal'
  | 'sql'
  | 'stopping'
  | 'slot'
> &
  Pick<IngestCtx, 'knowledge'> &
  AuditContext &
  IdempotencyContext

/**
 * Receives records. Validates each one and stores the valid ones in the inbox in chunks. Replies when all are on disk.
 * Invalid records are counted and listed in the job. Records that arrive after the caller's grant was revoked or the
 * sandbox's key changed are rejected. Throws `disk_full` and `sandbox_too_large`.
 */
export async function receive(
  ctx: ReceiveContext,
  delivery: Delivery,
  lines: AsyncIterable<ReceivedLine> | Iterable<ReceivedLine>,
): Promise<Reply<Accepted | Job>> {
  const { access, source, accept, stored } = delivery
  const job = {
    userId: access.holderId,
    sandboxId: access.sandboxId,
    id: stored?.jobId ?? newId('job', ctx.clock),
    sourceId: source?.id ?? null,
  }
  const isResumed = stored?.resumedFrom !== undefined
  const count = stored && countLines(stored.resumedFrom)
  const initial = { hasFiles: isResumed, isOpen: isResumed, isAccepted: isResumed, count }
  const progress: Progress = { job, refused: noRejections(), files: new Map(), ...initial }
  const projects = new Map<string, string | null>()
  const yieldPoint = createYieldPoint(SLICE_MS, ctx.questions)
  const mutex = createKeyedMutex()
  let pending = createPendingChunks()
  const store = async (isLast: boolean) => {
    await ctx.diskSpace.assert()
    ctx.knowledge.graphs.assertFits(access)
    if (delivery.isStream) await awaitRecords({ ...ctx, signal: later.signal }, access, pending.count)
    await mutex.run(job.id, async () => {
      if (progress.isOpen) await assertStillAllowed(ctx, access, 'editor')
      await storePending(ctx, delivery, progress, { chunks: pending.chunks(), isLast })
    })
    // After the reply, nobody would release the key. Later records wait for the next request with the key.
    if (!progress.isAccepted || isResumed) ctx.key?.hold()
    if (pending.count > 0) ctx.applier.wake(job)
    pending = createPendingChunks()
  }
  const acceptNow = async (onAccepted: NonNullable<Delivery['accept']>) => {
    if (stored && !(await stored.store())) return false
    await mutex.run(job.id, () =>
      storePending(ctx, delivery, progress, { chunks: [], isLast: false, isAccepted: true }),
    )
    onAccepted(replyOf(ctx, { ...delivery, wait: waitAfter }, job.id))
    return true
  }
  // For a single file, the sender's whole wait comes before acceptance, so that a quick result is returned directly.
  const [waitBefore, waitAfter] = delivery.isOneFile ? [delivery.wait, NO_WAIT] : [NO_WAIT, delivery.wait]
  const later = acceptLater(ctx, accept && (() => acceptNow(accept)), waitBefore)

  try {
    for await (const line of lines) {
      if (progress.isAccepted) later.signal.throwIfAborted()
      if (!line.isDerived && count?.isStored(line)) {
        await yieldPoint()
        continue
      }
      if ('expected' in line) {
        progress.refused.expected += line.expected
        if (line.expected >= CHUNK_RECORDS_MAX) await store(false)
        continue
      }
      if ('decision' in line) pending.decide(line.decision)
      else {
        progress.refused.received += 1
        const checked = await toWaitingRecord(ctx, delivery, line, projects)
        if (line.file !== undefined) {
          progress.hasFiles = true
          countFile(progress.files, line.file, 'error' in line ? line.error.reason : undefined)
        }
        if ('reason' in checked) addRejection(progress.refused, checked)
        else pending.add(line.source === undefined ? source : line.source, checked)
      }
      if (pending.isFull || progress.files.size >= FILES_PER_WRITE) await store(false)
      await yieldPoint()
    }
    count?.assertComplete()
    await later.settled()
    if (delivery.isOneFile && !progress.isOpen) await rejectUnreadFile(ctx, delivery, progress)
    await store(true)
  } catch (cause) {
    await later.settled().catch(() => undefined)
    const outcome = progress.isAccepted && stored ? leaveReason(cause, later.signal.aborted) : undefined
    if (outcome) await stored?.leave(outcome)
    else await cutOff(ctx, delivery, progress, pending.records, cause)
    throw cause
  } finally {
    later.end()
  }
  return replyOf(ctx, progress.isAccepted ? { ...delivery, wait: NO_WAIT } : delivery, job.id)
}

/**
 * Throws `unsupported_file` with the reason if the delivery is a single file that cannot be read. The source's run
 * still lists the file, so that answers can mention it as unread.
 */
async function rejectUnreadFile(
  ctx: ReceiveContext,
  delivery: Delivery,
  { job, refused, files }: Progress,
): Promise<void> {
  const [error] = refused.errors
  if (refused.received !== 1 || !error || !(error.reason in REFUSALS)) return
  const { access } = delivery
  const [projectId, at] = [delivery.projectId ?? access.projectId, ctx.clock.now()]
  await ctx.sql.transact(access.holderId, async (tx) => {
    recordLater(tx)
    const sealTo = await bindKey(ctx, tx, access)
    const open = { ...job, type: delivery.jobType, projectId, createdAt: at, sealTo }
    await insertCompleteJob(tx, open, { provider: delivery.source?.provider ?? '', records: [] }, refused)
    await storeFiles(tx, job, files, { seal: ctx.key?.seal, projectId, at })
    await deleteOldestFiles(tx, job)
  })
  const problems = [{ loc: ['body'], msg: error.detail, type: error.reason }]
  throw new Fault('unsupported_file', { detail: `${error.detail} ${SUPPORTED_FORMATS}`, problems })
}

const SUPPORTED_FORMATS =
  'Supported formats: PDF, Word, PowerPoint, Excel, OpenDocument, RTF, CSV, HTML, EPUB, Markdown, text, code, JSON, ' +
  'YAML, ' +
  'mail, calendars, address books, and archives of these.'

/** Ends the job of a delivery that was interrupted. Records that were not stored yet are not counted. */
async function cutOff(
  ctx: ReceiveContext,
  { access, stored }: Delivery,
  { job, refused, isOpen, isAccepted }: Progress,
  notStored: number,
  cause: unknown,
): Promise<void> {
  if (!isAccepted) await stored?.drop()
  if (!isOpen) return
  const message = isAccepted && cause instanceof Fault ? `${INTERRUPTED_MESSAGE} ${cause.detail}` : INTERRUPTED_MESSAGE
  const cut = async (tx: Tx) => {
    recordLater(tx)
    if (isAccepted) await stored?.end(tx)
    const sealed = { ...job, sealTo: ctx.key?.seal.storedKey.publicKey }
    await interruptJob(tx, sealed, { ...refused, received: refused.received - notStored }, message, ctx.clock.now())
  }
  await ctx.sql.transact(access.holderId, cut).catch(() => undefined)
}

/** Counts since the last write of received, expected and rejected records. */
type RejectedCounts = { received: number; expected: number; failed: number; errors: FailedRecord[] }

function addRejection(refused: RejectedCounts, failed: FailedRecord): void {
  refused.failed += 1
  if (refused.errors.length < NAMED_ERRORS_MAX) refused.errors.push(failed)
}

function noRejections(): RejectedCounts {
  return { received: 0, expected: 0, failed: 0, errors: [] }
}

interface Progress {
  readonly job: { userId: string; sandboxId: string; id: Id<'job'>; sourceId: string | null }
  refused: RejectedCounts
  /** The delivery's files since the last write. */
  files: IncomingFiles
  hasFiles: boolean
  /** True if a part of the delivery is stored. */
  isOpen: boolean
  /** True if the reply was sent while reading continues. */
  isAccepted: boolean
  /** Counts the lines of a resumable delivery. */
  readonly count: LineCount | undefined
}

/** One write of a delivery. The last or accepting one also stores the audit event and the idempotent response. */
interface StoringStep {
  chunks: SourceChunk[]
  isLast: boolean
  isAccepted?: boolean
}

/** Stores what arrived since the last write in one transaction, and updates the progress. */
async function storePending(
  ctx: ReceiveContext,
  delivery: Delivery,
  progress: Progress,
  { chunks, isLast, isAccepted = false }: StoringStep,
): Promise<void> {
  const { access, source, stored } = delivery
  const { job, files, isOpen, count } = progress
  const refused = { ...progress.refused, ...(count && !isLast && { read: count.upTo }) }
  const [first = { source, records: [] }, ...others] = chunks
  const projectId = delivery.projectId ?? access.projectId
  const open = { ...job, type: delivery.jobType, projectId, createdAt: ctx.clock.now() }
  const isWhole = !isOpen && isLast && others.length === 0
  await ctx.sql.transact(access.holderId, async (tx) => {
    if (progress.isAccepted) await stored?.assertHeld(tx)
    const sealTo = await bindKey(ctx, tx, access)
    for (const each of [first, ...others]) {
      // The sandbox's key may have changed since the request began.
      const storedKey = readStoredKey(await admitDelivery(ctx, tx, access, each.source))
      if (storedKey && !ctx.key) throw new Fault('missing')
      if (storedKey && !ctx.key?.seal.matches(storedKey)) throw new Fault('mismatch')
    }
    const owned = <J extends object>(each: J, { source: own }: SourceChunk) => ({
      ...each,
      sealTo,
      sourceId: own?.id ?? null,
    })
    if (isWhole) await insertCompleteJob(tx, owned(open, first), chunkFor(access.projectId, first), refused)
    else {
      if (!isOpen) await openJob(tx, { ...open, sealTo })
      for (const each of chunks) await addChunk(tx, owned(job, each), chunkFor(access.projectId, each), ctx.clock.now())
      if (isLast) await closeJob(tx, { ...job, sealTo }, refused, ctx.clock.now())
      else if (isAccepted) await countReceived(tx, { ...job, sealTo }, { accepted: ctx.ownerId }, ctx.clock.now())
      else await countReceived(tx, { ...job, sealTo }, refused, ctx.clock.now())
    }
    if (isAccepted) await stored?.accept(tx)
    if (isLast && progress.isAccepted) await stored?.end(tx)
    if (isLast && progress.hasFiles) await deleteOldestFiles(tx, job)
    if (!isAccepted) await storeFiles(tx, job, files, { seal: ctx.key?.seal, projectId, at: open.createdAt })
    if (isAccepted || (isLast && !progress.isAccepted)) {
      await recordEvent(ctx, tx, { holderId: access.holderId, sandboxId: access.sandboxId, subjectId: job.id })
      await storeReply(ctx, tx, acceptedReply(ctx, delivery, job.id))
    } else {
      if (ctx.keyed && !progress.isAccepted) await renewClaim(tx, ctx.keyed.request, ctx.clock.now())
      recordLater(tx)
    }
  })
  progress.isOpen = true
  progress.isAccepted ||= isAccepted
  if (isAccepted) return
  progress.refused = noRejections()
  progress.files = new Map()
}
