import type { MappedRecord } from './draft.ts'

/** One entry of an export: its place, and its record or the reason why it has none. */
export type ExportItem = ExportPlace & ({ record: MappedRecord } | Wrong | Expected)

/** Announces this many more records. */
interface Expected {
  expected: number
}

/** Counted from 1 within its file, or within the whole where there are no files. */
interface ExportPlace {
  line: number
  file?: string
}

/** One file of an export. */
export interface ExportFile {
  /** Its path within the export, with `/` as separator. */
  readonly name: string
  /** What it unpacks to. */
  readonly bytes: number
  open(): AsyncIterable<Uint8Array>
}

/** The files of an export. */
export interface ExportFiles {
  readonly names: readonly string[]
  /** The files whose name is wanted, in the order in which they stand; each is to be read before the next. */
  files(isWanted: (name: string) => boolean): AsyncIterable<ExportFile>
}

/** What a reader is given beside the export. */
export interface ReaderTools {
  /** The JSON value that bytes hold; throws a Fault for what is none. */
  json(bytes: Uint8Array): unknown
  /** Tells the things of this source from those of others, where an export has no ids of its own. */
  readonly scope: string
}

/** The largest file that is read as one piece; of larger ones only those that are read message by message are taken. */
const FILE_BYTES_MAX = 16 * 1024 * 1024

/** The whole of a file of at most so many bytes, or why it cannot be read as one piece. */
export async function wholeFile(
  file: ExportFile,
  bytesMax: number = FILE_BYTES_MAX,
): Promise<{ bytes: Uint8Array } | Wrong> {
  if (file.bytes > bytesMax) return { error: FILE_TOO_LARGE }
  // Filled as it comes, since putting millions of bytes together at once would hold up everybody.
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

/** Why something makes no record. */
export interface Wrong {
  error: { reason: string; detail: string }
}

const FILE_TOO_LARGE = {
  reason: 'file_too_large',
  detail: 'A file that is read as a whole has at most 16 MiB, a document 64 MiB; split it.',
}
const FILE_DAMAGED = { reason: 'file_damaged', detail: 'The file cannot be unpacked.' }

/** What is said of a part that is not what its export would hold there. */
export const NOT_UNDERSTOOD = { reason: 'not_understood', detail: 'Nothing here that the format would hold.' }

/** Why a file of an archive is read by nothing here, which is read with `read`. */
export function unsupported(name: string, read: string): Wrong {
  const ending = /\.[^./]+$/.exec(name)?.[0].toLowerCase()
  const what = ending ? `Files that end in ${ending} are` : 'A file whose name has no ending is'
  return { error: { reason: 'unsupported_file', detail: `${what} not read here; ${read} are.` } }
}

/** The JSON value of a file, or why there is none. */
export async function jsonFile(file: ExportFile, tools: ReaderTools): Promise<{ value: unknown } | Wrong> {
  const whole = await wholeFile(file)
  if ('error' in whole) return whole
  try {
    return { value: tools.json(whole.bytes) }
  } catch (fault) {
    const { reason = 'malformed_json', detail = 'This is no JSON.' } = fault as { reason?: string; detail?: string }
    return { error: { reason, detail } }
  }
}
