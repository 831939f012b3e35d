import { Chrono, en, type ParsedComponents } from 'chrono-node'
import { anyOf } from '../lexicon/entries.ts'
import { anyIn, NUMBERS } from '../lexicon/languages.ts'
import { civilOf, dayNumber, MS_PER_DAY, weekdayOf } from '../text/civil-date.ts'
import { pattern } from '../text/words.ts'

/** A range of days since 1970-01-01; both ends are included. */
export type Days = readonly [from: number, to: number]

/** A day, month, quarter or year in a text. */
export interface NamedDate {
  /** Offset in the text. */
  index: number
  length: number
  /** True if the expression is a time without a preposition, such as "yesterday". "June" needs "in". */
  isAdverb: boolean
  /** True for a range: "May to June". */
  isRange: boolean
  /** Year in the text, if any. */
  year: number | undefined
  /** Returns the days of the date in a year. If the text states a year, the argument is ignored. */
  inYear(year: number): Days
}

const NOON_MS = MS_PER_DAY / 2
const MONTHS_PER_QUARTER = 3
const QUARTER = /\bq([1-4])(?: (?:of )?((?:1[5-9]|20)\d\d))?\b/gi
const YEAR = /(?<![\w.,-])(?:1[5-9]|20)\d\d(?![\w-])/g
const MAY = new RegExp(`(?<=\\b${anyIn('beforeMay')} )may\\b`, 'gi')
const MAY_NUMBER = 5
/**
 * The date parser without its parsers for durations ("5 days, 2 hours ago"). In some texts their run time doubles with
 * every duration. Other code parses durations, because they are not single days.
 */
const DATES = new Chrono({
  parsers: en.casual.parsers.filter((parser) => !parser.constructor.name.startsWith('ENTimeUnit')),
  refiners: en.casual.refiners,
})
const UNITS = new RegExp(`\\b(?:${anyIn('durationUnits')}|day )\\b`, 'i')
/** Matches an offset before a date: "two weeks after", "the day before". */
const OFFSET_BEFORE = pattern(
  '',
  `(?<![\\w-])(\\d+|${anyIn('vagueCounts')}|${anyOf(NUMBERS)}) `,
  `(${anyIn('allUnits')})s? (${anyIn('dateSides')}) (?:the )?$`,
)
const OFFSET_CHARS_MAX = 40
const SINGLE = new RegExp(`^${anyIn('single')}$`)
const ADVERB = new RegExp(`${anyIn('adverbDates')}|^last `, 'i')
/** Matches a preposition that the date parser includes in a date. */
const PREPOSITION = new RegExp(`^${anyIn('datedBy')}\\s+`, 'i')

/** Finds the dates in an English text, from left to right. A date without a year is the latest one that has begun. */
export function findDates(text: string, today: number): NamedDate[] {
  const dates = dateWindows(text).flatMap(({ text: part, offsetOf: placeOf }) =>
    readDates(part, today).map((date) => {
      const index = placeOf(date.index)
      return { ...date, index, length: placeOf(date.index + date.length - 1) + 1 - index }
    }),
  )
  const others = [...monthsOfMay(text), ...quarters(text), ...years(text)].filter(
    (one) => !dates.some((other) => one.index < other.index + other.length && other.index < one.index + one.length),
  )
  const uncovered = others.filter((one, at) => others.findIndex((other) => covers(other, one)) === at)
  return [...dates, ...uncovered].sort((one, other) => one.index - other.index)
}

/** Parses dates in a short text whose words are one space apart. */
function readDates(text: string, today: number): NamedDate[] {
  const instant = new Date(today * MS_PER_DAY + NOON_MS)
  return DATES.parse(text, { instant, timezone: 0 }).flatMap((found) => {
    const lead = PREPOSITION.exec(found.text)?.[0].length ?? 0
    const said = found.text.slice(lead)
    const start = UNITS.test(said) ? undefined : readComponents(found.start, said, today)
    const end = found.end ? readComponents(found.end, said, today) : start
    if (!start || !end) return []
    const year = [found.end, found.start].flatMap((each) =>
      each?.isCertain('year') ? (each.get('year') ?? []) : [],
    )[0]
    const date = {
      index: found.index + lead,
      length: said.length,
      isAdverb: ADVERB.test(said),
      isRange: found.end !== null && found.end !== undefined,
      year,
      inYear: (of: number): Days => [start(of)[0], end(of)[1]],
    }
    return applyOffset(text, date)
  })
}

/** Applies an offset such as "the day before" to a date. Returns nothing for an offset of several days. */
function applyOffset(text: string, date: NamedDate): NamedDate | [] {
  const before = text.slice(Math.max(0, date.index - OFFSET_CHARS_MAX), date.index)
  const [words, count, unit, side] = OFFSET_BEFORE.exec(before) ?? []
  if (words === undefined) return date
  if (unit !== 'day' || !SINGLE.test(count!)) return []
  return {
    ...date,
    index: date.index - words.length,
    length: date.length + words.length,
    isRange: false,
    inYear: (year) => {
      const [from, to] = date.inYear(year)
      const day = side === 'before' ? from - 1 : to + 1
      return [day, day]
    },
  }
}

/** Returns the days of a date in its stated year, otherwise in the latest year in which it has begun. */
export function daysOf({ year, inYear }: NamedDate, today: number, givenYear = year): Days {
  if (givenYear !== undefined) return inYear(givenYear)
  const latest = inYear(civilOf(today).year)
  return latest[0] <= today ? latest : inYear(civilOf(today).year - 1)
}

