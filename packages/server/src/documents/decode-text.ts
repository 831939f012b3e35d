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
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  const guesses = chardet.analyse(sample).filter(({ name }) => iconv.encodingExists(name))
  // The last letter may be cut.
  const read = (charset: string) => iconv.decode(sample, charset).slice(0, -1)
  const found = guesses.find(({ name }) => !read(name).includes('\ufffd')) ?? guesses[0]
  if (found === undefined || (found.confidence < SURE && WESTERN.has(found.name))) {
    const eastern = EASTERN.find((charset) => isEastern(read(charset)))
    if (eastern) return iconv.decode(bytes, eastern)
  }
  return iconv.decode(bytes, found?.name ?? USUAL)
}

/**
 * Of a guess at one of these below so many hundredths a short text of two bytes a letter is tried first; words of other
 * alphabets are pairs of letters too often.
 */
const WESTERN = new Set(['windows-1252', 'windows-1250', 'windows-1257', 'ISO-8859-1', 'ISO-8859-2', 'ISO-8859-9'])
const SURE = 50
const EASTERN = ['Shift_JIS', 'EUC-KR', 'GB18030', 'Big5']
const EASTERN_LETTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu
/** Such a letter beside one of another alphabet, as an accent and the letter behind it read as one stand in a word. */
const MIXED = /\p{Script=Latin}[\p{Script=Han}\p{Script=Hangul}]|[\p{Script=Han}\p{Script=Hangul}]\p{Script=Latin}/u
/** Letters of half a width, as which single bytes of other charsets are read. */
const HALF_WIDTH = /[\uff61-\uff9f]/
const EASTERN_MIN = 4

/** Whether what was decoded is a text of an eastern charset: without faults, and its letters in words of their own. */
function isEastern(text: string): boolean {
  if (text.includes('\ufffd') || MIXED.test(text) || HALF_WIDTH.test(text)) return false
  return (text.match(EASTERN_LETTER)?.length ?? 0) >= EASTERN_MIN
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
