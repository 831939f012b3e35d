import type { Readable } from 'node:stream'
import { Parser, type ReadEntry } from 'tar'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { Fault } from '../../../base/fault.ts'
import { createYieldPoint } from '../../../base/yield-point.ts'
import type { ExportFile, ExportFiles } from '../../connectors/export-reader.ts'
import type { Spool } from './spools.ts'

/** Maximum number of entries of one archive, including folders. */
const ENTRIES_MAX = 100_000
/** Maximum total uncompressed size of an archive, in bytes. */
const UNPACKED_BYTES_MAX = 8 * 1024 * 1024 * 1024
/** Uncompressed bytes that are always allowed, and the maximum compression ratio beyond. Text has about 10. */
const UNPACKED_BYTES_BASE = 64 * 1024 * 1024
const GROWTH_MAX = 100
/** Matches the resource forks that macOS adds, and hidden files. */
const IGNORED_PATHS = /(?:^|\/)(?:__MACOSX\/|\.)/
const DRIVE = /^[a-zA-Z]:/

/** Returns the maximum uncompressed size of an archive of this size, in bytes. */
export function unpackedMax(packedBytes: number): number {
  return Math.min(UNPACKED_BYTES_MAX, Math.max(UNPACKED_BYTES_BASE, packedBytes * GROWTH_MAX))
}

/** Throws `unsafe_path` for a name that points outside the archive (path traversal). */
export function assertInside(name: string): void {
  const isOutside = name.startsWith('/') || DRIVE.test(name) || name.split(/[/\\]/).includes('..')
  if (isOutside || name.includes('\0')) throw new Fault('unsafe_path')
}

/** Returns true if an entry is a file with user content. */
function isContent(name: string): boolean {
  return !name.endsWith('/') && !IGNORED_PATHS.test(name)
}

/** Returns a function that counts entries and bytes. It throws `archive_too_large` above the limits. */
function openTally(packedBytes: number): (entryBytes: number) => void {
  const bytesMax = unpackedMax(packedBytes)
  let entries = 0
  let bytes = 0
  return (entryBytes) => {
    entries += 1
    bytes += entryBytes
    if (entries > ENTRIES_MAX || bytes > bytesMax) throw new Fault('archive_too_large')
  }
}

/** Entry types of regular files. Links and devices are skipped. */
const FILES: ReadonlySet<string> = new Set(['File', 'OldFile', 'ContiguousFile'])

/** Opens a tar archive and reads its names. Throws `unreadable_archive`, `unsafe_path`, `archive_too_large`. */
export async function openTar(spool: Spool): Promise<ExportFiles> {
  const tally = openTally(spool.bytes)
  const names: string[] = []
  for await (const entry of tarEntries(spool)) {
    tally(entry.size)
    assertInside(entry.path)
    if (isFile(entry)) names.push(entry.path)
    entry.resume()
  }
  return {
    names,
    files: async function* (isWanted) {
      for await (const entry of tarEntries(spool)) {
        if (isFile(entry) && isWanted(entry.path)) yield tarFile(entry)
        entry.resume()
      }
    },
  }
}

function isFile(entry: ReadEntry): boolean {
  return FILES.has(entry.type) && isContent(entry.path)
}

function tarFile(entry: ReadEntry): ExportFile {
  return { name: entry.path, bytes: entry.size, open: () => tarContent(entry) }
}

async function* tarContent(entry: ReadEntry): AsyncGenerator<Uint8Array> {
  for await (const chunk of entry) yield chunk
}

