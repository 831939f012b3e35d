/** A file to be packed into a tar. */
export interface TarFile {
  /** Path relative to the folder, with `/` as separator. */
  path: string
  bytes: number
  open(): AsyncIterable<Uint8Array>
}

const BLOCK_BYTES = 512
const OCTAL = 8
const encoder = new TextEncoder()

/**
 * Streams the files as one tar. A file that grows while it is read is truncated to the announced size; one that shrinks
 * is padded with zeros.
 */
export async function* tarOf(files: readonly TarFile[]): AsyncGenerator<Uint8Array> {
  for (const { path, bytes, open } of files) {
    yield* headersOf(path, bytes)
    let sent = 0
    for await (const chunk of open()) {
      const part = chunk.subarray(0, bytes - sent)
      sent += part.length
      yield part
      if (sent === bytes) break
    }
    yield new Uint8Array(bytes - sent + padding(bytes))
  }
  yield new Uint8Array(2 * BLOCK_BYTES)
}

function padding(bytes: number): number {
  return (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES
}

const NAME_BYTES = 100

/**
 * Yields the header of a file (POSIX ustar). A pax header with the path precedes it if the path is long or not ASCII.
 */
function* headersOf(path: string, bytes: number): Generator<Uint8Array> {
  const name = encoder.encode(path)
  if (name.length <= NAME_BYTES && /^[\x20-\x7e]*$/.test(path)) return yield header(name, bytes, '0')
  // The length of a pax record includes its own digits.
  const rest = name.length + ' path=\n'.length
  const length = rest + String(rest + String(rest).length).length
  const record = encoder.encode(`${length} path=${path}\n`)
  yield header(encoder.encode('pax'), record.length, 'x')
  yield record
  yield new Uint8Array(padding(record.length))
  yield header(name.subarray(0, NAME_BYTES), bytes, '0')
}

/** Byte offsets of the fields in a ustar header. */
const AT = { mode: 100, uid: 108, gid: 116, size: 124, mtime: 136, checksum: 148, type: 156, magic: 257 }
const [SMALL_DIGITS, LARGE_DIGITS, CHECKSUM_DIGITS] = [7, 11, 6]

function header(name: Uint8Array, bytes: number, type: string): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES)
  const put = (at: number, text: string) => block.set(encoder.encode(text), at)
  const octal = (value: number, digits: number) => value.toString(OCTAL).padStart(digits, '0')
  block.set(name)
  put(AT.mode, octal(0o644, SMALL_DIGITS))
  put(AT.uid, octal(0, SMALL_DIGITS))
  put(AT.gid, octal(0, SMALL_DIGITS))
  put(AT.size, octal(bytes, LARGE_DIGITS))
  put(AT.mtime, octal(0, LARGE_DIGITS))
  put(AT.type, type)
  put(AT.magic, 'ustar\x0000')
  put(AT.checksum, ' '.repeat(CHECKSUM_DIGITS + 2))
  put(
    AT.checksum,
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      CHECKSUM_DIGITS,
    )}\0 `,
  )
  return block
}
