import { statfs } from 'node:fs/promises'
import { Fault } from './fault.ts'

/** Rejects writes when the disk of the data folder is almost full. */
export interface DiskSpaceGuard {
  /**
   * Throws `disk_full` if less free space than the reserve is left. The reserve is used for applying accepted records,
   * for the database's log, and for deletions, which write before they free space.
   */
  assert(): Promise<void>
  /** Returns the number of free bytes; NaN if unknown. */
  free(): Promise<number>
  readonly reservedBytes: number
}

/** Milliseconds for which a measurement is valid. Within a second, little is written compared to the reserve. */
const CACHE_TTL_MS = 1_000
const RETRY_SECONDS = 2

/** Creates a guard for the disk of a folder. A reserve of 0 bytes disables the check. */
export function openDiskSpaceGuard(folder: string, reservedBytes: number): DiskSpaceGuard {
  let isFull = false
  let measuredAtMs = Number.NEGATIVE_INFINITY
  const freeBytes = async (): Promise<number> => {
    const disk = await statfs(folder).catch(() => undefined)
    return disk === undefined ? Number.NaN : disk.bavail * disk.bsize
  }
  const measure = async (): Promise<void> => {
    measuredAtMs = performance.now()
    // If the free space is unknown, writing is allowed.
    isFull = (await freeBytes()) < reservedBytes
  }
  return {
    reservedBytes,
    free: freeBytes,
    assert: async () => {
      if (reservedBytes > 0 && performance.now() - measuredAtMs >= CACHE_TTL_MS) await measure()
      if (isFull) throw new Fault('disk_full', { retryAfterSeconds: RETRY_SECONDS })
    },
  }
}
