/** Number of UTF-8 bytes that count as one token. */
const BYTES_PER_TOKEN = 4
/** Number of bytes of a result that are not its text, such as the protocol's envelope. */
const ENVELOPE_BYTES = 256
const ELLIPSIS = '…'

export interface SizeLimit {
  /** Returns true if a text fits after it is escaped as a JSON string. */
  fits(text: string): boolean
}

export function sizeLimitOf(tokens: number): SizeLimit {
  const bytesMax = tokens * BYTES_PER_TOKEN - ENVELOPE_BYTES
  return { fits: (text) => text.length <= bytesMax && Buffer.byteLength(JSON.stringify(text)) <= bytesMax }
}

/** Returns the longest prefix of a text for which `fits` is true. Never splits a surrogate pair. */
export function longestFit(text: string, fits: (start: string) => boolean): string {
  if (fits(text)) return text
  let least = 0
  let most = text.length
  while (most - least > 1) {
    const middle = (least + most) >> 1
    if (fits(text.slice(0, middle))) least = middle
    else most = middle
  }
  return wholeCharacters(text.slice(0, least))
}

/** Writes the longest prefix of a list that fits as text. */
export function writeFitting<T>(
  entries: readonly T[],
  sizeLimit: SizeLimit,
  write: (entries: readonly T[]) => string,
): string {
  let count = entries.length
  while (count > 0 && !sizeLimit.fits(write(entries.slice(0, count)))) count -= 1
  return write(entries.slice(0, count))
}

/** Returns a text on one line, with at most `charsMax` characters and an ellipsis if truncated. */
export function oneLine(text: string, charsMax: number): string {
  // A long text is truncated before whitespace is collapsed, which limits the work. Twice the length is kept, because
  // whitespace is removed.
  const line = wholeCharacters(text.slice(0, 2 * charsMax))
    .replace(/\s+/gu, ' ')
    .trim()
  if (line.length <= charsMax && text.length <= 2 * charsMax) return line
  return line.length < charsMax ? line : `${wholeCharacters(line.slice(0, charsMax - 1))}${ELLIPSIS}`
}

function wholeCharacters(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text
}
