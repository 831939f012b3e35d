import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigError } from '../config/config-error.ts'

/** Converts a data folder from one format to the next. It must be idempotent, because it may be repeated. */
export type FormatStep = (folder: string) => Promise<void>

/** Steps by index: each converts from that format to the next. Folders without a format file have format 0. */
const STEPS: readonly FormatStep[] = [async () => undefined]

/** Data folder format that this program reads and writes. */
export const FOLDER_FORMAT = STEPS.length

const FILE = 'format'

/**
 * Converts a data folder to this program's format, step by step. Each step's number is durable before the next starts.
 * Throws ConfigError for a folder of a newer program, and changes nothing in it.
 */
export async function bringUpToDate(folder: string, steps: readonly FormatStep[] = STEPS): Promise<void> {
  const found = formatOf(folder) ?? (isNew(folder) ? steps.length : 0)
  if (found > steps.length) {
    throw new ConfigError(
      `${folder} has format ${found}, which a newer Cairn wrote; this one knows ${steps.length}. Start the newer one.`,
    )
  }
  for (let format = found; format < steps.length; format += 1) {
    await steps[format]!(folder)
    writeFormat(folder, format + 1)
  }
  if (formatOf(folder) === undefined) writeFormat(folder, found)
}

/** Returns the format in a data folder's format file; undefined if there is none. */
export function formatOf(folder: string): number | undefined {
  const path = join(folder, FILE)
  if (!existsSync(path)) return undefined
  const text = readFileSync(path, 'utf8').trim()
  if (!/^\d{1,9}$/.test(text))
    throw new ConfigError(`${path} does not contain a number; restore the folder from a backup.`)
  return Number(text)
}

/** Entries that a data folder may have before its first start: provided keys, the root of a disk, the lock. */
const PREEXISTING_FILES = /^(?:master\.key|admin\.key|lost\+found|lock\.sock.*|address|\..*)$/

/** Returns true if a folder has content, but none of a Cairn data folder. */
export function isForeignFolder(folder: string): boolean {
  if (!existsSync(folder) || formatOf(folder) !== undefined || !isNew(folder)) return false
  return readdirSync(folder).some((name) => !PREEXISTING_FILES.test(name))
}

/** Throws ConfigError for a folder with foreign content, which a start would change. */
export function assertNotForeign(folder: string): void {
  if (!isForeignFolder(folder)) return
  throw new ConfigError(
    `${folder} contains files that are not Cairn's. Set CAIRN_DATA to an empty folder, or one that does not exist yet.`,
  )
}

function isNew(folder: string): boolean {
  return !existsSync(join(folder, 'sql')) && !existsSync(join(folder, 'knowledge'))
}

function writeFormat(folder: string, format: number): void {
  replaceFile(join(folder, FILE), `${format}\n`)
}

const OWNER_ONLY = 0o600

/** Replaces a small file atomically. Even after a power failure, the file has either the old content or the new. */
function replaceFile(path: string, text: string): void {
  const unfinished = `${path}.new`
  writeFileSync(unfinished, text, { mode: OWNER_ONLY })
  syncPath(unfinished)
  moveInto(unfinished, path)
}

/** Renames within a folder. The new name is durable on return. */
export function moveInto(from: string, to: string): void {
  renameSync(from, to)
  syncPath(dirname(to))
}

/** Syncs a file, or a folder's entries, to the disk. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
