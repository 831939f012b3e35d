import { setTimeout as sleep } from 'node:timers/promises'
import { createBackoffs } from '../../base/backoffs.ts'
import { MS_PER_MINUTE } from '../../base/clock.ts'
import { oneAtATime } from '../../base/one-at-a-time.ts'
import type { Tx } from '../../db/open.ts'
import type { Planes } from '../../store/planes.ts'
import { spaceOf } from '../../store/vector-space.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { ModelFailure } from '../models/model.ts'
import { type Making, makeVectors } from './make-vectors.ts'

/** Sandboxes of one look. */
const LOOK_ROWS = 100
/** What failed is left alone for so long, and twice as long each time: a sandbox's store, or the model. */
const RETRY_MS = 1_000
const RETRY_MS_MAX = 60_000
const MODEL = 'the model'

/** The worker that makes vectors behind the applier. */
interface VectorMaker {
  /** Ends the turn at work and stops. */
  stop(): Promise<void>
}

/**
 * Makes vectors of what has none, taking sandboxes in turn, one bounded turn and one request at a time, and no more of
 * them in a minute than is configured. Sandboxes with buckets of their own are worked on beside the others.
 */
export function startVectorMaker(planes: Planes, tools: Pick<Making, 'applier' | 'embedder'>): VectorMaker {
  const stopping = new AbortController()
  const { signal } = stopping
  const backoffs = createBackoffs(RETRY_MS, RETRY_MS_MAX)
  const { config } = tools.embedder
  const making = { ...tools, pace: createPace(MS_PER_MINUTE / config.requestsPerMinute, signal), signal }

  const takeTurn = async (sandbox: SandboxRef): Promise<boolean> => {
    const { sandboxId } = sandbox
    try {
      const isDone = await makeVectors(planes, sandbox, making)
      for (const key of [sandboxId, MODEL]) backoffs.succeeded(key)
      return isDone
    } catch (error) {
      if (signal.aborted) return false
      backoffs.failed(error instanceof ModelFailure ? MODEL : sandboxId)
      if (!(error instanceof ModelFailure)) planes.log.warn('no vectors were made', { sandboxId, error })
      return false
    }
  }

  // A sandbox under a key can be worked on where somebody holds that.
  const isMine = (sandboxId: string) =>
    planes.cluster.isHere(sandboxId) || planes.seals.findAny(sandboxId) !== undefined
  const { key: space } = spaceOf(config)
  const work = async (isOwn: boolean): Promise<void> => {
    let after: SandboxRef = FIRST
    for (let isAtWork = true; isAtWork && !signal.aborted; ) {
      isAtWork = false
      const sandboxes = await listIncomplete(planes, space, after)
      after = sandboxes.length === LOOK_ROWS ? (sandboxes.at(-1) as SandboxRef) : FIRST
      for (const sandbox of sandboxes) {
        if (signal.aborted) return
        const { sandboxId } = sandbox
        if (!isMine(sandboxId) || !backoffs.isDue(MODEL) || !backoffs.isDue(sandboxId)) continue
        if ((await planes.buckets.isOwn(sandbox)) === isOwn && (await takeTurn(sandbox))) isAtWork = true
      }
      if (after !== FIRST) isAtWork = true
    }
  }

  const working = [false, true].map((isOwn) =>
    oneAtATime(
      () => work(isOwn),
      (error) => planes.log.warn('the look for records without vectors failed', { error }),
    ),
  )
  planes.lookout.watch(
    (tx) => incomplete(tx, space),
    () => {
      for (const each of working) each.begin()
    },
  )
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all(working.map(({ ended }) => ended))
    },
  }
}

const FIRST: SandboxRef = { userId: '', sandboxId: '' }

/** Waits until so many milliseconds have passed since what it last let go. */
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

async function listIncomplete(planes: Planes, space: number, { userId, sandboxId }: SandboxRef): Promise<SandboxRef[]> {
  const rows = await planes.sql.transact({ worker: true }, (tx) =>
    incomplete(tx, space)
      .where((is) => is(is.refTuple('user_id', 'sandbox_id'), '>', is.tuple(userId, sandboxId)))
      .orderBy('user_id')
      .orderBy('sandbox_id')
      .limit(LOOK_ROWS)
      .execute(),
  )
  return rows.map((row) => ({ userId: row.user_id, sandboxId: row.sandbox_id }))
}

/** Sandboxes with commits since every record had vectors of this space; none under a caller's key. */
function incomplete(tx: Tx, space: number) {
  return (
    tx
      .selectFrom('sandbox_head')
      .select(['user_id', 'sandbox_id'])
      .where('key_epoch', 'is', null)
      .where('seq', '>', 0)
      // A version that is read anew takes the vectors along that it has, and those being made of it would be lost.
      .where('reread_up_to', '=', 0)
      .where((is) => is.or([is('seq', '>', is.ref('vectored_seq')), is('vector_space', 'is distinct from', space)]))
  )
}
