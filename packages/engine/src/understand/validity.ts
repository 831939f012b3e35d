import { anyIn, MONTH } from '../lexicon/languages.ts'
import { civilOf, MS_PER_DAY } from '../text/civil-date.ts'
import { pattern } from '../text/words.ts'
import { type Days, findDates, type NamedDate } from './named-dates.ts'
import type { TimeSpan } from './time-span.ts'

/** Maximum number of characters before a date in which words such as "from" or "until" are searched. */
const LEAD_CHARS_MAX = 40
/** Matches a word such as "from" or "until" before a date. It is a fast pre-filter, since few texts state a period. */
const MENTIONS_PERIOD = pattern(
  'i',
  `\\b${anyIn('validFrom', 'validSince', 'validUntil', 'periodLeads')}\\s+(?:\\w+\\s+){0,3}?(?:\\d|${MONTH}\\b)`,
)
const CHANGES = new RegExp(`\\b${anyIn('changeCues')}\\b`, 'i')
const PERIOD_WORDS = new RegExp(`\\b${anyIn('validFrom')}\\b`, 'gi')
const FROM = endsWith(anyIn('validFrom'))
const SINCE = endsWith(anyIn('validSince'))
const UNTIL = endsWith(anyIn('validUntil'))
const BETWEEN = endsWith(anyIn('periodLeads'))
const TO = new RegExp(`^\\s*(?:${anyIn('rangeEnds', 'coordinators')})\\s+(?:the )?$`, 'i')

/** A period in a statement, with the offsets of its date. */
export interface Period extends TimeSpan {
  readonly start: number
  readonly end: number
}

/**
 * Returns the periods during which a statement claims to be true, by its dates: "from 1 July", "until 30 April", "since
 * 2024", "between 2021 and 2024". A date without a year is the nearest one for a start or an end, and the latest one
 * for "since".
 * @param writtenOn the day on which it was written, in days since 1970-01-01
 */
export function validityOf(text: string, writtenOn: number): Period[] {
  if (!MENTIONS_PERIOD.test(text)) return []
  // The date parser reads "from 1 July" as the whole month, so "from" is blanked.
  const dates = findDates(text.replace(PERIOD_WORDS, blank), writtenOn)
  const periods: Period[] = []
  for (let at = 0; at < dates.length; at += 1) {
    const date = dates[at]!
    const next = dates[at + 1]
    const offsets = { start: date.index, end: date.index + date.length }
    const lead = text.slice(Math.max(0, date.index - LEAD_CHARS_MAX), date.index)
    const between = next ? text.slice(date.index + date.length, next.index) : ''
    // "moved from 1 May to 5 May" states no period.
    if (BETWEEN.test(lead) && CHANGES.test(text.slice(0, date.index))) continue
    if (next && BETWEEN.test(lead) && TO.test(between)) {
      const end = nearest(next, writtenOn)
      periods.push({ ...offsets, end: next.index + next.length, ...span(inYearOf(date, end, writtenOn)[0], end[1]) })
      at += 1
    } else if (date.isRange && FROM.test(lead)) {
      const [from, to] = nearest(date, writtenOn)
      periods.push({ ...offsets, ...span(from, from <= to ? to : yearLater(date, from)) })
    } else if (SINCE.test(lead))
      periods.push({ ...offsets, ...span(latest(date, writtenOn)[0], Number.POSITIVE_INFINITY) })
    else if (UNTIL.test(lead))
      periods.push({ ...offsets, ...span(Number.NEGATIVE_INFINITY, nearest(date, writtenOn)[1]) })
    else if (FROM.test(lead))
      periods.push({ ...offsets, ...span(nearest(date, writtenOn)[0], Number.POSITIVE_INFINITY) })
  }
  return periods
}

/** Returns true if two half-open spans share a moment. */
export function overlap(one: TimeSpan, other: TimeSpan): boolean {
  return one.fromMs < other.toMs && other.fromMs < one.toMs
}

function endsWith(words: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${words}\\s+(?:the )?$`, 'iu')
}

function nearest({ year, inYear }: NamedDate, writtenOn: number): Days {
  if (year !== undefined) return inYear(year)
  const own = civilOf(writtenOn).year
  const years = [own, own + 1, own - 1].map((each) => inYear(each))
  const distances = years.map(([from]) => Math.abs(from - writtenOn))
  return years[distances.indexOf(Math.min(...distances))]!
}

function latest({ year, inYear }: NamedDate, writtenOn: number): Days {
  const own = inYear(year ?? civilOf(writtenOn).year)
  return year !== undefined || own[0] <= writtenOn ? own : inYear(civilOf(writtenOn).year - 1)
}

/** Returns the days of a start date: in its stated year, otherwise in the year of the end or the year before. */
function inYearOf({ year, inYear }: NamedDate, end: Days, writtenOn: number): Days {
  if (year !== undefined) return inYear(year)
  const same = inYear(civilOf(Number.isFinite(end[0]) ? end[0] : writtenOn).year)
  return same[0] <= end[1] ? same : inYear(civilOf(end[0]).year - 1)
}

/** Returns the last day of a date in the year after the start. */
function yearLater({ inYear }: NamedDate, from: number): number {
  return inYear(civilOf(from).year + 1)[1]
}

function blank(text: string): string {
  return ' '.repeat(text.length)
}

function span(from: number, to: number): TimeSpan {
  return { fromMs: from * MS_PER_DAY, toMs: (to + 1) * MS_PER_DAY }
}
