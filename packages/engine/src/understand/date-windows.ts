import { anyIn } from '../lexicon/languages.ts'

/** A part of a text around what may be dates, every run of white space in it one space. */
interface DateWindow {
  /** At most `WINDOW_CHARS_MAX` characters. */
  text: string
  /** The place in the whole text of what stands at an index of the part, its end included. */
  placeOf(index: number): number
}

/** Characters of one part: a reader of dates looks at all of them from each of them. */
export const WINDOW_CHARS_MAX = 300
/** Parts of one text: half of them from its beginning, half from its end, where long messages have their question. */
const WINDOWS_MAX = 4
/** Characters beside a word of a date that may belong to it. */
const MARGIN_CHARS = 40
const DATED = new RegExp(`\\d|\\b${anyIn('dateStarts')}`, 'gi')
const SPACES = /\s+/g

/** The parts of a text that a reader of dates is given; a short text is one part. */
export function dateWindows(text: string): DateWindow[] {
  const { short, places } = shortened(text)
  const windowAt = (from: number, to: number): DateWindow => ({
    text: short.slice(from, to),
    placeOf: (index) => places[from + index]!,
  })
  if (short.length <= WINDOW_CHARS_MAX) return [windowAt(0, short.length)]
  const spans = datedSpans(short)
  const most = WINDOWS_MAX / 2
  const read = spans.length > WINDOWS_MAX ? [...spans.slice(0, most), ...spans.slice(-most)] : spans
  return read.map(([from, to]) => windowAt(from, to))
}

/** The text with one space for each run of white space, and where each of its characters stood, and its end. */
function shortened(text: string): { short: string; places: number[] } {
  const places: number[] = []
  const keep = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) places.push(at)
  }
  let from = 0
  for (const { index, 0: run } of text.matchAll(SPACES)) {
    keep(from, index + 1)
    from = index + run.length
  }
  keep(from, text.length + 1)
  return { short: text.replace(SPACES, ' '), places }
}

/** Where words of dates stand with what is beside them, cut between words, from left to right and apart. */
function datedSpans(text: string): [from: number, to: number][] {
  const spans: [from: number, to: number][] = []
  for (const { index, 0: word } of text.matchAll(DATED)) {
    const last = spans.at(-1)
    const to = index + word.length + MARGIN_CHARS
    const isBeside = last !== undefined && index - MARGIN_CHARS <= last[1]
    if (isBeside && to - last[0] <= WINDOW_CHARS_MAX) {
      last[1] = to
      continue
    }
    if (isBeside) last[1] = Math.min(last[1], index)
    spans.push([isBeside ? index : beginOfWord(text, index - MARGIN_CHARS, index), to])
  }
  return spans.map(([from, to]) => [from, endOfWord(text, to)])
}

/** Where the first whole word after a place begins, or that place where none does before the end. */
function beginOfWord(text: string, from: number, end: number): number {
  if (from <= 0) return 0
  const space = text.indexOf(' ', from)
  return space !== -1 && space < end ? space + 1 : from
}

/** Where the last whole word before a place ends, or that place where none does close by. */
function endOfWord(text: string, to: number): number {
  if (to >= text.length) return text.length
  const space = text.lastIndexOf(' ', to)
  return space > to - MARGIN_CHARS ? space : to
}
