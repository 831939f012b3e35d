import { createReadStream } from 'node:fs'

/** A file as a tar holds it: its path within the folder, with `/` between its parts. */
export interface TarFile {
  path: string
  /** Where it lies on this machine. */
  from: string
  bytes: number
}

const BLOCK_BYTES = 512
const NAME_BYTES_MAX = 100
const OCTAL = 8
const MODE = 0o644
const CHECKSUM_AT = 148
const CHECKSUM_BYTES = 8
const SPACE = 0x20

/** The files as one tar, read as they are sent. A file that grows meanwhile is cut, one that shrinks is filled up. */
export async function* tarOf(files: readonly TarFile[]): AsyncGenerator<Buffer> {
  for (const { path, from, bytes } of files) {
    const name = Buffer.from(path)
    if (name.length > NAME_BYTES_MAX) yield* longName(path)
    yield headerOf(name.subarray(0, NAME_BYTES_MAX), bytes, '0')
    let sent = 0
    for await (const chunk of createReadStream(from)) {
      const part = (chunk as Buffer).subarray(0, bytes - sent)
      sent += part.length
      yield part
      if (sent === bytes) break
    }
    yield Buffer.alloc(bytes - sent + paddingOf(bytes))
  }
  yield Buffer.alloc(2 * BLOCK_BYTES)
}

/** A path that the header has no room for stands in a header of its own before it (POSIX pax). */
function* longName(path: string): Generator<Buffer> {
  const field = ` path=${path}\n`
  const bare = Buffer.byteLength(field)
  // The length counts its own digits.
  let length = bare + String(bare).length
  if (String(length).length > String(bare).length) length = bare + String(length).length
  const record = Buffer.from(`${length}${field}`)
  yield headerOf(Buffer.from('path'), record.length, 'x')
  yield Buffer.concat([record, Buffer.alloc(paddingOf(record.length))])
}

function paddingOf(bytes: number): number {
  return (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES
}

function headerOf(name: Buffer, bytes: number, type: '0' | 'x'): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES)
  name.copy(header)
  const octal = (value: number, at: number, length: number) =>
    header.write(value.toString(OCTAL).padStart(length - 1, '0'), at, 'latin1')
  octal(MODE, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(bytes, 124, 12)
  octal(0, 136, 12)
  header.write(`${type}`, 156, 'latin1')
  header.write('ustar\x0000', 257, 'latin1')
  header.fill(SPACE, CHECKSUM_AT, CHECKSUM_AT + CHECKSUM_BYTES)
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    CHECKSUM_AT,
    7,
  )
  return header
}
