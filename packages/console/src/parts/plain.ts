/** Characters that reorder or hide adjacent text: bidi and zero-width characters, and controls except tab and LF. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are searched
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g
const REPLACEMENT = '\ufffd'

/**
 * Returns untrusted text in which characters that reorder or hide adjacent text are replaced. Each is replaced by one
 * character, so offsets remain valid.
 */
export function plain(text: string): string {
  return text.replace(UNSAFE, REPLACEMENT)
}

/** Maximum number of characters of an untrusted name or title on one line. */
const LINE_CHARS = 140

/** Returns untrusted text as one line of at most `charsMax` characters. */
export function plainLine(text: string, charsMax = LINE_CHARS): string {
  const line = plain(text.slice(0, 4 * charsMax))
    .replace(/\s+/g, ' ')
    .trim()
  const characters = [...line]
  return characters.length > charsMax ? `${characters.slice(0, charsMax - 1).join('')}…` : line
}

/** Returns the address if it is a web or mail address, which is safe to open. Undefined for any other scheme. */
export function webAddress(url: string | null | undefined): string | undefined {
  if (!url || !URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  return ['https:', 'http:', 'mailto:'].includes(protocol) ? href : undefined
}
