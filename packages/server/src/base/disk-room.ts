import { statfs } from 'node:fs/promises'
import { Fault } from './fault.ts'

/** Whether there is room for more on the disk of the data folder. */
export interface DiskRoom {
  /**
   * Throws `disk_full` when less is free than is kept back: for what was accepted and is still to be applied, for the
   * database's log, and for deleting, which writes before it frees.
   */
  assert(): Promise<void>
  /** Bytes that are free there; not a number where the disk does not say. */
  free(): Promise<number>
  readonly keptBackBytes: number
}

/** How long what was seen counts: what a second brings in is small beside what is kept back. */
const SEEN_MS = 1_000
const RETRY_SECONDS = 2

/** Looks at the disk that holds the folder; with nothing kept back there always is room. */
export function openDiskRoom(folder: string, keptBackBytes: number): DiskRoom {
  let isFull = false
  let seenAtMs = Number.NEGATIVE_INFINITY
  const freeBytes = async (): Promise<number> => {
    const disk = await statfs(folder).catch(() => undefined)
    return disk === undefined ? Number.NaN : disk.bavail * disk.bsize
  }
  const look = async (): Promise<void> => {
    seenAtMs = performance.now()
    // A disk that does not say how much room it has may have some; what is written to it finds out.
    isFull = (await freeBytes()) < keptBackBytes
  }
  return {
    keptBackBytes,
    free: freeBytes,
    assert: async () => {
      if (keptBackBytes > 0 && performance.now() - seenAtMs >= SEEN_MS) await look()
      if (isFull) throw new Fault('disk_full', { retryAfterSeconds: RETRY_SECONDS })
    },
  }
}
