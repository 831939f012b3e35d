import { setTimeout as sleep } from 'node:timers/promises'
import { createBackoffs } from '../../base/backoffs.ts'
import { MS_PER_MINUTE } from '../../base/clock.ts'
import { oneAtATime } from '../../base/one-at-a-time.ts'
import type { Tx } from '../../db/open.ts'
import type { Applier } from '../../ingest/applier.ts'
import type { Planes } from '../../store/planes.ts'
import { spaceOf, type VectorSpace } from '../../store/vector-space.ts'
import { createRetainedKeys } from '../../tenancy/caller-keys/retained-keys.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { ModelFailure } from '../models/model.ts'
import { type EmbeddingContext, makeVectors } from './make-vectors.ts'

/** Number of sandboxes per query. */
const POLL_ROWS = 100
/**
 * Minimum and maximum delay in milliseconds before a failed sandbox or model is tried again. The delay doubles with
 * each failure.
 */
const RETRY_MS = 1_000
const RETRY_MS_MAX = 60_000
const MODEL = 'the model'
/** Milliseconds between queries for sandboxes that wait for their key. */
const KEYS_POLL_MS = 60_000

/**
 * Milliseconds without a batch after which an ingest counts as ended. Bulk ingest has shorter pauses; occasional
 * records nearly always have longer ones.
 */
const QUIET_MS = 100
/** Maximum wait in milliseconds. Under continuous ingest, one request is made after each such interval. */
const PATIENCE_MS = 30_000

interface VectorMakerParts extends Pick<EmbeddingContext, 'embedder'> {
  applier: EmbeddingContext['applier'] & Pick<Applier, 'idleMs'>
}

/** Background worker that computes vectors after ingest. */
interface VectorMaker {
  /** Aborts the current run and stops. */
  stop(): Promise<void>
}

/**
 * Starts the worker. It processes the sandboxes in turn, with one bounded run and one request at a time, within the
 * configured rate limit. Sandboxes with buckets of their own are processed in parallel to the others. A sandbox with a
 * customer-managed key waits for a request that sends the key. The key is then retained until all vectors exist.
 */
export function startVectorMaker(planes: Planes, tools: VectorMakerParts): VectorMaker {
  const stopping = new AbortController()
  const { signal } = stopping
  const backoffs = createBackoffs(RETRY_MS, RETRY_MS_MAX)
  const { config } = tools.embedder
  const pace = config.isLocal
    ? () => awaitQuiet(tools.applier.idleMs, signal)
    : createPace(MS_PER_MINUTE / config.requestsPerMinute, signal)
  const making = { ...tools, pace, signal }

  const processOne = async (sandbox: SandboxRef): Promise<boolean> => {
    const { sandboxId } = sandbox
    try {
      const isDone = await makeVectors(planes, sandbox, making)
      for (const key of [sandboxId, MODEL]) backoffs.succeeded(key)
      return isDone
    } catch (error) {
      if (signal.aborted) return false
      backoffs.failed(error instanceof ModelFailure ? MODEL : sandboxId)
      if (!(error instanceof ModelFailure)) planes.log.warn('embedding records failed', { sandboxId, error })
      return false
    }
  }

  // Any node that holds a customer-managed key can process its sandbox.
  const isMine = (sandboxId: string) =>
    planes.cluster.isLocal(sandboxId) || planes.seals.findAny(sandboxId) !== undefined
  const space = spaceOf(config)
  const keys = createRetainedKeys(planes.seals, (sandbox) => isIncomplete(planes, space, sandbox))
  const work = async (isOwn: boolean): Promise<void> => {
    let after: SandboxRef = FIRST
    for (let hasMore = true; hasMore && !signal.aborted; ) {
      hasMore = false
      const sandboxes = await listSome(planes, (tx) => incomplete(tx, space, planes.seals), after)
      after = sandboxes.length === POLL_ROWS ? (sandboxes.at(-1) as SandboxRef) : FIRST
      for (const sandbox of sandboxes) {
        if (signal.aborted) return
        const { sandboxId } = sandbox
        keys.retain(sandbox)
        if (!isMine(sandboxId) || !backoffs.isDue(MODEL) || !backoffs.isDue(sandboxId)) continue
        if ((await planes.buckets.isOwn(sandbox)) === isOwn && (await processOne(sandbox))) hasMore = true
      }
      if (after !== FIRST) hasMore = true
      await keys.releaseIdle()
    }
  }

  const working = [false, true].map((isOwn) =>
    oneAtATime(
      () => work(isOwn),
      (error) => planes.log.warn('polling for records without vectors failed', { error }),
    ),
  )
  const begin = () => {
    for (const each of working) each.begin()
  }
  planes.workPoller.watch((tx) => incomplete(tx, space, planes.seals), begin)
  const readUnderKey = (sandbox: SandboxRef) => {
    if (signal.aborted) return
    keys.retain(sandbox)
    begin()
  }
  const awaitKeys = async (): Promise<void> => {
    for (let after: SandboxRef | undefined = FIRST; after && !signal.aborted; ) {
      const sandboxes = await listSome(planes, (tx) => notEmbedded(tx, space).where('key_epoch', 'is not', null), after)
      for (const sandbox of sandboxes) {
        planes.seals.whenHeld(sandbox.sandboxId, 'vectors', () => readUnderKey(sandbox))
      }
      after = sandboxes.length === POLL_ROWS ? sandboxes.at(-1) : undefined
    }
  }
  const pollingKeys = space.isLocal ? repeat(awaitKeys, planes, signal) : undefined
  // The request that sent the key may end before the next poll, so the key is retained here.
  if (space.isLocal) {
    planes.knowledge.onCommitted((sandbox, { keyEpoch }) => {
      if (keyEpoch !== null) readUnderKey(sandbox)
    })
  }
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all([pollingKeys, ...working.map(({ ended }) => ended)])
      keys.releaseAll()
    },
  }
}

