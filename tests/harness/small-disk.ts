import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small disk of its own, in memory, that can be filled. */
export interface SmallDisk {
  path: string
  /** Bytes that are free. */
  free(): number
  /** Fills it until no more than so many bytes are free. */
  fill(leaveBytes: number): void
  /** Gives back what filled it. */
  empty(): void
  remove(): void
}

const BLOCK = Buffer.alloc(4096)

/** Mounts a disk of so many bytes; undefined where this user may not mount. */
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
      // What still has files open there, such as a process that was killed, does not hold it back.
      execFileSync('umount', ['-l', path])
      rmSync(path, { recursive: true, force: true })
    },
  }
}
