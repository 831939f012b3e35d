import { MS_PER_MINUTE, MS_PER_SECOND } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'

/** Minimum speed of uploads. */
export interface UploadPaceLimits {
  /** Maximum milliseconds from the first read to the last. */
  totalMs: number
  /** Minimum average rate in bytes per second, while the service waits for the sender. 0 disables the check. */
  bytesPerSecond: number
  windowMs: number
  /** A monotonic clock, in milliseconds. */
  nowMs: () => number
}

/** Window in milliseconds over which the rate is measured. A connection can stall and recover within it. */
export const UPLOAD_WINDOW_MS = 30_000

/** Measures the rate of one upload. Only the time spent waiting for the sender counts. */
export interface UploadPace {
  /** Marks the start of a wait for the next chunk. */
  waits(): void
  /** Records a chunk. Throws `request_timeout` if the upload is too slow or takes too long. */
  came(bytes: number): void
}

export function openUploadPace({ totalMs, bytesPerSecond, windowMs, nowMs }: UploadPaceLimits): UploadPace {
  const begunMs = nowMs()
  let waitsSinceMs = begunMs
  let waitedMs = 0
  let bytesInWindow = 0
  return {
    waits: () => {
      waitsSinceMs = nowMs()
    },
    came: (bytes) => {
      const atMs = nowMs()
      if (atMs - begunMs > totalMs) throw new Fault('request_timeout', { detail: tooLong(totalMs) })
      waitedMs += atMs - waitsSinceMs
      bytesInWindow += bytes
      if (waitedMs < windowMs) return
      if (bytesInWindow * MS_PER_SECOND < bytesPerSecond * waitedMs) {
        throw new Fault('request_timeout', { detail: tooSlow(bytesPerSecond, windowMs) })
      }
      waitedMs = 0
      bytesInWindow = 0
    },
  }
}

function tooLong(totalMs: number): string {
  return `The upload took more than ${totalMs / MS_PER_MINUTE} minutes. Send it in parts or over a faster connection.`
}

function tooSlow(bytesPerSecond: number, windowMs: number): string {
  const window = windowMs / MS_PER_SECOND
  return `The upload was slower than ${bytesPerSecond} bytes per second over ${window} seconds. Send it again.`
}
