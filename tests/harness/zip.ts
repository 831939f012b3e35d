import { crc32, deflateRawSync } from 'node:zlib'

/** One file of a zip, possibly with defects. */
export interface ZipPart {
  name: string
  content: string | Buffer
  isEncrypted?: boolean
  /** Uncompressed size in the central directory, if it should be wrong. */
  bytes?: number
}

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const DEFLATED = 8
const UTF8_NAMES = 0x0800
const ENCRYPTED = 1
const VERSION = 20

/** Returns a zip of these files, as common tools write it. */
export function zipOf(parts: readonly ZipPart[]): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, content, isEncrypted = false, bytes } of parts) {
    const plain = Buffer.from(content)
    const packed = deflateRawSync(plain)
    const path = Buffer.from(name)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(VERSION, 0)
    fields.writeUInt16LE(UTF8_NAMES | (isEncrypted ? ENCRYPTED : 0), 2)
    fields.writeUInt16LE(DEFLATED, 4)
    fields.writeUInt32LE(crc32(plain), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(bytes ?? plain.length, 18)
    fields.writeUInt16LE(path.length, 22)
    files.push(word(LOCAL), fields, path, packed)
    const more = Buffer.alloc(14)
    more.writeUInt32LE(at, 10)
    directory.push(word(CENTRAL), Buffer.from([VERSION, 0]), fields, more, path)
    at += 4 + fields.length + path.length + packed.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(parts.length, 4)
  end.writeUInt16LE(parts.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...files, listed, word(END), end])
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