/** Yields entries in order. Each must be read or skipped before the next. */
async function* tarEntries(spool: Spool): AsyncGenerator<ReadEntry> {
  const waiting: ReadEntry[] = []
  let isOver = false
  let failure: unknown
  let wake: () => void = () => undefined
  const notify = () => wake()
  const take = (entry: ReadEntry) => {
    waiting.push(entry)
    notify()
  }
  const parser = new Parser({ strict: true, onReadEntry: (entry) => take(entry) })
  const source = spool.read()
  const end = (cause?: unknown) => {
    failure ??= cause
    isOver = true
    notify()
  }
  parser.on('end', () => end()).on('error', end)
  source.on('error', end)
  source.pipe(parser as unknown as NodeJS.WritableStream)
  try {
    while (true) {
      const entry = waiting.shift()
      if (entry) yield entry
      else if (failure !== undefined) throw new Fault('unreadable_archive', { cause: failure })
      else if (isOver) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    source.destroy()
  }
}

class SpoolReader extends yauzl.RandomAccessReader {
  readonly #spool: Spool
  #window = { at: 0, bytes: Buffer.alloc(0) }

  constructor(spool: Spool) {
    super()
    this.#spool = spool
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return this.#spool.read(start, end)
  }

  /** Serves reads from a buffered window, because the library reads the central directory in small steps. */
  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (cause: Error | null) => void,
  ): void {
    this.#windowOn(position, length).then(({ at, bytes }) => {
      const isWhole = bytes.copy(buffer, offset, position - at, position - at + length) === length
      callback(isWhole ? null : new Error('unexpected EOF'))
    }, callback)
  }

  async #windowOn(position: number, length: number): Promise<{ at: number; bytes: Buffer }> {
    const { at, bytes } = this.#window
    if (position >= at && position + length <= at + bytes.length) return this.#window
    const parts: Buffer[] = []
    const end = Math.min(this.#spool.bytes, position + Math.max(length, WINDOW_BYTES))
    for await (const part of this.#spool.read(position, end)) parts.push(part as Buffer)
    this.#window = { at: position, bytes: Buffer.concat(parts) }
    return this.#window
  }
}

const WINDOW_BYTES = 256 * 1024
/** Milliseconds of work between yields to the event loop. */
const SLICE_MS = 5

/** Opens a zip. Throws `unreadable_archive`, `encrypted_archive`, `unsafe_path` and `archive_too_large`. */
export async function openZip(spool: Spool): Promise<ExportFiles> {
  const zip = await openFile(spool)
  const entries = await zipEntries(zip, spool.bytes)
  return {
    names: entries.map(({ fileName }) => fileName),
    files: async function* (isWanted) {
      for (const entry of entries) if (isWanted(entry.fileName)) yield zipFile(zip, entry)
    },
  }
}

function openFile(spool: Spool): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    const options = { lazyEntries: true, autoClose: false, decodeStrings: true, validateEntrySizes: true }
    yauzl.fromRandomAccessReader(new SpoolReader(spool), spool.bytes, options, (cause, zip) =>
      cause ? reject(faultOf(cause)) : resolve(zip),
    )
  })
}

/** Returns every file of the central directory. All entries are checked before any file is read. */
async function zipEntries(zip: ZipFile, packedBytes: number): Promise<Entry[]> {
  const tally = openTally(packedBytes)
  if (zip.entryCount > ENTRIES_MAX) throw new Fault('archive_too_large')
  const entries: Entry[] = []
  const yieldPoint = createYieldPoint(SLICE_MS)
  return new Promise((resolve, reject) => {
    zip.on('error', (cause: Error) => reject(faultOf(cause)))
    zip.on('end', () => resolve(entries))
    zip.on('entry', (entry: Entry) => {
      try {
        tally(entry.uncompressedSize)
        assertInside(entry.fileName)
        if (entry.isEncrypted()) throw new Fault('encrypted_archive')
        if (isContent(entry.fileName)) entries.push(entry)
      } catch (cause) {
        return reject(cause)
      }
      const pause = yieldPoint()
      if (pause === undefined) zip.readEntry()
      else pause.then(() => zip.readEntry(), reject)
    })
    zip.readEntry()
  })
}

function zipFile(zip: ZipFile, entry: Entry): ExportFile {
  return { name: entry.fileName, bytes: entry.uncompressedSize, open: () => zipContent(zip, entry) }
}

async function* zipContent(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const stream = await new Promise<Readable>((resolve, reject) => {
    zip.openReadStream(entry, (cause, opened) => (cause ? reject(faultOf(cause)) : resolve(opened)))
  })
  try {
    for await (const chunk of stream) yield chunk as Uint8Array
  } catch (cause) {
    throw faultOf(cause as Error)
  }
}

/** Converts an error of the zip library. It reports a path outside the archive only in the message. */
function faultOf(cause: Error): Fault {
  if (cause instanceof Fault) return cause
  return new Fault(/relative path|absolute path/.test(cause.message) ? 'unsafe_path' : 'unreadable_archive', { cause })
}
