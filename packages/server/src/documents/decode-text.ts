import { isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'
import { detectCharset } from './detect-charset.ts'
import { repairMojibake } from './repair-mojibake.ts'

/** Number of bytes at the beginning from which the charset is detected. */
const SAMPLE_BYTES = 64 * 1024
/** Charset of texts for which none can be detected. */
const DEFAULT_CHARSET = 'windows-1252'

/**
 * Decodes text in any common charset. Line ends become LF, and NUL becomes U+FFFD. `declared` is the charset that the
 * file itself names. It is used only if the bytes do not determine one.
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
  if (isUtf8(bytes) && !ESCAPES.test(bytes.toString('latin1', 0, SAMPLE_BYTES)))
    return repairMojibake(bytes.toString('utf8'))
  if (declared && iconv.encodingExists(declared) && !/^utf-?8$/i.test(declared)) return iconv.decode(bytes, declared)
  return decodeAs(bytes, charsetOf(bytes.subarray(0, SAMPLE_BYTES), bytes.length <= SAMPLE_BYTES))
}

const ESCAPE = 0x1b
/** Matches escape sequences of ISO-2022-JP, an encoding in which all bytes are ASCII. */
const ESCAPES = new RegExp(`${String.fromCharCode(ESCAPE)}(?:\\$[@B]|\\([BJI])`)

function charsetOf(sample: Buffer, isWhole: boolean): string {
  const charset = detectCharset(sample, isWhole)
  // In a text without letters, symbols such as in "5 °C" have the same codes in most western charsets.
  const isLettered = /(?![ªºµ\p{ASCII}])\p{L}/u.test(iconv.decode(sample, DEFAULT_CHARSET))
  return LATIN.test(charset) && !isLettered ? DEFAULT_CHARSET : charset
}

const LATIN = /^(?:windows-125[0478]|ISO-8859-(?:2|4|10|13|14|15|16))$/

/** Decodes bytes by a charset name of the Encoding Standard. */
function decodeAs(bytes: Buffer, charset: string): string {
  if (charset === 'GBK') return iconv.decode(bytes, 'gb18030')
  return iconv.encodingExists(charset) ? iconv.decode(bytes, charset) : new TextDecoder(charset).decode(bytes)
}

/**
 * Returns the charset of a byte order mark, or UTF-16 if the bytes look like it. In UTF-16, every other byte of ASCII
 * text is NUL.
 */
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
  if (even > pairs * NULS_MIN && odd < pairs * NULS_MAX) return 'utf-16be'
  // Letters outside Latin have a nonzero high byte. Single-byte text has no control characters below tab.
  if (bytes.length % 2 > 0 || !sample.some((byte) => byte < FIRST_CONTROL_OF_TEXT)) return undefined
  const read = (['utf-16le', 'utf-16be'] as const)
    .map((charset) => ({ charset, text: iconv.decode(Buffer.from(sample), charset) }))
    .filter(({ text }) => isOneScript(text))
  // In the wrong byte order, spaces and punctuation are decoded as letters.
  const countPunctuation = ({ text }: { text: string }) => text.match(/[\s!-@]/g)?.length ?? 0
  return read.toSorted((one, other) => countPunctuation(other) - countPunctuation(one))[0]?.charset
}

/** Code of tab. Text contains no control characters with a lower code. */
const FIRST_CONTROL_OF_TEXT = 0x09
const NO_TEXT = /[\p{Cn}\p{Co}\p{Cs}\ufffd]|[^\P{Cc}\s]/u
const SCRIPTS = [
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}]/gu,
  ...['Latin', 'Cyrillic', 'Greek', 'Hebrew', 'Arabic', 'Thai', 'Hangul', 'Devanagari', 'Georgian', 'Armenian'].map(
    (script) => new RegExp(`\\p{Script=${script}}`, 'gu'),
  ),
]
/** Minimum share of the letters that are Latin or in one other script. */
const SCRIPT_SHARE_MIN = 0.95

/** Returns true if a text's letters are mostly Latin or in one other script, and it has no control characters. */
function isOneScript(text: string): boolean {
  if (NO_TEXT.test(text)) return false
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const counts = SCRIPTS.map((script) => text.match(script)?.length ?? 0)
  const latin = counts[1]!
  return letters >= text.length / 2 && Math.max(...counts.map((count) => count + latin)) >= letters * SCRIPT_SHARE_MIN
}

const UTF16_BYTES_MIN = 8
/** Limits on NUL bytes in UTF-16 text: minimum share in the high bytes, and maximum share in the low bytes. */
const NULS_MIN = 0.4
const NULS_MAX = 0.02
