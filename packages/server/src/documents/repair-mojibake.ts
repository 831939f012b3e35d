import iconv from 'iconv-lite'

/** Maps windows-1252 characters to bytes. The code points U+0080 to U+00FF also map to the byte of this value. */
const BYTES = new Map(
  Array.from({ length: 0x80 }, (_, at) => {
    const byte = 0x80 + at
    const character = iconv.decode(Buffer.from([byte]), 'windows-1252')
    return [character === '\ufffd' ? String.fromCharCode(byte) : character, byte] as const
  }).flatMap(([character, byte]) => [[character, byte] as const, [String.fromCharCode(byte), byte] as const]),
)
const OTHER = /\P{ASCII}+/gu
/** Matches characters that are improbable in real text. They result if a correct pair of letters is decoded again. */
const UNLIKELY = /[\p{Cc}\u0180-\u036f\ufffd\p{Cn}\p{Co}]/u
/** Matches garbled quotation marks, dashes and euro signs. They are repaired whatever the rest of the text is. */
const PUNCTUATION = /â[€‚„]\P{ASCII}/gu

/**
 * Repairs UTF-8 that was decoded as windows-1252 ("40 â‚¬"). It is repaired if every sequence of non-ASCII characters
 * decodes to valid UTF-8. Otherwise only punctuation is repaired.
 */
export function repairMojibake(text: string): string {
  const runs = text.match(OTHER)
  if (!runs || !/[\u00c2-\u00f4]/.test(text)) return text
  const repaired = new Map(runs.map((run) => [run, redecode(run)] as const))
  const isWhole = [...repaired.values()].every((run) => run !== undefined) && !isCoincidence(text, runs)
  if (isWhole) return text.replace(OTHER, (run) => repaired.get(run) ?? run)
  return text.replace(PUNCTUATION, (run) => redecode(run) ?? run)
}

/** Decodes the windows-1252 bytes of a text as UTF-8; undefined if they are invalid or the result is improbable. */
function redecode(run: string): string | undefined {
  const bytes = Array.from(run, (character) => BYTES.get(character))
  if (bytes.includes(undefined)) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes as number[]))
    return UNLIKELY.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** Returns true if the only suspicious sequence may be correct, such as a capital and a quotation mark: "MANHÃ”". */
function isCoincidence(text: string, runs: readonly string[]): boolean {
  return runs.length === 1 && runs[0]!.length === 2 && /\p{Lu}$/u.test(text.slice(0, text.indexOf(runs[0]!)))
}
