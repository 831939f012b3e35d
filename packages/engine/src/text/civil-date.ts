import { MONTH_NAMES } from '../lexicon/languages.ts'

export const MS_PER_DAY = 86_400_000
export const DAYS_PER_WEEK = 7

/** A day of the proleptic Gregorian calendar in UTC. */
interface CivilDay {
  year: number
  month: number
  day: number
}

/** Returns the day number of a UTC time in milliseconds: the days since 1970-01-01. */
export function dayOf(ms: number): number {
  return Math.floor(ms / MS_PER_DAY)
}

export function civilOf(dayNumber: number): CivilDay {
  const date = new Date(dayNumber * MS_PER_DAY)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** Returns the day number of a calendar day. A month above 12 continues into the next year. */
export function dayNumber(year: number, month: number, day: number): number {
  return dayOf(new Date(0).setUTCFullYear(year, month - 1, day))
}

/** Returns the day number of a text that begins with YYYY-MM-DD; undefined for any other text. */
export function parseIsoDay(text: string): number | undefined {
  const found = /^(\d{4})-(\d{2})-(\d{2})(?!\d)/.exec(text)
  if (!found) return undefined
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])]
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined
  return dayNumber(year, month, day)
}

/** Returns true if a text is an existing day as YYYY-MM-DD. `Date.parse` would read 31 June as 1 July. */
export function isDay(text: string): boolean {
  const day = parseIsoDay(text)
  return day !== undefined && writeIsoDay(day) === text
}

/** Returns the day as YYYY-MM-DD. */
export function writeIsoDay(day: number): string {
  return new Date(day * MS_PER_DAY).toISOString().slice(0, 'YYYY-MM-DD'.length)
}

/** Returns the weekday, 0 for Sunday to 6 for Saturday. */
export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7
}

// A date in a statement is first written as a token between two control characters, which clean text never contains. It
// is rendered when all statements are known, so that a repeated year can be omitted.
const OPEN = '\u0001'
const CLOSE = '\u0002'
const TOKEN = new RegExp(`${OPEN}([^${CLOSE}]*)${CLOSE}`, 'g')

/** Returns a token for a day. `renderDates` replaces it. */
export function dateToken(day: number): string {
  return `${OPEN}${day}${CLOSE}`
}

/** Returns a token for "3 and 21 June" or "3 to 21 June". Returns the token of a single day if both days are equal. */
export function rangeToken(from: number, to: number, joiner: 'and' | 'to'): string {
  return from === to ? dateToken(from) : `${OPEN}${from}|${to}|${joiner}${CLOSE}`
}

/** Formats a day, given in days since 1970-01-01: "12 June 2026". */
export function writeDay(day: number): string {
  const civil = civilOf(day)
  return `${civil.day} ${MONTH_NAMES[civil.month - 1]} ${civil.year}`
}

/** Returns a range of days: "16–22 November 2026", or a single day. */
export function writeDays(from: number, to: number): string {
  if (from === to) return writeDay(from)
  const [a, b] = [civilOf(from), civilOf(to)]
  if (a.year === b.year && a.month === b.month) return `${a.day}–${writeDay(to)}`
  return `${writeOne(from, a.year !== b.year)} – ${writeDay(to)}`
}

/** Replaces date tokens by dates. If all days are in one year, only the first date shows it. */
export function renderDates(texts: string[]): string[] {
  const years = new Set<number>()
  for (const text of texts) {
    for (const token of text.matchAll(TOKEN)) {
      for (const day of token[1]!.split('|').slice(0, 2)) years.add(civilOf(Number(day)).year)
    }
  }
  let written = false
  const needsYear = (): boolean => {
    const needed = years.size > 1 || !written
    written = true
    return needed
  }
  return texts.map((text) =>
    text.replace(TOKEN, (_, token: string) => {
      const [from, to, joiner] = token.split('|')
      const year = needsYear()
      return to === undefined ? writeOne(Number(from), year) : writeRange(Number(from), Number(to), joiner!, year)
    }),
  )
}

function writeOne(day: number, withYear: boolean): string {
  return withYear ? writeDay(day) : writeDay(day).replace(/ -?\d+$/, '')
}

function writeRange(from: number, to: number, joiner: string, withYear: boolean): string {
  const [a, b] = [civilOf(from), civilOf(to)]
  if (a.year !== b.year) return `${writeDay(from)} ${joiner} ${writeDay(to)}`
  const start = a.month === b.month ? String(a.day) : writeOne(from, false)
  return `${start} ${joiner} ${writeOne(to, withYear)}`
}

/** Returns true if a value is an ISO date or a date with time. */
export function isDayOrMoment(value: string): boolean {
  return DAY_OR_MOMENT.test(value)
}

const DAY_OR_MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}.*)?$/
