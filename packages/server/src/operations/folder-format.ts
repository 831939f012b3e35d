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

/** Turns a data folder of one format into the next. It may be cut off anywhere and run again from its start. */
export type FormatStep = (folder: string) => Promise<void>

/** The step at each index leads from that format to the next. Folders from before there was a number have format 0. */
const STEPS: readonly FormatStep[] = [async () => undefined]

/** The format of the data folder that this program reads and writes. */
export const FOLDER_FORMAT = STEPS.length

const FILE = 'format'

/**
 * Brings a data folder to this program's format, step by step; each step's number is on disk before the next begins.
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

/** The format that a data folder says it has, or undefined when it does not say. */
export function formatOf(folder: string): number | undefined {
  const path = join(folder, FILE)
  if (!existsSync(path)) return undefined
  const text = readFileSync(path, 'utf8').trim()
  if (!/^\d{1,9}$/.test(text)) throw new ConfigError(`${path} is no number; restore the folder from a backup.`)
  return Number(text)
}

/** What may lie in a data folder before its first start: keys that are brought, the root of a disk, the lock. */
const BROUGHT = /^(?:master\.key|admin\.key|lost\+found|lock\.sock.*|address|\..*)$/

/** Whether a folder holds things, none of which is of a data folder: those of another program, or of a person. */
export function isForeignFolder(folder: string): boolean {
  if (!existsSync(folder) || formatOf(folder) !== undefined || !isNew(folder)) return false
  return readdirSync(folder).some((name) => !BROUGHT.test(name))
}

/** Throws ConfigError for a folder that is another's: a start would close it to others and write into it. */
export function assertOwn(folder: string): void {
  if (!isForeignFolder(folder)) return
  throw new ConfigError(
    `${folder} holds what is not Cairn's. Set CAIRN_DATA to a folder that is empty or not there yet.`,
  )
}

function isNew(folder: string): boolean {
  return !existsSync(join(folder, 'sql')) && !existsSync(join(folder, 'knowledge'))
}

function writeFormat(folder: string, format: number): void {
  replaceFile(join(folder, FILE), `${format}\n`)
}

const OWNER_ONLY = 0o600

/** Puts a small file in place whole: whoever looks, now or after a power loss, sees the old one or the new one. */
function replaceFile(path: string, text: string): void {
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
