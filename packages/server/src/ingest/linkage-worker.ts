import { createBackoffs } from '../base/backoffs.ts'
import { pageCycle } from '../base/page-cycle.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import { canTakeLease } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'
import type { SandboxMutex } from '../store/under-lease.ts'
import type { RetainedKeys } from '../tenancy/caller-keys/retained-keys.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { linkRecords } from './linkage/link-records.ts'

/** Milliseconds without new batches before record linkage starts. The next constant is the maximum wait. */
const QUIET_MS = 1_000
const WAIT_MS_MAX = 60_000
/** Maximum number of sandboxes per query. */
const SANDBOXES_PER_POLL = 100

/** Backoff in milliseconds after a failed comparison. Other sandboxes are compared meanwhile. */
const RETRY_MS = 1_000
const RETRY_MS_MAX = 60_000

/** Runs record linkage on sandboxes that have new records, one at a time and concurrently with batches. */
export interface LinkageWorker {
  /** Starts with the next sandbox that is due, unless a comparison is running. */
  runDue(): void
  stop(): void
  /** Number of failures since the start: pairs and types left out, and whole comparisons, which are retried. */
  readonly failed: Readonly<FailedLinkage>
  /** Resolves when nothing is running. */
  readonly stopped: Promise<void>
}

interface FailedLinkage {
  pair: number
  type: number
  sandbox: number
}

type UnlinkedSandbox = SandboxRef & { keyEpoch: number | null }

interface LinkageOptions {
  keys: Pick<RetainedKeys, 'retain'>
  /** Returns true if this process works on the sandbox. */
  isLocal: (sandboxId: string) => boolean
  /** Returns the milliseconds since a batch of the sandbox was applied here. */
  quietMs: (sandboxId: string) => number
  /** True to process only sandboxes with their own bucket; false to process only the others. */
  isOwn: boolean
}

/** Creates the comparison. Nothing runs before `runDue` is called. */
export function createLinkageWorker(
  planes: Planes,
  mutex: SandboxMutex,
  { keys, quietMs, isLocal, isOwn }: LinkageOptions,
): LinkageWorker {
  const waitingSince = new Map<string, number>()
  const listed = new Set<string>()
  const backoffs = createBackoffs(RETRY_MS, RETRY_MS_MAX)
  const stopping = new AbortController()
  const failed: FailedLinkage = { pair: 0, type: 0, sandbox: 0 }
  const nextPage = pageCycle<UnlinkedSandbox>(SANDBOXES_PER_POLL, (after) => listUnlinked(planes, after))
  let working: Promise<void> | undefined

  const linkNext = async (): Promise<void> => {
    const waiting = await nextPage()
    for (const { sandboxId } of waiting) listed.add(sandboxId)
    if (waiting.length < SANDBOXES_PER_POLL) {
      for (const id of waitingSince.keys()) if (!listed.has(id)) waitingSince.delete(id)
      listed.clear()
    }
    for (const sandbox of waiting) {
      if (sandbox.keyEpoch !== null && !planes.seals.find(sandbox.sandboxId, sandbox.keyEpoch)) {
        planes.seals.whenHeld(sandbox.sandboxId, 'comparison', () => keys.retain(sandbox))
        continue
      }
      const { sandboxId } = sandbox
      if (!isLocal(sandboxId) || !backoffs.isDue(sandboxId) || (await planes.buckets.isOwn(sandbox)) !== isOwn) continue
      const since = waitingSince.get(sandboxId) ?? performance.now()
      waitingSince.set(sandboxId, since)
      if (quietMs(sandboxId) < QUIET_MS && performance.now() - since < WAIT_MS_MAX) continue
      waitingSince.delete(sandboxId)
      return linkRecords(planes, mutex, sandbox, stopping.signal).then(
        ({ pairs, types }) => {
          failed.pair += pairs
          failed.type += types
          backoffs.succeeded(sandboxId)
        },
        async (error: unknown) => {
          backoffs.failed(sandboxId)
          if (!stopping.signal.aborted) {
            failed.sandbox += 1
            await markFailed(planes, sandbox)
          }
          throw error
        },
      )
    }
  }

  return {
    runDue: () => {
      if (working || stopping.signal.aborted) return
      working = linkNext()
        .catch((error: unknown) => {
          if (!stopping.signal.aborted) planes.log.warn('record linkage failed', { error })
        })
        .finally(() => {
          working = undefined
        })
    },
    stop: () => stopping.abort(),
    failed,
    get stopped() {
      return working ?? Promise.resolve()
    },
  }
}

/** Stores that the comparison failed. This is shown until one succeeds. */
async function markFailed(planes: Planes, sandbox: SandboxRef): Promise<void> {
  await planes.sql.transact(sandbox.userId, (tx) =>
    tx.updateTable('sandbox_head').set({ comparison_failed: 'whole' }).where(ofSandbox(sandbox)).execute(),
  )
}

async function listUnlinked({ sql: control, ownerId }: Planes, after?: UnlinkedSandbox): Promise<UnlinkedSandbox[]> {
  const rows = await control.transact({ worker: true }, (tx) =>
    unlinkedSandboxes(tx, ownerId)
      .where('sandbox_id', '>', after?.sandboxId ?? '')
      .orderBy('sandbox_id')
      .limit(SANDBOXES_PER_POLL)
      .execute(),
  )
  return rows.map((row) => ({ userId: row.user_id, sandboxId: row.sandbox_id, keyEpoch: row.key_epoch }))
}

/** Selects sandboxes that need record linkage, except those on which another process is working. */
export function unlinkedSandboxes(tx: Tx, ownerId: string) {
  return tx
    .selectFrom('sandbox_head')
    .select(['user_id', 'sandbox_id', 'key_epoch'])
    .whereRef('comparable_seq', '>', 'compared_seq')
    .where(canTakeLease(ownerId))
}