/** Runs `poll` immediately and then periodically until aborted. */
async function repeat(poll: () => Promise<void>, { log }: Planes, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await poll().catch((error: unknown) => log.warn('polling for records that wait for keys failed', { error }))
    await sleep(KEYS_POLL_MS, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

const FIRST: SandboxRef = { userId: '', sandboxId: '' }

/** Returns a function that waits until `everyMs` milliseconds have passed since its previous call was due. */
function createPace(everyMs: number, signal: AbortSignal): () => Promise<void> {
  let nextMs = 0
  return async () => {
    signal.throwIfAborted()
    const nowMs = performance.now()
    const dueMs = Math.max(nowMs, nextMs)
    nextMs = dueMs + everyMs
    if (dueMs > nowMs) await sleep(dueMs - nowMs, undefined, { signal })
  }
}

/** Returns the next sandboxes that match a query, in order. */
async function listSome(
  planes: Planes,
  find: (tx: Tx) => ReturnType<typeof notEmbedded>,
  { userId, sandboxId }: SandboxRef,
): Promise<SandboxRef[]> {
  const rows = await planes.sql.transact({ worker: true }, (tx) =>
    find(tx)
      .where((is) => is(is.refTuple('user_id', 'sandbox_id'), '>', is.tuple(userId, sandboxId)))
      .orderBy('user_id')
      .orderBy('sandbox_id')
      .limit(POLL_ROWS)
      .execute(),
  )
  return rows.map((row) => ({ userId: row.user_id, sandboxId: row.sandbox_id }))
}

/** Returns true if the sandbox has records without vectors. */
async function isIncomplete(planes: Planes, space: VectorSpace, { userId, sandboxId }: SandboxRef): Promise<boolean> {
  const found = await planes.sql.transact(userId, (tx) =>
    notEmbedded(tx, space).where('user_id', '=', userId).where('sandbox_id', '=', sandboxId).executeTakeFirst(),
  )
  return found !== undefined
}

/**
 * Selects the sandboxes that can be processed. A sandbox with a customer-managed key is selected only if the key is
 * held.
 */
function incomplete(tx: Tx, space: VectorSpace, seals: Planes['seals']) {
  const held = space.isLocal ? seals.sandboxIds() : []
  return notEmbedded(tx, space).where((is) =>
    is.or([is('key_epoch', 'is', null), ...(held.length > 0 ? [is('sandbox_id', 'in', held)] : [])]),
  )
}

/** Selects the sandboxes whose head is after the last commit with complete vectors in this vector space. */
function notEmbedded(tx: Tx, { key }: VectorSpace) {
  return (
    tx
      .selectFrom('sandbox_head')
      .select(['user_id', 'sandbox_id'])
      .where('seq', '>', 0)
      // Sandboxes that are being reindexed are skipped. The new version copies existing vectors, and vectors computed
      // meanwhile would be lost.
      .where('reread_up_to', '=', 0)
      .where((is) => is.or([is('seq', '>', is.ref('vectored_seq')), is('vector_space', 'is distinct from', key)]))
  )
}

/**
 * Waits until no batch of records has been applied for a moment. Encoding slows down a concurrent ingest at any thread
 * priority, because CPU cores share memory bandwidth. Throws if aborted.
 * @param quietMs returns the milliseconds since a batch was last applied
 */
export async function awaitQuiet(quietMs: () => number, signal: AbortSignal, patienceMs = PATIENCE_MS): Promise<void> {
  const untilMs = performance.now() + patienceMs
  while (quietMs() < QUIET_MS && performance.now() < untilMs) await sleep(QUIET_MS / 2, undefined, { signal })
}
