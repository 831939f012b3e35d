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

/**
 * Converts a data folder from one format to the next. It must be idempotent, because it may be interrupted and then
 * runs again.
 */
export type FormatStep = (folder: string) => Promise<void>

/** Conversion steps. The step at index n converts format n to n + 1. A folder without a format file has format 0. */
const STEPS: readonly FormatStep[] = [async () => undefined]

/** The data folder format of this program. */
export const FOLDER_FORMAT = STEPS.length

const FILE = 'format'

/**
 * Converts a data folder to the format of this program, step by step. The new format number is durable before the next
 * step starts. If a newer program has written the folder, throws ConfigError and changes nothing.
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

/** Returns the format that is stored in a data folder; undefined if there is no format file. */
export function formatOf(folder: string): number | undefined {
  const path = join(folder, FILE)
  if (!existsSync(path)) return undefined
  const text = readFileSync(path, 'utf8').trim()
  if (!/^\d{1,9}$/.test(text))
    throw new ConfigError(`${path} does not contain a number; restore the folder from a backup.`)
  return Number(text)
}

/** Matches entries that a new data folder may have: provided keys, entries of a disk's root, the lock. */
const PREEXISTING_FILES = /^(?:master\.key|admin\.key|lost\+found|lock\.sock.*|address|\..*)$/

/** Returns true if a folder has content, but no content of a Cairn data folder. */
export function isForeignFolder(folder: string): boolean {
  if (!existsSync(folder) || formatOf(folder) !== undefined || !isNew(folder)) return false
  return readdirSync(folder).some((name) => !PREEXISTING_FILES.test(name))
}

/** Throws ConfigError for a folder with other content. A start would restrict its permissions and write into it. */
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

/**
 * Replaces a small file atomically. After a power failure, the file has either the old or the new content, never a mix.
 */
function replaceFile(path: string, text: string): void {
  const unfinished = `${path}.new`
  writeFileSync(unfinished, text, { mode: OWNER_ONLY })
  syncPath(unfinished)
  moveInto(unfinished, path)
}

/** Renames a file within a folder. When it returns, the new name is durable. */
export function moveInto(from: string, to: string): void {
  renameSync(from, to)
  syncPath(dirname(to))
}

/** Syncs a file, or the entries of a folder, to the disk. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
