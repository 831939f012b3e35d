import { posix } from 'node:path'
import type { Readable } from 'node:stream'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { type DocumentHead, Refusal } from './document.ts'
import { authorIn, ownMoment } from './own-properties.ts'
import { unpackedMax } from './reading-bounds.ts'
import { attribute, readXml } from './xml.ts'

export interface ZipMembers {
  readonly names: readonly string[]
  has(name: string): boolean
  /** Yields the bytes of a member; none if it does not exist. Throws `Refusal`. */
  chunks(name: string): AsyncIterable<Uint8Array>
  bytes(name: string): Promise<Buffer>
}

const MEMBERS_MAX = 20_000

/**
 * Opens a zip by its central directory. When a member is unpacked for the first time, `unpack` is called with the
 * number of bytes. Throws `file_damaged`, `file_encrypted` and `took_too_much`.
 */
export async function openZipMembers(packed: Uint8Array, unpack: (bytes: number) => void): Promise<ZipMembers> {
  const zip = await opened(Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength))
  const entries = await entriesOf(zip, packed.length)
  await assertNotEncrypted(zip, entries.get(MANIFEST))
  const counted = new Set<string>()
  const chunks = async function* (name: string): AsyncGenerator<Uint8Array> {
    const isFirst = !counted.has(name)
    counted.add(name)
    for await (const chunk of chunksOf(zip, entries.get(name))) {
      if (isFirst) unpack(chunk.length)
      yield chunk
    }
  }
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

/** Manifest in which OpenDocument and EPUB list their encrypted members. */
const MANIFEST = 'META-INF/manifest.xml'

async function assertNotEncrypted(zip: ZipFile, manifest: Entry | undefined): Promise<void> {
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
  const bytesMax = unpackedMax(packedBytes)
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

/** Relationships of a part of an Office file, by id. The target is the name of another part or an external URL. */
export type Relationships = ReadonlyMap<string, { target: string; type: string }>

export async function relationshipsOf(zip: ZipMembers, part: string): Promise<Relationships> {
  const folder = posix.dirname(part)
  const found = new Map<string, { target: string; type: string }>()
  await readXml(zip.chunks(`${folder}/_rels/${posix.basename(part)}.rels`), {
    open: (name, attributes) => {
      if (name !== 'Relationship') return
      const target = attribute(attributes, 'Target') ?? ''
      const isOutside = attribute(attributes, 'TargetMode') === 'External'
      const path = target.startsWith('/') ? target.slice(1) : posix.join(folder, target)
      const type = attribute(attributes, 'Type')?.split('/').at(-1) ?? ''
      found.set(attribute(attributes, 'Id') ?? '', { target: isOutside ? target : path, type })
    },
  })
  return found
}

/** Returns the title, author and time from the file's metadata. */
export async function propertiesOf(
  zip: ZipMembers,
  part: string,
): Promise<Pick<DocumentHead, 'title' | 'authors' | 'at'>> {
  const properties = new Map<string, string>()
  let text = ''
  await readXml(zip.chunks(part), {
    open: () => {
      text = ''
    },
    text: (more) => {
      text += more
    },
    close: (name) => {
      if (text.trim() !== '' && !properties.has(name)) properties.set(name, text.trim())
      text = ''
    },
  })
  const author = [properties.get('initial-creator'), properties.get('creator')].map(authorIn).find(Boolean)
  const [created, changed] = [
    properties.get('creation-date') ?? properties.get('created'),
    properties.get('modified') ?? properties.get('date'),
  ]
  return {
    title: properties.get('title'),
    ...(author && { authors: [{ name: author }] }),
    at: ownMoment(created, changed),
  }
}
