import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const OWNER_ONLY = 0o600

/** Puts a small file in place whole: whoever looks, now or after a power loss, sees the old one or the new one. */
export function replaceFile(path: string, text: string): void {
  const unfinished = `${path}.new`
  writeFileSync(unfinished, text, { mode: OWNER_ONLY })
  syncPath(unfinished)
  moveInto(unfinished, path)
}

/** Renames within a folder, and the new name is on disk when it returns. */
export function moveInto(from: string, to: string): void {
  renameSync(from, to)
  syncPath(dirname(to))
}

/** Writes what the system still holds of a file, or of a folder's list of names, to the disk. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
