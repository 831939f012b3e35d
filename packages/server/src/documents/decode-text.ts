import { isUtf8 } from 'node:buffer'
import chardet from 'chardet'
import iconv from 'iconv-lite'

/** So many bytes tell a charset. */
const SAMPLE_BYTES = 64 * 1024
/** What most texts are in that are in no other charset. */
const USUAL = 'windows-1252'

/**
 * The text of bytes in any usual charset, with `\n` at the ends of lines; NUL becomes U+FFFD. `declared` is the charset
 * that the file names itself, which counts where its bytes do not tell another.
 */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return decoded(buffer, declared)
    .replace(/^\ufeff/, '')
    .replaceAll('\0', '\ufffd')
    .replace(/\r\n?/g, '\n')
}

function decoded(bytes: Buffer, declared: string | undefined): string {
  const mark = markedCharset(bytes)
  if (mark) return iconv.decode(bytes, mark)
  if (isUtf8(bytes)) return bytes.toString('utf8')
  if (declared && iconv.encodingExists(declared) && !/^utf-?8$/i.test(declared)) return iconv.decode(bytes, declared)
  const found = chardet.detect(bytes.subarray(0, SAMPLE_BYTES))
  return iconv.decode(bytes, found && iconv.encodingExists(found) ? found : USUAL)
}

/** The charset of a byte order mark, or of UTF-16 without one, whose ASCII signs have a NUL beside them. */
export function markedCharset(bytes: Uint8Array): string | undefined {
  const [one, two, three, four] = bytes
  if (one === 0xef && two === 0xbb && three === 0xbf) return 'utf-8'
  if (one === 0xff && two === 0xfe) return three === 0 && four === 0 ? 'utf-32le' : 'utf-16le'
  if (one === 0xfe && two === 0xff) return 'utf-16be'
  if (bytes.length < UTF16_BYTES_MIN) return undefined
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  let [even, odd] = [0, 0]
  for (let at = 0; at + 1 < sample.length; at += 2) {
    if (sample[at] === 0) even += 1
    if (sample[at + 1] === 0) odd += 1
  }
  const pairs = Math.floor(sample.length / 2)
  if (odd > pairs * NULS_MIN && even < pairs * NULS_MAX) return 'utf-16le'
  return even > pairs * NULS_MIN && odd < pairs * NULS_MAX ? 'utf-16be' : undefined
}

const UTF16_BYTES_MIN = 8
/** Of pairs of bytes so many have a NUL at the place of ASCII's upper half, and so few at the other. */
const NULS_MIN = 0.4
const NULS_MAX = 0.02
