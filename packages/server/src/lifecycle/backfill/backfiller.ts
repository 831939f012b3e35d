import { setTimeout as sleep } from 'node:timers/promises'
import { createBackoffs } from '../../base/backoffs.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Applier } from '../../ingest/applier.ts'
import { createBulkhead } from '../../store/buckets/bulkhead.ts'
import { canWorkOn } from '../../store/cluster/can-work-on.ts'
import type { Planes } from '../../store/planes.ts'
import { createRetainedKeys } from '../../tenancy/caller-keys/retained-keys.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { backfillRecords } from './backfill-records.ts'

/** Milliseconds between two polls for sandboxes that could not be processed before. */
const POLL_MS = 1_000
/** Maximum number of sandboxes per query. */
const SANDBOXES_PER_POLL = 100
/** Milliseconds for which incoming records have priority. After that, a busy sandbox gets one slot per poll. */
const WAIT_MS_MAX = 60_000
/** Exponential backoff after a failure, in milliseconds. */
const RETRY_MS = 1_000
const RETRY_MS_MAX = 60_000

/** The worker that reindexes records from older program versions. */
interface Backfiller {
  /** Finishes the current slot and stops. */
  stop(): Promise<void>
}

/**
 * Reindexes records that an older program version wrote, while their sandboxes are idle. Sandboxes take turns in
 * bounded slots. Those with their own buckets are processed in parallel to the others. A sandbox with a
 * customer-managed key waits for a request with the key, which then stays in memory until its records are done. Ends
 * when nothing is left, because only a migration adds work, and migrations run before the start.
 */
export function startBackfiller(planes: Planes, applier: Applier): Backfiller {
  const stopping = new AbortController()
  const { signal } = stopping
  const backoffs = createBackoffs(RETRY_MS, RETRY_MS_MAX)
  const bulkhead = createBulkhead(planes.log, 'backfill in a customer bucket failed')
  const keys = createRetainedKeys(planes.seals, (sandbox) => isWaiting(planes, sandbox))
  const busySince = new Map<string, number>()

  const hasKey = (sandbox: WaitingSandbox): boolean => {
    if (sandbox.keyEpoch === null) return true
    const isHeld = planes.seals.find(sandbox.sandboxId, sandbox.keyEpoch) !== undefined
    if (isHeld) keys.retain(sandbox)
    else planes.seals.whenHeld(sandbox.sandboxId, 'rereading', () => keys.retain(sandbox))
    return isHeld
  }

  /** Returns true if incoming records of the sandbox have priority. */
  const mustWait = (sandboxId: string): boolean => {
    if (!applier.isBusy(sandboxId)) {
      busySince.delete(sandboxId)
      return false
    }
    const since = busySince.get(sandboxId) ?? performance.now()
    busySince.set(sandboxId, since)
    return performance.now() - since < WAIT_MS_MAX
  }

  /** Reindexes one batch of a sandbox. Returns true if another one may follow at once. */
  const backfillOnce = async (sandbox: SandboxRef): Promise<boolean> => {
    const { sandboxId } = sandbox
    try {
      const isDone = await backfillRecords(planes, applier, sandbox)
      backoffs.succeeded(sandboxId)
      return isDone && !busySince.has(sandboxId)
    } catch (error) {
      backoffs.failed(sandboxId)
      if (!signal.aborted) planes.log.warn('backfill of records failed', { sandboxId, error })
      return false
    }
  }

  /** Reindexes one batch of each sandbox. Returns true if some of them have more to do. */
  const backfillAll = async (sandboxes: readonly WaitingSandbox[]): Promise<boolean> => {
    let hasMore = false
    for (const sandbox of sandboxes) {
      if (signal.aborted) return false
      const { sandboxId } = sandbox
      if (!hasKey(sandbox) || !canWorkOn(planes, sandboxId) || !backoffs.isDue(sandboxId) || mustWait(sandboxId))
        continue
      if (await planes.buckets.isOwn(sandbox)) {
        bulkhead.begin(sandboxId, async () => void (await backfillRecords(planes, applier, sandbox)))
      } else if (await backfillOnce(sandbox)) hasMore = true
    }
    return hasMore
  }

  const work = async (): Promise<void> => {
    let after = FIRST
    while (!signal.aborted) {
      let hasMore = false
      try {
        const sandboxes = await listWaiting(planes, after)
        if (sandboxes.length === 0 && after === FIRST) return
        hasMore = await backfillAll(sandboxes)
        after = sandboxes.length === SANDBOXES_PER_POLL ? sandboxes.at(-1)! : FIRST
        await keys.releaseIdle()
      } catch (error) {
        planes.log.warn('the poll for records to backfill failed', { error })
      }
      if (!hasMore) await sleep(POLL_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  const working = work().finally(() => keys.releaseAll())
  return {
    stop: async () => {
      stopping.abort()
      await working
      await bulkhead.stopped
    },
  }
}

interface WaitingSandbox extends SandboxRef {
  readonly keyEpoch: number | null
}

const FIRST: SandboxRef = { userId: '', sandboxId: '' }

/** Lists sandboxes with records to reindex, in order. */
async function listWaiting(planes: Planes, { userId, sandboxId }: SandboxRef): Promise<WaitingSandbox[]> {
  const rows = await planes.sql.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('sandbox_head')
      .select(['user_id', 'sandbox_id', 'key_epoch'])
      .where((is) => is(is.refTuple('user_id', 'sandbox_id'), '>', is.tuple(userId, sandboxId)))
      .where('reread_up_to', '>', 0)
      .orderBy('user_id')
      .orderBy('sandbox_id')
      .limit(SANDBOXES_PER_POLL)
      .execute(),
  )
  return rows.map((row) => ({ userId: row.user_id, sandboxId: row.sandbox_id, keyEpoch: row.key_epoch }))
}

async function isWaiting(planes: Planes, sandbox: SandboxRef): Promise<boolean> {
  const row = await planes.sql.transact(sandbox.userId, (tx) =>
    tx.selectFrom('sandbox_head').select('reread_up_to').where(ofSandbox(sandbox)).executeTakeFirst(),
  )
  return (row?.reread_up_to ?? 0) > 0
}
