/** Signs that turn or hide what stands around them: direction, zero width, control signs but tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the signs that are looked for
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g
const STAND_IN = '\ufffd'

/**
 * A stranger's text as it can be shown: signs that would turn or hide what stands beside them are replaced one for
 * one, so that offsets into the text stay what they are.
 */
export function plain(text: string): string {
  return text.replace(UNSEEN, STAND_IN)
}

/** As many characters of a stranger's name or title are shown as a line has room for. */
const LINE_CHARS = 140

/** The same in one line, and not longer than a line, or than this many characters. */
export function plainLine(text: string, charsMax = LINE_CHARS): string {
  const line = plain(text.slice(0, 4 * charsMax))
    .replace(/\s+/g, ' ')
    .trim()
  const signs = [...line]
  return signs.length > charsMax ? `${signs.slice(0, charsMax - 1).join('')}…` : line
}

/** Returns a web or mail address that is safe to open from the console. Undefined for any other scheme. */
export function webAddress(url: string | null | undefined): string | undefined {
  if (!url || !URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  return ['https:', 'http:', 'mailto:'].includes(protocol) ? href : undefined
}
