// Writes zip archives of files up to 4 GiB (no Zip64).
import { crc32, deflateRawSync } from 'node:zlib'

const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50]
const [DEFLATED, UTF8_NAMES, VERSION] = [8, 0x0800, 20]

/** @param {readonly { name: string, content: string | Buffer }[]} files */
export function zipOf(files) {
  const parts = []
  const directory = []
  let at = 0
  for (const { name, content } of files) {
    const plain = Buffer.from(content)
    const packed = deflateRawSync(plain, { level: 1 })
    const path = Buffer.from(name)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(VERSION, 0)
    fields.writeUInt16LE(UTF8_NAMES, 2)
    fields.writeUInt16LE(DEFLATED, 4)
    fields.writeUInt32LE(crc32(plain), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(plain.length, 18)
    fields.writeUInt16LE(path.length, 22)
    parts.push(word(LOCAL), fields, path, packed)
    const more = Buffer.alloc(14)
    more.writeUInt32LE(at, 10)
    directory.push(word(CENTRAL), Buffer.from([VERSION, 0]), fields, more, path)
    at += 4 + fields.length + path.length + packed.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(Math.min(files.length, 0xffff), 4)
  end.writeUInt16LE(Math.min(files.length, 0xffff), 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...parts, listed, word(END), end])
}

/** @param {number} value */
function word(value) {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
