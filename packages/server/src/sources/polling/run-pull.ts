import { Fault } from '../../base/fault.ts'
import { findPullFailure, PullFailure } from '../../base/pull-failure.ts'
import { abortedBy, timeoutSignal } from '../../base/timeout-signal.ts'
import { hasValues, ofSandbox } from '../../db/of-sandbox.ts'
import type { DocumentReaders } from '../../documents/processes/open-document-readers.ts'
import type { Applier } from '../../ingest/applier.ts'
import { WAITING_FOR_KEY_MESSAGE } from '../../ingest/inbox.ts'
import type { Planes } from '../../store/planes.ts'
import { decryptCursor } from '../../tenancy/caller-keys/credential-cipher.ts'
import type { PullCursor } from '../connectors/connector.ts'
import { connectorFor } from '../connectors/connector-for.ts'
import { findCredential } from '../registry/store.ts'
import { type ToolServers, toolPortFor } from '../tool-servers/tool-port.ts'
import { LEASE_MS, leaseEnd, type RandomSource, READ_STATES } from './due.ts'
import {
  endRun,
  type PullEnd,
  type PullPlanes,
  type PullRun,
  type SourceRef,
  takeRun,
  updateSourceOf,
} from './pull-run.ts'
import { storePage } from './store-page.ts'

/** Returns the decrypted credential of a source; undefined if it has none. Throws `missing` and `mismatch`. */
type OpenCredential = (source: SourceRef & { provider: string }) => Promise<string | undefined>

/** Further dependencies of pulls. */
export interface PullPort {
  readonly applier: Pick<Applier, 'wake'>
  readonly fetch: typeof globalThis.fetch
  readonly openCredential: OpenCredential
  readonly chance: RandomSource
  /** Counts records against the sandbox's rate limit. Resolves to the milliseconds to wait before the next page. */
  readonly takeRecords: (run: PullRun, count: number) => Promise<number>
  /** Access to MCP servers. Without it, sources that are MCP servers are not polled. */
  readonly toolServers?: ToolServers
  /** Parsers of documents. If omitted, web pages are not read. */
  readonly documents?: DocumentReaders
}

/** Outcome of `runPull`: the result of the pull, a lost lease, no due pull, or a missing key. */
export type PullOutcome = PullEnd['outcome'] | 'lost' | 'not_due' | 'keyless'

/** Duration of a scheduler slot in milliseconds. A longer pull yields to the others and continues after them. */
const PULL_SLICE_MS = 5 * 60_000
/** Timeout of a pull in milliseconds. */
const PULL_MS_MAX = 30 * 60_000
/** Number of process deaths after which a job is abandoned. */
const DEATHS_MAX = 5
/** Milliseconds before another attempt to decrypt a credential, if the key in memory is not the current one. */
const KEY_RETRY_MS = 5_000
const RENEWALS_PER_LEASE = 3

/** Milliseconds to wait if a page cannot be stored. This does not count as a failure of the source. */
const UNAVAILABLE_MS = 5_000

class LeaseLost extends Error {}

/** Runs one pull of a due source, unless another process does. Records errors of the pull and does not throw them. */
export async function runPull(
  planes: PullPlanes,
  port: PullPort,
  ref: SourceRef,
  stopping: AbortSignal,
): Promise<PullOutcome> {
  const run = await takeRun(planes, ref)
  if (!run) return 'not_due'
  const startedMs = performance.now()
  const leaseLoss = new AbortController()
  const stopRenewing = renewRegularly(planes, run, leaseLoss)
  const stop = abortedBy(stopping, leaseLoss.signal, timeoutSignal(PULL_MS_MAX))
  let end: PullEnd
  let isKeyless = false
  try {
    end = await readPages(planes, port, run, stop.signal)
  } catch (error) {
    if (error instanceof LeaseLost || leaseLoss.signal.aborted) end = { outcome: 'unfinished' }
    else if (stopping.aborted) end = { outcome: 'unfinished' }
    else if (error instanceof Fault && error.code === 'encryption_key_required') {
      await awaitPullKey(planes, ref)
      isKeyless = true
      end = { outcome: 'unfinished', waitMs: KEY_RETRY_MS }
    } else end = failureOf(planes, run, error, stop.signal)
  } finally {
    stopRenewing()
    stop.abort()
  }
  await endRun(planes, run, end, port.chance)
  const outcome = leaseLoss.signal.aborted ? 'lost' : isKeyless ? 'keyless' : end.outcome
  planes.log.info('pull', {
    sandboxId: run.sandboxId,
    sourceId: run.sourceId,
    jobId: run.jobId,
    reason: end.outcome === 'failed' ? end.reason : outcome,
    durationMs: Math.round(performance.now() - startedMs),
  })
  return outcome
}

async function readPages(planes: PullPlanes, port: PullPort, run: PullRun, signal: AbortSignal): Promise<PullEnd> {
  if (run.deaths >= DEATHS_MAX) throw new PullFailure('interrupted')
  const { source } = run
  const { pull } = connectorFor(source.provider)
  if (!pull) throw new PullFailure('misconfigured')
  const credential = await port.openCredential({ ...run, provider: source.provider })
  const startedMs = performance.now()
  let since = source.poll_since
  let before = 0
  const pages = pull({
    settings: { config: source.adapter_config, accountId: source.external_account_id },
    credential,
    cursor: cursorOf(run),
    since: since ?? undefined,
    now: planes.clock.now(),
    fetch: port.fetch,
    signal,
    toolServers: port.toolServers && toolPortFor(planes, port.toolServers, source, signal),
    documents: port.documents?.open(run.userId),
  })
  for await (const page of pages) {
    signal.throwIfAborted()
    const stored = await storePage(planes, run, page, { since, before }).catch(unavailable)
    if (stored === 'unavailable') return { outcome: 'unfinished', waitMs: UNAVAILABLE_MS }
    if (!stored) throw new LeaseLost()
    since = null
    before += page.records.length + (page.failures?.length ?? 0)
    if (page.records.length > 0) port.applier.wake(run)
    const waitMs = page.records.length > 0 ? await port.takeRecords(run, page.records.length) : 0
    if (waitMs > 0) return { outcome: 'unfinished', waitMs }
    if (performance.now() - startedMs > PULL_SLICE_MS) return { outcome: 'unfinished' }
  }
  return { outcome: 'done' }
}

