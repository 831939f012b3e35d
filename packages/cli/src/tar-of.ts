import { createReadStream } from 'node:fs'

/** A file as a tar holds it: its path within the folder, with `/` between its parts. */
export interface TarFile {
  path: string
  /** Where it lies on this machine. */
  from: string
  bytes: number
}

const BLOCK_BYTES = 512
const MODE = 0o644

/** The files as one tar, read as they are sent. A file that grows meanwhile is cut, one that shrinks is filled up. */
export async function* tarOf(files: readonly TarFile[]): AsyncGenerator<Buffer> {
  // Few commands need it, and all would wait for it.
  const { Header, Pax } = await import('tar')
  for (const { path, from, bytes } of files) {
    const header = new Header({ path, mode: MODE, size: bytes, type: 'File' })
    const needsMore = header.encode()
    if (needsMore) yield new Pax({ path }).encode()
    yield header.block as Buffer
    let sent = 0
    for await (const chunk of createReadStream(from)) {
      const part = (chunk as Buffer).subarray(0, bytes - sent)
      sent += part.length
      yield part
      if (sent === bytes) break
    }
    yield Buffer.alloc(bytes - sent + ((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES))
  }
  yield Buffer.alloc(2 * BLOCK_BYTES)
}
