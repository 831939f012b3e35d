/** Lines of a mail that are read: every one costs the reader some time, whatever is in it. */
const LINES_MAX = 32_768
/** Lines of one length and without a space that follow each other are a file; as much of it as of any body is read. */
const FILE_LINES_MAX = 8_000
/** What such a line costs of one with a meaning of its own. */
const FILE_LINE_COST = 1 / 8
const FILE_LINE_BYTES_MIN = 40
const NEWLINE = 0x0a
const SPACE = 0x20

/** A mail without the rest of long files in it, up to as many lines as are read. */
export function fewLines(raw: Uint8Array | string): Uint8Array {
  const bytes = typeof raw === 'string' ? Buffer.from(raw) : Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const kept: Buffer[] = []
  let from = 0
  let at = 0
  let lines = 0
  let [length, alike] = [0, 0]
  while (at < bytes.length && lines < LINES_MAX) {
    const newline = bytes.indexOf(NEWLINE, at)
    const end = newline < 0 ? bytes.length : newline + 1
    const isAlike = end - at === length && length >= FILE_LINE_BYTES_MIN && !bytes.subarray(at, end).includes(SPACE)
    alike = isAlike ? alike + 1 : 0
    length = end - at
    if (alike < FILE_LINES_MAX) lines += isAlike ? FILE_LINE_COST : 1
    else {
      if (at > from) kept.push(bytes.subarray(from, at))
      from = end
    }
    at = end
  }
  if (from === 0 && at === bytes.length) return bytes
  return Buffer.concat([...kept, bytes.subarray(from, at)])
}
