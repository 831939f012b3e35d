import { createBackoffs } from '../base/backoffs.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import { isLeasable } from '../store/lease.ts'
import type { Planes } from '../store/planes.ts'
import type { SandboxTurns } from '../store/under-lease.ts'
import type { KeptKeys } from '../tenancy/caller-keys/kept-keys.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { resolveAlike } from './alike/resolve-alike.ts'

/** A sandbox is compared when nothing has come for so long, or when it has waited for so long all the same. */
const QUIET_MS = 1_000
const PATIENCE_MS = 60_000
/** Sandboxes of one look. */
const LOOK_ROWS = 100

/** How long a sandbox is left alone after its comparison failed, so that others are compared. */
const RETRY_MS = 1_000
const RETRY_MS_MAX = 60_000

/** Compares the things of sandboxes after records came, one sandbox at a time, while batches go on. */
export interface Comparison {
  /** Looks for a sandbox to compare, unless one is being compared. */
  look(): void
  stop(): void
  /** What failed since this began: pairs and types that were left out, and comparisons that are made again. */
  readonly failed: Readonly<FailedComparisons>
  /** Resolves when nothing is at work. */
  readonly stopped: Promise<void>
}

/** Counts of what could not be compared. */
interface FailedComparisons {
  pair: number
  type: number
  sandbox: number
}

/** What a comparison goes by. */
interface ComparedBy {
  keys: Pick<KeptKeys, 'keep'>
  /** Whether the sandbox is worked on in this process. */
  isHere: (sandboxId: string) => boolean
  /** How long ago the last batch of a sandbox was applied here. */
  quietMs: (sandboxId: string) => number
  /** Whether it is about the sandboxes that have a bucket of their own, or about the others. */
  isOwn: boolean
}

/** Nothing is compared before it is told to look. */
export function createComparison(
  planes: Planes,
  turns: SandboxTurns,
  { keys, quietMs, isHere, isOwn }: ComparedBy,
): Comparison {
  const waitingSince = new Map<string, number>()
  const backoffs = createBackoffs(RETRY_MS, RETRY_MS_MAX)
  const stopping = new AbortController()
  const failed: FailedComparisons = { pair: 0, type: 0, sandbox: 0 }
  let working: Promise<void> | undefined

  const compareOne = async (): Promise<void> => {
    const waiting = await listUncompared(planes)
    for (const id of waitingSince.keys()) if (!waiting.some((each) => each.sandboxId === id)) waitingSince.delete(id)
    for (const sandbox of waiting) {
      if (sandbox.keyEpoch !== null && !planes.seals.find(sandbox.sandboxId, sandbox.keyEpoch)) {
        planes.seals.whenHeld(sandbox.sandboxId, 'comparison', () => keys.keep(sandbox))
        continue
      }
      const { sandboxId } = sandbox
      if (!isHere(sandboxId) || !backoffs.isDue(sandboxId) || (await planes.buckets.isOwn(sandbox)) !== isOwn) continue
      const since = waitingSince.get(sandboxId) ?? performance.now()
      waitingSince.set(sandboxId, since)
      if (quietMs(sandboxId) < QUIET_MS && performance.now() - since < PATIENCE_MS) continue
      waitingSince.delete(sandboxId)
      return resolveAlike(planes, turns, sandbox, stopping.signal).then(
        ({ pairs, types }) => {
          failed.pair += pairs
          failed.type += types
          backoffs.succeeded(sandboxId)
        },
        async (error: unknown) => {
          backoffs.failed(sandboxId)
          if (!stopping.signal.aborted) {
            failed.sandbox += 1
            await noteFailed(planes, sandbox)
          }
          throw error
        },
      )
    }
  }

  return {
    look: () => {
      if (working || stopping.signal.aborted) return
      working = compareOne()
        .catch((error: unknown) => {
          if (!stopping.signal.aborted) planes.log.warn('comparison failed', { error })
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

/** Notes that a comparison ended in an error, which is shown until one does not. */
async function noteFailed(planes: Planes, sandbox: SandboxRef): Promise<void> {
  await planes.sql.transact(sandbox.userId, (tx) =>
    tx.updateTable('sandbox_head').set({ comparison_failed: 'whole' }).where(ofSandbox(sandbox)).execute(),
  )
}

async function listUncompared({
  sql: control,
  ownerId,
}: Planes): Promise<(SandboxRef & { keyEpoch: number | null })[]> {
  const rows = await control.transact({ worker: true }, (tx) => uncompared(tx, ownerId).limit(LOOK_ROWS).execute())
  return rows.map((row) => ({ userId: row.user_id, sandboxId: row.sandbox_id, keyEpoch: row.key_epoch }))
}

/** Sandboxes with things to compare, without those that another process is at work on. */
export function uncompared(tx: Tx, ownerId: string) {
  return tx
    .selectFrom('sandbox_head')
    .select(['user_id', 'sandbox_id', 'key_epoch'])
    .whereRef('comparable_seq', '>', 'compared_seq')
    .where(isLeasable(ownerId))
}
