import { getHeapStatistics } from 'node:v8'
import { Fault } from '../base/fault.ts'
import type { ReleaseSlot, SlotQueue } from './slot-queue.ts'

/** Limits on the number of bytes of request bodies in memory. */
interface QuotaLimits {
  bytes: number
  /** Limit for one sender: an account, or the address of an unknown sender. */
  bytesOfHolder: number
}

/** Memory quota for request bodies. Bytes are reserved before they are read. */
export interface BodyQuota {
  /**
   * Reserves bytes for a sender. Throws `rate_limited` if the sender's own limit would be exceeded, and `unavailable`
   * if the total would.
   */
  reserve(holder: string, bytes: number): Reservation
}

/** Reserved bytes of one sender. */
export interface Reservation {
  /** Changes the reservation to this number of bytes. Throws like `reserve`, and then the reservation is unchanged. */
  resize(bytes: number): void
  /** Ends the reservation. Calling it again does nothing. */
  release(): void
}

/** Memory quotas by the size of a body and by whether its sender is known. */
export interface BodyQuotas {
  large: BodyQuota
  small: BodyQuota
  /** Quota for bodies that must be read to identify the sender. */
  unknown: BodyQuota
}

const MIB = 2 ** 20
/** Maximum size of a body in bytes. It fits into the quota for any size of the heap. */
const LARGEST_BYTES = 16 * MIB
/** Minimum size of a large body in bytes. Questions are smaller; batches of records are larger. */
export const LARGE_BYTES = 64 * 1024
/**
 * Share of the heap for large bodies. Their bytes, text and parsed value exist at the same time and need about four
 * times the counted size.
 */
const LARGE_HEAP_SHARE = 1 / 8
const LARGE_BYTES_MAX = 256 * MIB
const SMALL_HEAP_SHARE = 1 / 32
const SMALL_BYTES_MAX = 64 * MIB
const UNKNOWN_HEAP_SHARE = 1 / 32
const UNKNOWN_BYTES_MAX = 32 * MIB
/** Minimum number of senders that it takes to use up the whole quota. */
const HOLDERS = 4
const RETRY_SECONDS = 1

/** Opens the memory quotas for a heap size in bytes. */
export function openBodyQuotas(heapBytes = getHeapStatistics().heap_size_limit): BodyQuotas {
  const open = (share: number, bytesMax: number, least: number) => {
    const bytes = Math.max(least, Math.min(bytesMax, Math.floor(heapBytes * share)))
    return openBodyQuota({ bytes, bytesOfHolder: Math.max(least, bytes / HOLDERS) })
  }
  return {
    large: open(LARGE_HEAP_SHARE, LARGE_BYTES_MAX, LARGEST_BYTES),
    small: open(SMALL_HEAP_SHARE, SMALL_BYTES_MAX, MIB),
    unknown: open(UNKNOWN_HEAP_SHARE, UNKNOWN_BYTES_MAX, 2 * MIB),
  }
}

export function openBodyQuota(limits: QuotaLimits): BodyQuota {
  const reserved = new Map<string, number>()
  let all = 0
  const take = (holder: string, bytes: number) => {
    const own = (reserved.get(holder) ?? 0) + bytes
    if (bytes > 0 && own > limits.bytesOfHolder) throw quotaExceeded('rate_limited')
    if (bytes > 0 && all + bytes > limits.bytes) throw quotaExceeded('unavailable')
    all += bytes
    if (own === 0) reserved.delete(holder)
    else reserved.set(holder, own)
  }
  return {
    reserve: (holder, bytes) => {
      let counted = 0
      let isReleased = false
      const resize = (wanted: number) => {
        if (isReleased) return
        take(holder, wanted - counted)
        counted = wanted
      }
      resize(bytes)
      return {
        resize,
        release: () => {
          resize(0)
          isReleased = true
        },
      }
    },
  }
}

function quotaExceeded(name: 'rate_limited' | 'unavailable'): Fault {
  return new Fault(name, {
    detail:
      'Too many bytes of request bodies at once. Send fewer or smaller bodies in parallel, and retry this one after ' +
      'Retry-After.',
    retryAfterSeconds: RETRY_SECONDS,
  })
}

/** Quotas and slots shared by all request bodies. */
export interface BodyResources {
  readonly quotas: BodyQuotas
  /** Slots for parsing and processing large bodies. */
  readonly parsing: SlotQueue
}

/** Minimum size in bytes of a body that needs a slot for parsing. Its parsed value is several times as large. */
const PARSED_IN_SLOT_BYTES = 1024 * 1024

/** Reserved memory for the body of one request, from before the body is read until the response is sent. */
export class BodyReservation {
  readonly #resources: BodyResources
  readonly #holder: string
  #reservation: Reservation | undefined
  #releaseSlot: ReleaseSlot | undefined

  /** Creates a reservation without bytes. `holder` is the sending account, or the address if the account is unknown. */
  constructor(resources: BodyResources, holder: string) {
    this.#resources = resources
    this.#holder = holder
  }

  /** Reserves memory for a body of this length, or 0 bytes if it is unknown. Throws like `BodyQuota.reserve`. */
  reserve(bytes: number | undefined, holder = this.#holder): Reservation {
    const { large, small } = this.#resources.quotas
    return this.#reserveIn(bytes !== undefined && bytes <= LARGE_BYTES ? small : large, holder, bytes)
  }

  /** Reserves memory for a body that is read to identify its sender. */
  reserveUnknown(bytes: number | undefined): Reservation {
    return this.#reserveIn(this.#resources.quotas.unknown, this.#holder, bytes)
  }

  /** Parses the bytes. A large body waits for a slot. Throws like `SlotQueue.acquire`. */
  async parse<T>(bytes: Buffer, gone: () => AbortSignal, parse: (bytes: Buffer) => T): Promise<T> {
    if (bytes.length > PARSED_IN_SLOT_BYTES)
      this.#releaseSlot = await this.#resources.parsing.acquire(this.#holder, gone)
    return parse(bytes)
  }

  releaseSlot(): void {
    this.#releaseSlot?.()
  }

  /** Releases the slot and the memory reservation. */
  release(): void {
    this.releaseSlot()
    this.#reservation?.release()
  }

  #reserveIn(quota: BodyQuota, holder: string, bytes = 0): Reservation {
    this.#reservation = quota.reserve(holder, bytes)
    return this.#reservation
  }
}
