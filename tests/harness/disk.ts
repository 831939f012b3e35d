import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Returns the files below a folder that contain the text, as relative paths. */
export function filesContaining(folder: string, text: string): string[] {
  if (!existsSync(folder)) return []
  const needle = Buffer.from(text)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readIfThere(path).includes(needle))
    .map((path) => relative(folder, path))
}

/** Returns the number of files below a folder. */
export function countFiles(folder: string): number {
  if (!existsSync(folder)) return 0
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
}

/** Returns the file's content. Returns nothing if the database has deleted the file in the meantime. */
function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    return Buffer.alloc(0)
  }
}
