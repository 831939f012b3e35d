import type { Readable } from 'node:stream'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { Fault } from '../../base/fault.ts'
import { createYieldPoint } from '../../base/yield-point.ts'
import type { ExportFile } from '../connectors/export-reader.ts'
import { type Archive, assertInside, ENTRIES_MAX, isContent, tallyOf } from './archive.ts'
import type { Spool } from './spool.ts'

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

  /** The directory is read in small steps, which a window on it answers. */
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
/** Reading a directory lets other work in after so long. */
const SLICE_MS = 5

/** A zip by its directory. Throws `unreadable_archive`, `encrypted_archive`, `unsafe_path` and `archive_too_large`. */
export async function openZip(spool: Spool): Promise<Archive> {
  const zip = await openFile(spool)
  const entries = await entriesOf(zip, spool.bytes)
  return {
    names: entries.map(({ fileName }) => fileName),
    files: async function* (isWanted) {
      for (const entry of entries) if (isWanted(entry.fileName)) yield fileOf(zip, entry)
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

/** Every file of the directory, checked, before any of them is read. */
async function entriesOf(zip: ZipFile, packedBytes: number): Promise<Entry[]> {
  const tally = tallyOf(packedBytes)
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

function fileOf(zip: ZipFile, entry: Entry): ExportFile {
  return { name: entry.fileName, bytes: entry.uncompressedSize, open: () => contentOf(zip, entry) }
}

async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const stream = await new Promise<Readable>((resolve, reject) => {
    zip.openReadStream(entry, (cause, opened) => (cause ? reject(faultOf(cause)) : resolve(opened)))
  })
  try {
    for await (const chunk of stream) yield chunk as Uint8Array
  } catch (cause) {
    throw faultOf(cause as Error)
  }
}

/** The library refuses names that lead out of the archive by itself, in words. */
function faultOf(cause: Error): Fault {
  if (cause instanceof Fault) return cause
  return new Fault(/relative path|absolute path/.test(cause.message) ? 'unsafe_path' : 'unreadable_archive', { cause })
}
