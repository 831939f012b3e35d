import { Fault } from '../../base/fault.ts'
import type { ExportFile } from '../connectors/export-reader.ts'

/** An archive of files: their names are known at once, what is in them is read in order. */
export interface Archive {
  readonly names: readonly string[]
  files(isWanted: (name: string) => boolean): AsyncIterable<ExportFile>
}

/** Entries of one archive, folders among them. */
export const ENTRIES_MAX = 100_000
/** What the files of an archive may unpack to together. */
const UNPACKED_BYTES_MAX = 8 * 1024 * 1024 * 1024
/** What an archive of any size may unpack to, and by how much a larger one may grow: text packs to a tenth or so. */
const UNPACKED_BYTES_ALWAYS = 64 * 1024 * 1024
const GROWTH_MAX = 100
/** Copies of files that a Mac adds, and files that are hidden. */
const PASSED_OVER = /(?:^|\/)(?:__MACOSX\/|\.)/
const DRIVE = /^[a-zA-Z]:/

/** How much an archive of this size may unpack to. */
export function unpackedMax(packedBytes: number): number {
  return Math.min(UNPACKED_BYTES_MAX, Math.max(UNPACKED_BYTES_ALWAYS, packedBytes * GROWTH_MAX))
}

/** Throws `unsafe_path` for a name that leads out of the archive; whoever trusted it would write anywhere. */
export function assertInside(name: string): void {
  const isOutside = name.startsWith('/') || DRIVE.test(name) || name.split(/[/\\]/).includes('..')
  if (isOutside || name.includes('\0')) throw new Fault('unsafe_path')
}

/** Whether an entry is a file that somebody wrote. */
export function isContent(name: string): boolean {
  return !name.endsWith('/') && !PASSED_OVER.test(name)
}

/** Counts what an archive holds; throws `archive_too_large` when it is too much. */
export function tallyOf(packedBytes: number): (entryBytes: number) => void {
  const bytesMax = unpackedMax(packedBytes)
  let entries = 0
  let bytes = 0
  return (entryBytes) => {
    entries += 1
    bytes += entryBytes
    if (entries > ENTRIES_MAX || bytes > bytesMax) throw new Fault('archive_too_large')
  }
}
