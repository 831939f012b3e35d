import type { Readable } from 'node:stream'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { Refusal } from './document.ts'

/** The members of a zip in memory. */
export interface ZipMembers {
  readonly names: readonly string[]
  has(name: string): boolean
  /** The bytes of a member; none for one that is not there. Throws `Refusal`. */
  chunks(name: string): AsyncIterable<Uint8Array>
  bytes(name: string): Promise<Buffer>
}

const MEMBERS_MAX = 20_000
/** What a zip of any size may unpack to, what a larger one may grow by, and what is read at most. */
const UNPACKED_BYTES_ALWAYS = 64 * 1024 * 1024
const GROWTH_MAX = 100
const UNPACKED_BYTES_MAX = 512 * 1024 * 1024

/** Opens a zip by its directory. Throws `file_damaged`, `file_encrypted` and `took_too_much`. */
export async function openZipMembers(packed: Uint8Array): Promise<ZipMembers> {
  const zip = await opened(Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength))
  const entries = await entriesOf(zip, packed.length)
  await assertOpen(zip, entries.get(MANIFEST))
  const chunks = (name: string) => chunksOf(zip, entries.get(name))
  return {
    names: [...entries.keys()],
    has: (name) => entries.has(name),
    chunks,
    bytes: async (name) => {
      const parts: Uint8Array[] = []
      for await (const part of chunks(name)) parts.push(part)
      return Buffer.concat(parts)
    },
  }
}

/** In which OpenDocument and EPUB tell what of them is encrypted. */
const MANIFEST = 'META-INF/manifest.xml'

async function assertOpen(zip: ZipFile, manifest: Entry | undefined): Promise<void> {
  const parts: Uint8Array[] = []
  for await (const part of chunksOf(zip, manifest)) parts.push(part)
  if (/<(?:\w+:)?encryption-data\b/.test(Buffer.concat(parts).toString('latin1'))) throw new Refusal('file_encrypted')
}

function opened(bytes: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    yauzl.fromBuffer(bytes, { lazyEntries: true, decodeStrings: true, validateEntrySizes: true }, (cause, zip) =>
      cause ? reject(new Refusal('file_damaged')) : resolve(zip),
    )
  })
}

function entriesOf(zip: ZipFile, packedBytes: number): Promise<Map<string, Entry>> {
  const bytesMax = Math.min(UNPACKED_BYTES_MAX, Math.max(UNPACKED_BYTES_ALWAYS, packedBytes * GROWTH_MAX))
  const entries = new Map<string, Entry>()
  let bytes = 0
  return new Promise((resolve, reject) => {
    if (zip.entryCount > MEMBERS_MAX) return reject(new Refusal('took_too_much'))
    zip.on('error', () => reject(new Refusal('file_damaged')))
    zip.on('end', () => resolve(entries))
    zip.on('entry', (entry: Entry) => {
      bytes += entry.uncompressedSize
      if (bytes > bytesMax) return reject(new Refusal('took_too_much'))
      if (entry.isEncrypted()) return reject(new Refusal('file_encrypted'))
      if (!entry.fileName.endsWith('/')) entries.set(entry.fileName, entry)
      zip.readEntry()
    })
    zip.readEntry()
  })
}

async function* chunksOf(zip: ZipFile, entry: Entry | undefined): AsyncGenerator<Uint8Array> {
  if (!entry) return
  try {
    const stream = await new Promise<Readable>((resolve, reject) => {
      zip.openReadStream(entry, (cause, readable) => (cause ? reject(cause) : resolve(readable)))
    })
    for await (const chunk of stream) yield chunk as Uint8Array
  } catch {
    throw new Refusal('file_damaged')
  }
}
