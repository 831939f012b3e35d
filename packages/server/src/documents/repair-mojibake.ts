import iconv from 'iconv-lite'

/** Bytes by the characters that windows-1252 has for them; C1 controls stand for the five bytes that it leaves out. */
const BYTES = new Map(
  Array.from({ length: 0x80 }, (_, at) => {
    const byte = 0x80 + at
    const character = iconv.decode(Buffer.from([byte]), 'windows-1252')
    return [character === '\ufffd' ? String.fromCharCode(byte) : character, byte] as const
  }).flatMap(([character, byte]) => [[character, byte] as const, [String.fromCharCode(byte), byte] as const]),
)
const OTHER = /\P{ASCII}+/gu
/** Letters that no text of a language has, which is what pairs of other letters come to by chance. */
const UNLIKELY = /[\p{Cc}\u0180-\u036f\ufffd\p{Cn}\p{Co}]/u
/** Three letters that are written for a quotation mark, a dash or the euro sign, whatever the rest of the text is. */
const PUNCTUATION = /â[€‚„]\P{ASCII}/gu

/**
 * Repairs a text whose UTF-8 was once read as windows-1252 ("40 â‚¬"), where that is unambiguous: read back, all that
 * is not ASCII is valid UTF-8. A text that is only partly so has its punctuation repaired.
 */
export function repairMojibake(text: string): string {
  const runs = text.match(OTHER)
  if (!runs || !/[\u00c2-\u00f4]/.test(text)) return text
  const repaired = new Map(runs.map((run) => [run, readBack(run)] as const))
  const isWhole = [...repaired.values()].every((run) => run !== undefined) && !isChance(text, runs)
  if (isWhole) return text.replace(OTHER, (run) => repaired.get(run) ?? run)
  return text.replace(PUNCTUATION, (run) => readBack(run) ?? run)
}

/** What the bytes of a run say as UTF-8; undefined where they are none. */
function readBack(run: string): string | undefined {
  const bytes = Array.from(run, (character) => BYTES.get(character))
  if (bytes.includes(undefined)) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes as number[]))
    return UNLIKELY.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** Whether one pair of letters behind a capital is no garbled letter: "MANHÃ”" ends a quotation. */
function isChance(text: string, runs: readonly string[]): boolean {
  return runs.length === 1 && runs[0]!.length === 2 && /\p{Lu}$/u.test(text.slice(0, text.indexOf(runs[0]!)))
}
