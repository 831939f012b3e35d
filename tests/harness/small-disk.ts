import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small tmpfs that tests can fill. */
export interface SmallDisk {
  path: string
  /** Returns the free bytes. */
  free(): number
  /** Fills it until at most this many bytes are free. */
  fill(leaveBytes: number): void
  /** Deletes the filler. */
  empty(): void
  remove(): void
}

const BLOCK = Buffer.alloc(4096)

/** Mounts a tmpfs of this size in bytes. Returns undefined if this user may not mount. */
export function mountSmallDisk(bytes: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'cairn-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path], { stdio: 'ignore' })
  } catch {
    rmSync(path, { recursive: true })
    return undefined
  }
  const ballast = join(path, 'ballast')
  const free = () => {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  }
  return {
    path,
    free,
    fill: (leaveBytes) => {
      const file = openSync(ballast, 'a')
      try {
        while (free() > leaveBytes) writeSync(file, BLOCK)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        closeSync(file)
      }
    },
    empty: () => rmSync(ballast, { force: true }),
    remove: () => {
      // A lazy unmount succeeds even if a killed process still has files open.
      execFileSync('umount', ['-l', path])
      rmSync(path, { recursive: true, force: true })
    },
  }
}
