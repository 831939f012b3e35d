import { GONE, maskInline, withUnseenAs } from './clean-text.ts'
import { pattern } from './pattern.ts'

/** What a stretch of a text shows to who reads it: one line without markup. */
export interface Shown {
  readonly text: string
  /** The stretch of the whole text, in UTF-16 offsets, that shows these signs of the line, with markup around them. */
  spanOf(from: number, to: number): { start: number; end: number }
}

/** The marks of a quotation and the spaces with which a further line of a block begins. */
const FURTHER_LINE = /\n[ \t>]*/g
const CLOCK = '\\d?\\d:\\d\\d(?::\\d\\d)?(?: ?[ap]m)?'
/** Who speaks in a line of a chat's log, between the signs of a tag: "[12:04] <mira> …". */
const LOGGED = pattern(
  'iu',
  `^([[(]?[\\p{L}\\d/.,: -]{0,24}${CLOCK}[\\])]?[ -]{1,3})`,
  '<([@+%&~ ]?)([^\\s<>]{1,30})>(:?)(?=[ \\t])',
)

/** What the text shows from `start` to before `end`; `defined` are the names under which it says where links lead. */
export function shownIn(text: string, start: number, end: number, defined?: ReadonlySet<string>): Shown {
  const clean = withUnseenAs(GONE, text.slice(start, end))
  const line = clean.replace(FURTHER_LINE, (whole) => ` ${GONE.repeat(whole.length - 1)}`)
  const said = line.includes('<') ? line.replace(LOGGED, spoken) : line
  const masked = maskInline(said, defined)
  if (!CHANGED.test(masked)) return { text: masked, spanOf: (from, to) => ({ start: start + from, end: start + to }) }
  const places = placesShown(masked)
  const shown = places.map((at) => (isSpace(masked[at]!) ? ' ' : masked[at])).join('')
  return {
    text: shown,
    spanOf: (from, to) => {
      // Markup stands with what it is of: before it behind what is shown before, behind it before what is shown next.
      const before = from === 0 ? 0 : places[from - 1]! + 1
      const after = to >= places.length ? masked.length : places[to]!
      return trimmed(clean, before, after, start)
    },
  }
}

/** A line without these is shown as it is. */
const CHANGED = /[\0\n\t]|\s\s|^\s|\s$/

function spoken(_whole: string, time: string, sign: string, name: string, colon: string): string {
  return `${time}${GONE.repeat(1 + sign.length)}${name}:${GONE.repeat(colon.length)}`
}

function isSpace(sign: string): boolean {
  return /\s/.test(sign)
}

/** Where each sign that is shown stands; of spaces beside each other the first, and none at either end. */
function placesShown(masked: string): number[] {
  const places: number[] = []
  let space: number | undefined
  for (let at = 0; at < masked.length; at += 1) {
    const sign = masked[at]!
    if (sign === GONE) continue
    if (isSpace(sign)) {
      if (places.length > 0) space ??= at
      continue
    }
    if (space !== undefined) places.push(space)
    space = undefined
    places.push(at)
  }
  return places
}

/** Without spaces at its ends, in places of the whole text. */
function trimmed(text: string, from: number, to: number, offset: number): { start: number; end: number } {
  let [start, end] = [from, to]
  while (start < end && isBlank(text[start]!)) start += 1
  while (end > start && isBlank(text[end - 1]!)) end -= 1
  return { start: offset + start, end: offset + end }
}

function isBlank(sign: string): boolean {
  return sign === GONE || isSpace(sign)
}
