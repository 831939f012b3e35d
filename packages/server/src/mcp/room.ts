/** Bytes of UTF-8 that count as one token. */
const BYTES_PER_TOKEN = 4
/** The bytes of a result beside its text, the protocol's own included. */
const FRAME_BYTES = 256
const ELLIPSIS = '…'

/** How much a result may hold. */
export interface Room {
  /** Whether a text fits, as it is sent: escaped as a string of JSON. */
  fits(text: string): boolean
}

/** Room for a result of so many tokens. */
export function roomFor(tokens: number): Room {
  const bytesMax = tokens * BYTES_PER_TOKEN - FRAME_BYTES
  return { fits: (text) => text.length <= bytesMax && Buffer.byteLength(JSON.stringify(text)) <= bytesMax }
}

/** The most characters of a text, from its start, of which `fits` holds; it never ends in half a character. */
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

/** As many entries of a list, from its start, as fit when `write` has made a text of them. */
export function writeFitting<T>(entries: readonly T[], room: Room, write: (entries: readonly T[]) => string): string {
  let count = entries.length
  while (count > 0 && !room.fits(write(entries.slice(0, count)))) count -= 1
  return write(entries.slice(0, count))
}

/** A text on one line, of at most so many characters, with an ellipsis where it was cut. */
export function oneLine(text: string, charsMax: number): string {
  // A hostile text is cut before it is looked at as a whole; blanks that go make room for as many again.
  const line = wholeCharacters(text.slice(0, 2 * charsMax))
    .replace(/\s+/gu, ' ')
    .trim()
  if (line.length <= charsMax && text.length <= 2 * charsMax) return line
  return line.length < charsMax ? line : `${wholeCharacters(line.slice(0, charsMax - 1))}${ELLIPSIS}`
}

function wholeCharacters(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text
}