function covers(one: NamedDate, other: NamedDate): boolean {
  return one.index <= other.index && one.index + one.length >= other.index + other.length
}

/** Finds the month May only after words that precede a date, because "may" is also a verb. */
function monthsOfMay(text: string): NamedDate[] {
  return [...text.matchAll(MAY)].map(({ index, 0: said }) => ({
    index,
    length: said.length,
    isAdverb: false,
    isRange: false,
    year: undefined,
    inYear: (of) => [dayNumber(of, MAY_NUMBER, 1), dayNumber(of, MAY_NUMBER + 1, 1) - 1],
  }))
}

function quarters(text: string): NamedDate[] {
  return [...text.matchAll(QUARTER)].map(({ index, 0: said, 1: quarter, 2: year }) => ({
    index,
    length: said.length,
    isAdverb: false,
    isRange: false,
    year: year === undefined ? undefined : Number(year),
    inYear: (of) => {
      const first = (Number(quarter) - 1) * MONTHS_PER_QUARTER + 1
      return [dayNumber(of, first, 1), dayNumber(of, first + MONTHS_PER_QUARTER, 1) - 1]
    },
  }))
}

function years(text: string): NamedDate[] {
  return [...text.matchAll(YEAR)].map(({ index, 0: said }) => ({
    index,
    length: said.length,
    isAdverb: false,
    isRange: false,
    year: Number(said),
    inYear: (of) => [dayNumber(of, 1, 1), dayNumber(of + 1, 1, 1) - 1],
  }))
}

/** Converts the certain components of a parsed date to days; undefined if it has only a time of day. */
function readComponents(parts: ParsedComponents, said: string, today: number): ((year: number) => Days) | undefined {
  const [month, day] = [parts.get('month') ?? 1, parts.get('day') ?? 1]
  if (parts.isCertain('day')) {
    if (parts.isCertain('second')) return undefined
    const fixed = dayNumber(parts.get('year') ?? 0, month, day)
    if (!/\d/.test(said)) return () => [fixed, fixed]
    return (year) => [dayNumber(year, month, day), dayNumber(year, month, day)]
  }
  if (parts.isCertain('weekday')) return weekdayBefore(parts, said, today)
  if (!parts.isCertain('month')) return undefined
  return (year) => [dayNumber(year, month, 1), dayNumber(year, month + 1, 1) - 1]
}

/** Returns the latest day with the named weekday, or after "next" the coming one; undefined for "sun" and "sat". */
function weekdayBefore(parts: ParsedComponents, said: string, today: number): (() => Days) | undefined {
  if (!/day\b/i.test(said)) return undefined
  if (said.toLowerCase().startsWith('next ')) {
    const next = dayNumber(parts.get('year') ?? 0, parts.get('month') ?? 1, parts.get('day') ?? 1)
    return () => [next, next]
  }
  const back = (weekdayOf(today) - (parts.get('weekday') ?? 0) + 7) % 7
  const day = today - (back === 0 && said.toLowerCase().startsWith('last ') ? 7 : back)
  return () => [day, day]
}

/** A part of a text around possible dates, with each run of white space replaced by one space. */
interface DateWindow {
  /** Text of at most `WINDOW_CHARS_MAX` characters. */
  text: string
  /** Converts an index in the part, or its end, to an offset in the whole text. */
  offsetOf(index: number): number
}

/** Maximum characters of a part. The date parser's run time is quadratic in the length. */
export const WINDOW_CHARS_MAX = 300
/** Maximum parts of a text: half from its beginning, half from its end, where the question often is. */
const WINDOWS_MAX = 4
/** Number of characters around a date word that may belong to the date. */
const MARGIN_CHARS = 40
const DATED = new RegExp(`\\d|\\b${anyIn('dateStarts')}`, 'gi')
const SPACES = /\s+/g

/** Returns the parts of a text for the date parser. A short text is one part. */
export function dateWindows(text: string): DateWindow[] {
  const { short, offsets } = collapseSpaces(text)
  const windowAt = (from: number, to: number): DateWindow => ({
    text: short.slice(from, to),
    offsetOf: (index) => offsets[from + index]!,
  })
  if (short.length <= WINDOW_CHARS_MAX) return [windowAt(0, short.length)]
  const spans = datedSpans(short)
  const most = WINDOWS_MAX / 2
  const read = spans.length > WINDOWS_MAX ? [...spans.slice(0, most), ...spans.slice(-most)] : spans
  return read.map(([from, to]) => windowAt(from, to))
}

/** Collapses white space. Also returns the original offset of each character and of the end. */
function collapseSpaces(text: string): { short: string; offsets: number[] } {
  const offsets: number[] = []
  const addOffsets = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) offsets.push(at)
  }
  let from = 0
  for (const { index, 0: run } of text.matchAll(SPACES)) {
    addOffsets(from, index + 1)
    from = index + run.length
  }
  addOffsets(from, text.length + 1)
  return { short: text.replace(SPACES, ' '), offsets }
}

/** Returns the spans around date words, without overlaps and cut between words, from left to right. */
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

/** Returns the start of the first whole word after `from`, or `from` if none begins before `end`. */
function beginOfWord(text: string, from: number, end: number): number {
  if (from <= 0) return 0
  const space = text.indexOf(' ', from)
  return space !== -1 && space < end ? space + 1 : from
}

/** Returns the end of the last whole word before `to`, or `to` if there is none nearby. */
function endOfWord(text: string, to: number): number {
  if (to >= text.length) return text.length
  const space = text.lastIndexOf(' ', to)
  return space > to - MARGIN_CHARS ? space : to
}
