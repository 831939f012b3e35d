import { type DocumentPart, PART_CHARS_MAX } from './document.ts'

/** A page, a slide, a row or a chapter as it is read. */
export interface Unit {
  readonly text: string
  readonly locator?: string | undefined
}

/** Places of one part; a record has no more. */
const LOCATORS_MAX = 5_000
const BETWEEN = '\n\n'

/**
 * Puts units together to parts, each as long as parts may be and ended between two units; a unit that is longer is cut
 * between two lines, else within one.
 */
export async function* partsOf(
  units: AsyncIterable<Unit> | Iterable<Unit>,
  between = BETWEEN,
): AsyncGenerator<DocumentPart> {
  let texts: string[] = []
  let chars = 0
  let locators: { start: number; locator: string }[] = []
  const take = (): DocumentPart => {
    const part = { kind: 'part', text: texts.join(between), locators } as const
    texts = []
    chars = 0
    locators = []
    return part
  }
  for await (const { text, locator } of units) {
    for (const piece of piecesOf(text)) {
      const isFull = chars + between.length + piece.length > PART_CHARS_MAX || locators.length >= LOCATORS_MAX
      if (texts.length > 0 && isFull) yield take()
      const start = texts.length > 0 ? chars + between.length : 0
      if (locator !== undefined && locators.at(-1)?.locator !== locator) locators.push({ start, locator })
      texts.push(piece)
      chars = start + piece.length
    }
  }
  if (texts.length > 0) yield take()
}

/** The text, in pieces that fit a part. */
function* piecesOf(text: string): Generator<string> {
  let from = 0
  while (text.length - from > PART_CHARS_MAX) {
    const window = text.slice(from, from + PART_CHARS_MAX)
    const paragraph = window.lastIndexOf('\n\n')
    const end = [paragraph, window.lastIndexOf('\n'), window.lastIndexOf(' ')].find((at) => at > PART_CHARS_MAX / 2)
    const size = end ?? wholePairs(window)
    yield window.slice(0, size).trim()
    from += size
  }
  const rest = from === 0 ? text : text.slice(from).trimStart()
  if (rest.trim() !== '') yield rest
}

/** The length of a window that ends in no half of a surrogate pair. */
function wholePairs(window: string): number {
  return /[\ud800-\udbff]$/.test(window) ? window.length - 1 : window.length
}
