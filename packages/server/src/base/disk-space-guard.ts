import { statfs } from 'node:fs/promises'
import { Fault } from './fault.ts'

/** Free space on the disk of the data folder. */
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

/** Measures the disk of the folder. A reserve of 0 disables the check. */
export function openDiskSpaceGuard(folder: string, keptBackBytes: number): DiskSpaceGuard {
  let isFull = false
  let seenAtMs = Number.NEGATIVE_INFINITY
  const freeBytes = async (): Promise<number> => {
    const disk = await statfs(folder).catch(() => undefined)
    return disk === undefined ? Number.NaN : disk.bavail * disk.bsize
  }
  const look = async (): Promise<void> => {
    seenAtMs = performance.now()
    // If the free space is unknown, writing is allowed.
    isFull = (await freeBytes()) < keptBackBytes
  }
  return {
    reservedBytes: keptBackBytes,
    free: freeBytes,
    assert: async () => {
      if (keptBackBytes > 0 && performance.now() - seenAtMs >= CACHE_TTL_MS) await look()
      if (isFull) throw new Fault('disk_full', { retryAfterSeconds: RETRY_SECONDS })
    },
  }
}