/** Returns `unavailable` for a database or disk that is temporarily unavailable. Rethrows other errors. */
function unavailable(cause: unknown): 'unavailable' {
  if (cause instanceof Fault && cause.code === 'unavailable') return 'unavailable'
  throw cause
}

function cursorOf({ source: { id, poll_cursor: stored }, seal }: PullRun): PullCursor | undefined {
  if (stored === null) return undefined
  if (seal) return decryptCursor(seal, id, stored)
  // A `sealed` cursor is encrypted with the key of an earlier credential.
  return 'sealed' in stored ? undefined : stored
}

function failureOf(planes: PullPlanes, run: PullRun, error: unknown, signal: AbortSignal): PullEnd {
  const known = findPullFailure(error)
  if (known) return { outcome: 'failed', reason: known.reason, retryAfterMs: known.retryAfterMs }
  if (signal.aborted) return { outcome: 'failed', reason: 'timeout' }
  planes.log.error('pull failed', { sandboxId: run.sandboxId, sourceId: run.sourceId, error })
  return { outcome: 'failed', reason: 'internal' }
}

/** Renews the lease regularly. Aborts `leaseLoss` if the lease is lost or the source must no longer be polled. */
function renewRegularly(planes: PullPlanes, run: PullRun, leaseLoss: AbortController): () => void {
  const renew = async () => {
    const renewed = await planes.sql.transact(run.userId, (tx) =>
      updateSourceOf(tx, run)
        .set({ poll_until: leaseEnd(planes.clock.now()) })
        .where(hasValues({ poll_epoch: run.epoch, poll_owner: planes.ownerId }))
        .where('status', 'in', READ_STATES)
        .executeTakeFirst(),
    )
    if (renewed.numUpdatedRows === 0n) leaseLoss.abort()
  }
  const timer = setInterval(() => {
    renew().catch((error: unknown) => planes.log.warn('poll lease not renewed', { error }))
  }, LEASE_MS / RENEWALS_PER_LEASE)
  return () => clearInterval(timer)
}

/** Marks the job of a pull as waiting for its sandbox's key. The job continues when the key is sent. */
export async function awaitPullKey(planes: Pick<Planes, 'sql'>, ref: SourceRef): Promise<void> {
  const { userId, sandboxId, sourceId } = ref
  await planes.sql.transact(userId, (tx) =>
    tx
      .updateTable('job')
      .set({ error_message: WAITING_FOR_KEY_MESSAGE })
      .where(ofSandbox({ userId, sandboxId }, { source_id: sourceId }))
      .where('status', 'in', ['queued', 'processing'])
      .where('error_message', 'is', null)
      .where((is) =>
        is.exists(
          is
            .selectFrom('source')
            .select('source.id')
            .whereRef('source.user_id', '=', 'job.user_id')
            .whereRef('source.sandbox_id', '=', 'job.sandbox_id')
            .whereRef('source.poll_job_id', '=', 'job.id'),
        ),
      )
      .execute(),
  )
}

/** Returns true if a running or requested pull in the sandbox needs the sandbox's key. */
export async function isKeyAwaited(
  planes: Pick<Planes, 'sql'>,
  { userId, sandboxId }: Pick<SourceRef, 'userId' | 'sandboxId'>,
): Promise<boolean> {
  const found = await planes.sql.transact(userId, (tx) =>
    tx
      .selectFrom('source')
      .select('id')
      .where(ofSandbox({ userId, sandboxId }))
      .where('credential_under_key', '=', true)
      .where('poll_job_id', 'is not', null)
      .where('status', 'in', READ_STATES)
      .limit(1)
      .executeTakeFirst(),
  )
  return found !== undefined
}

/**
 * Returns a function that decrypts a source's current `provider_credential`. It throws `missing` if the credential
 * needs the sandbox's key and this process does not have it in memory.
 */
export function openCredentials({ sql, secrets, seals }: Pick<Planes, 'sql' | 'secrets' | 'seals'>): OpenCredential {
  return ({ userId, sandboxId, sourceId }) =>
    sql.transact(userId, async (tx) => {
      const source = await tx
        .selectFrom('source')
        .innerJoin('sandbox_head as head', (join) =>
          join.onRef('head.user_id', '=', 'source.user_id').onRef('head.sandbox_id', '=', 'source.sandbox_id'),
        )
        .select(['source.user_id', 'source.sandbox_id', 'source.credential_ref', 'source.credential_under_key'])
        .select('head.key_epoch')
        .where('source.user_id', '=', userId)
        .where('source.sandbox_id', '=', sandboxId)
        .where('source.id', '=', sourceId)
        .executeTakeFirst()
      const epoch = source?.key_epoch ?? undefined
      const seal = epoch === undefined ? undefined : seals.find(sandboxId, epoch)
      return source && findCredential(secrets, tx, source, seal)
    })
}
