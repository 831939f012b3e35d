import type { MappedRecord } from './to-record.ts'

/** One entry of an export: its position, and its record or the reason why it has none. */
export type ExportItem = ItemLocation & ({ record: MappedRecord } | ReadError | ExpectedRecords)

/** Announces a number of further records. */
interface ExpectedRecords {
  expected: number
}

/** Position of an entry, counted from 1 within its file, or within the whole export if it has no files. */
interface ItemLocation {
  line: number
  file?: string
  /** Id of the stored file that it was read from. */
  original?: string
}

export interface ExportFile {
  /** Path within the export, with `/` as separator. */
  readonly name: string
  /** Uncompressed size in bytes. */
  readonly bytes: number
  open(): AsyncIterable<Uint8Array>
}

export interface ExportFiles {
  readonly names: readonly string[]
  /** Yields the files whose name is wanted, in the order of the archive. Each must be read before the next. */
  files(isWanted: (name: string) => boolean): AsyncIterable<ExportFile>
}

/** Further input of a reader. */
export interface ReaderTools {
  /** Parses a JSON value. Throws a Fault if the bytes are not JSON. */
  json(bytes: Uint8Array): unknown
  /** Identifies the source, so that entities of exports without ids differ between sources. */
  readonly scope: string
}

/** Maximum bytes of a file that is read into memory. Only streamed formats may be larger. */
const FILE_BYTES_MAX = 16 * 1024 * 1024

/** Returns the content of a file, or the error if it is larger than `bytesMax` or damaged. */
export async function wholeFile(
  file: ExportFile,
  bytesMax: number = FILE_BYTES_MAX,
): Promise<{ bytes: Uint8Array } | ReadError> {
  if (file.bytes > bytesMax) return { error: FILE_TOO_LARGE }
  // Filled chunk by chunk, because one concatenation of many megabytes would block the event loop.
  const bytes = new Uint8Array(file.bytes)
  let at = 0
  try {
    for await (const part of file.open()) {
      bytes.set(part, at)
      at += part.length
    }
  } catch {
    return { error: FILE_DAMAGED }
  }
  return { bytes: bytes.subarray(0, at) }
}

/** Error of an entry without a record. */
export interface ReadError {
  error: { reason: string; detail: string }
}

const FILE_TOO_LARGE = {
  reason: 'file_too_large',
  detail: 'This file is too large. Documents may have 64 MiB, other files 16 MiB. Split it.',
}
const FILE_DAMAGED = { reason: 'file_damaged', detail: 'The file cannot be unpacked.' }

/** Number of list entries that are inspected to recognize a format. */
export const SAMPLED = 20

/** Returns the item of an entry, or an error if it has no record. */
export function itemOf(record: MappedRecord | undefined, line: number): ExportItem {
  return record ? { line, record } : { line, error: NOT_UNDERSTOOD }
}

/** Error of a part that does not match its format. */
export const NOT_UNDERSTOOD = { reason: 'not_understood', detail: 'This entry does not match the format.' }

/** Returns the error of an archive file that no reader accepts. `read` lists the accepted kinds. */
export function unsupported(name: string, read: string): ReadError {
  const ending = /\.[^./]+$/.exec(name)?.[0].toLowerCase()
  const what = ending ? `Files that end in ${ending} are` : 'Files without an extension are'
  return { error: { reason: 'unsupported_file', detail: `${what} not supported here; ${read} are.` } }
}

export async function jsonFile(file: ExportFile, tools: ReaderTools): Promise<{ value: unknown } | ReadError> {
  const whole = await wholeFile(file)
  return 'error' in whole ? whole : parsedJson(whole.bytes, tools)
}

/** Returns the JSON value of these bytes, or the error. */
export function parsedJson(bytes: Uint8Array, tools: ReaderTools): { value: unknown } | ReadError {
  try {
    return { value: tools.json(bytes) }
  } catch (fault) {
    const { reason = 'malformed_json', detail = 'This is not JSON.' } = fault as { reason?: string; detail?: string }
    return { error: { reason, detail } }
  }
}
