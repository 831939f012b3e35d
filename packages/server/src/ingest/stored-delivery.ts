import type { Id } from '@cairnstore/contract'
import { sha256 } from '../base/digest.ts'
import { Fault } from '../base/fault.ts'
import type { Tx } from '../db/open.ts'
import type { ReadPosition } from './inbox.ts'
import type { ReceivedLine } from './receiving-source.ts'

/** A delivery that survives a crash. Its input is stored until its job ends, so that another process can resume it. */
export interface StoredDelivery {
  readonly jobId: Id<'job'>
  /** The checkpoint of earlier processes; undefined for a new delivery. */
  readonly resumedFrom: ReadPosition | undefined
  /** Stores the input. Resolves to false if that fails. The sender then waits until the delivery ends. */
  store(): Promise<boolean>
  /** Removes the stored input of a delivery that was not accepted. */
  drop(): Promise<void>
  /** Marks the delivery as resumable, in the transaction that accepts it. */
  accept(tx: Tx): Promise<void>
  /** Throws DeliveryLost if this process no longer owns the delivery. Call it in the transaction of each later step. */
  assertHeld(tx: Tx): Promise<void>
  /** Releases the stored input, in the transaction that ends the job. */
  end(tx: Tx): Promise<void>
  /**
   * Releases an accepted delivery so that another process can resume it. For `stopped` it can be resumed immediately,
   * otherwise after a delay. `failed` and `changed` are counted, and their number is limited. After `changed`, the
   * delivery restarts from the first line.
   */
  leave(why: 'stopped' | 'busy' | 'failed' | 'changed'): Promise<void>
}

/** Thrown when another process owns the delivery or its import was canceled. */
export class DeliveryLost extends Error {
  override name = 'DeliveryLost'
}

/** Thrown when the lines of a resumed delivery differ from its checkpoint. It must then restart from the first line. */
export class DeliveryChanged extends Error {
  override name = 'DeliveryChanged'
}

/** Counts the lines of a delivery and identifies those that an earlier process stored. */
export interface LineCount {
  /** Counts a line. Returns true if it is already stored. Throws DeliveryChanged. */
  isStored(line: ReceivedLine): boolean
  /** Throws DeliveryChanged if the delivery ended before its checkpoint. */
  assertComplete(): void
  readonly upTo: ReadPosition
}

const NO_LINES: ReadPosition = { lines: 0, digest: '' }

/** Returns a line counter for a delivery. An earlier process read it up to the checkpoint `before`. */
export function countLines(before: ReadPosition = NO_LINES): LineCount {
  let upTo = NO_LINES
  return {
    isStored: (line) => {
      upTo = { lines: upTo.lines + 1, digest: digestOf(upTo.digest, line) }
      if (upTo.lines === before.lines && upTo.digest !== before.digest) throw new DeliveryChanged()
      return upTo.lines <= before.lines
    },
    assertComplete: () => {
      if (upTo.lines < before.lines) throw new DeliveryChanged()
    },
    get upTo() {
      return upTo
    },
  }
}

/** Returns a chained digest of this line's identity and of the digest of all lines before it. */
function digestOf(before: string, line: ReceivedLine): string {
  return sha256(JSON.stringify([before, 'file' in line ? line.file : null, identityOf(line)])).toString('base64url')
}

function identityOf(line: ReceivedLine): unknown {
  if ('expected' in line) return { expected: line.expected }
  if ('error' in line) return { error: line.error.reason }
  if ('decision' in line) return 'decision'
  return (line.value as { external_id?: unknown } | null)?.external_id
}

/** Minimum status of a server error. Such a fault may be temporary. */
const SERVER_FAULT = 500

/**
 * Returns the reason for releasing an accepted delivery that ended early. Returns undefined for a permanent fault, for
 * which a retry would not help. A missing customer-managed key is temporary, because a later request can supply it.
 */
export function leaveReason(cause: unknown, isStopping: boolean): Parameters<StoredDelivery['leave']>[0] | undefined {
  if (cause instanceof DeliveryChanged) return 'changed'
  if (isStopping || cause instanceof DeliveryLost) return 'stopped'
  if (!(cause instanceof Fault) || cause.status >= SERVER_FAULT) return 'failed'
  return cause.code === 'rate_limited' || cause.code === 'encryption_key_required' ? 'busy' : undefined
}
