/** A span of a text, in UTF-16 code units as in the API. */
export interface MarkedSpan {
  start: number
  end: number
}

/** A segment of a text. `isMarked` is true if it is highlighted. */
export interface MarkedSegment {
  text: string
  isMarked: boolean
}

/** An excerpt of a text, and whether it is cut before or after. */
export interface Excerpt {
  pieces: MarkedSegment[]
  isCutBefore: boolean
  isCutAfter: boolean
}

/** Splits a text into highlighted and other segments. Spans may overlap and may exceed the text. */
export function markedSegments(text: string, spans: readonly MarkedSpan[]): MarkedSegment[] {
  const segments: MarkedSegment[] = []
  let at = 0
  for (const { start, end } of [...spans].sort((one, other) => one.start - other.start)) {
    const from = Math.max(at, Math.min(start, text.length))
    const until = Math.min(end, text.length)
    if (until <= from) continue
    if (from > at) segments.push({ text: text.slice(at, from), isMarked: false })
    segments.push({ text: text.slice(from, until), isMarked: true })
    at = until
  }
  if (at < text.length) segments.push({ text: text.slice(at), isMarked: false })
  return segments
}

/**
 * Returns the excerpt around the spans: up to `around` characters before the first and after the last, cut at spaces.
 */
export function excerptOf(text: string, spans: readonly MarkedSpan[], around: number, charsMax: number): Excerpt {
  const first = Math.min(text.length, ...spans.map(({ start }) => start))
  const last = Math.max(0, ...spans.map(({ end }) => end))
  const from = spans.length === 0 ? 0 : beginOfWord(text, Math.max(0, first - around))
  const unrounded = spans.length === 0 ? from + charsMax : Math.min(last + around, from + charsMax)
  const until = endOfWord(text, Math.min(text.length, unrounded))
  const moved = spans.map(({ start, end }) => ({ start: start - from, end: end - from }))
  return {
    pieces: markedSegments(
      text.slice(from, until),
      moved.map(({ start, end }) => ({ start: Math.max(0, start), end })),
    ),
    isCutBefore: from > 0,
    isCutAfter: until < text.length,
  }
}

/** Maximum number of characters that a cut moves to find a space. Otherwise the text is cut inside a word. */
const WORD_CHARS_MAX = 40

function beginOfWord(text: string, at: number): number {
  if (at === 0) return 0
  const space = text.slice(at, at + WORD_CHARS_MAX).search(/\s/)
  return space === -1 ? at : at + space + 1
}

function endOfWord(text: string, at: number): number {
  if (at === text.length) return at
  const before = text.slice(Math.max(0, at - WORD_CHARS_MAX), at)
  const space = before.search(/\s\S*$/)
  return space === -1 ? at : at - before.length + space
}
