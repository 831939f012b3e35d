import type { MarkedSpan } from '../parts/marked.ts'
import type { Place } from './mark-passages.ts'

/** A text with its passages and the locations of its original document. */
interface PlacedText {
  text: string
  marks: readonly MarkedSpan[]
  places: readonly Place[]
}

/** A part of a text. Its offsets are relative to the part. */
interface TextPart extends PlacedText {
  /** Start of the part in the whole text. */
  from: number
  isWhole: boolean
  /** The span around the passages; undefined if the whole part is shown. */
  shown: MarkedSpan | undefined
}

/** Maximum number of characters that the cut moves back to the beginning of a paragraph. */
const PARAGRAPH_CHARS_MAX = 2_000

/**
 * Returns the part of a text that is shown. It has at most `charsMax` characters around the first passage and starts at
 * the beginning of a paragraph. With `around`, only the surroundings of the passages are shown.
 */
export function partOf({ text, marks, places }: PlacedText, charsMax: number, around?: number): TextPart {
  const first = Math.min(...marks.map(({ start }) => start), text.length)
  const isMarked = marks.length > 0
  const begin = isMarked ? Math.max(0, first - Math.floor(charsMax / 2)) : 0
  const from = beginOfParagraph(text, begin)
  const until = Math.min(text.length, begin + charsMax)
  const moved = marks
    .filter(({ start, end }) => end > from && start < until)
    .map(({ start, end }) => ({ start: Math.max(0, start - from), end: end - from }))
  return {
    text: text.slice(from, until),
    marks: moved,
    places: placesIn(places, from, until),
    from,
    isWhole: from === 0 && until === text.length,
    shown: around === undefined ? undefined : surroundings(moved, around),
  }
}

function surroundings(marks: readonly MarkedSpan[], around: number): MarkedSpan {
  if (marks.length === 0) return { start: 0, end: 2 * around }
  const start = Math.min(...marks.map((mark) => mark.start)) - around
  return { start, end: Math.max(...marks.map((mark) => mark.end)) + around }
}

function beginOfParagraph(text: string, at: number): number {
  const begin = at === 0 ? -1 : text.lastIndexOf('\n\n', at)
  return begin === -1 || at - begin > PARAGRAPH_CHARS_MAX ? at : begin + 2
}

/** Returns the locations within a part. The location that begins before the part is moved to its start. */
function placesIn(places: readonly Place[], from: number, until: number): Place[] {
  const before = places.filter(({ start }) => start <= from).at(-1)
  const within = places.filter(({ start }) => start > from && start < until)
  return [...(before ? [before] : []), ...within].map(({ start, locator }) => ({
    start: Math.max(0, start - from),
    locator,
  }))
}

/** Returns the distinct locations of the original document that contain passages. */
export function placesOf(marks: readonly MarkedSpan[], places: readonly Place[]): string[] {
  const found = marks.flatMap(({ start }) => places.filter((place) => place.start <= start).at(-1)?.locator ?? [])
  return [...new Set(found)]
}
