import type { Id } from '@cairnstore/contract'
import { sha256 } from '../base/digest.ts'
import { Fault } from '../base/fault.ts'
import type { Tx } from '../db/open.ts'
import type { ReadUpTo } from './inbox.ts'
import type { ReceivedLine } from './receiving-source.ts'

/** A delivery that is read again after a crash: what it is read from is stored until its job is done. */
export interface KeptDelivery {
  readonly jobId: Id<'job'>
  /** How far earlier processes came; undefined for a delivery that nobody has begun to read. */
  readonly resumedFrom: ReadUpTo | undefined
  /** Stores what the delivery is read from; false where that fails, and its sender waits to the end. */
  keep(): Promise<boolean>
  /** Removes what `keep` stored of a delivery that was not accepted. */
  drop(): Promise<void>
  /** Notes in the transaction that accepts the delivery that it is read to its end, whatever crashes. */
  accept(tx: Tx): Promise<void>
  /** Throws DeliveryLost, in the transaction of each later step, when the delivery is not this process's any more. */
  assertHeld(tx: Tx): Promise<void>
  /** Notes in the transaction that ends the job that nothing need be stored any more. */
  end(tx: Tx): Promise<void>
  /**
   * Leaves the rest of an accepted delivery to whoever reads it next: at once when its reader stopped, else after a
   * while. What failed is tried so many times; what changed since it was read before is read from its start.
   */
  leave(why: 'stopped' | 'busy' | 'failed' | 'changed'): Promise<void>
}

/** Thrown when another process reads the delivery, or its import was cancelled. */
export class DeliveryLost extends Error {
  override name = 'DeliveryLost'
}

/** Thrown when a delivery that is read again has other lines than before, so that it has to be read from its start. */
export class DeliveryChanged extends Error {
  override name = 'DeliveryChanged'
}

/** Counts the lines of a delivery, and tells those that an earlier process stored. */
export interface LineCount {
  /** Counts a line; returns whether it is stored already. Throws DeliveryChanged. */
  isStored(line: ReceivedLine): boolean
  /** Throws DeliveryChanged when the delivery ended before the last line that was stored. */
  assertReached(): void
  readonly upTo: ReadUpTo
}

const NOTHING_READ: ReadUpTo = { lines: 0, digest: '' }

/** Starts counting the lines of a delivery that an earlier process read up to there. */
export function countLines(before: ReadUpTo = NOTHING_READ): LineCount {
  let upTo = NOTHING_READ
  return {
    isStored: (line) => {
      upTo = { lines: upTo.lines + 1, digest: digestOf(upTo.digest, line) }
      if (upTo.lines === before.lines && upTo.digest !== before.digest) throw new DeliveryChanged()
      return upTo.lines <= before.lines
    },
    assertReached: () => {
      if (upTo.lines < before.lines) throw new DeliveryChanged()
    },
    get upTo() {
      return upTo
    },
  }
}

/** A digest of a line's identity, and of those before it. */
function digestOf(before: string, line: ReceivedLine): string {
  return sha256(JSON.stringify([before, 'file' in line ? line.file : null, identityOf(line)])).toString('base64url')
}

function identityOf(line: ReceivedLine): unknown {
  if ('expected' in line) return { expected: line.expected }
  if ('error' in line) return { error: line.error.reason }
  if ('decision' in line) return 'decision'
  return (line.value as { external_id?: unknown } | null)?.external_id
}

/** The status from which a fault is the service's own and may be over soon. */
const SERVER_FAULT = 500

/**
 * Why an accepted delivery that ended early is left to whoever reads it next; undefined for a fault that reading it
 * again would meet again. A key that is missing is brought by a later request.
 */
export function whyLeft(cause: unknown, isStopping: boolean): Parameters<KeptDelivery['leave']>[0] | undefined {
  if (cause instanceof DeliveryChanged) return 'changed'
  if (isStopping || cause instanceof DeliveryLost) return 'stopped'
  if (!(cause instanceof Fault) || cause.status >= SERVER_FAULT) return 'failed'
  return cause.code === 'rate_limited' || cause.code === 'encryption_key_required' ? 'busy' : undefined
}
