import { anyOf } from '../lexicon/entries.ts'
import { anyIn, NUMBERS, numberOf } from '../lexicon/languages.ts'
import { civilOf, DAYS_PER_WEEK, dayNumber } from '../text/civil-date.ts'
import { STATEMENT_END } from '../text/sentences.ts'
import { pattern } from '../text/words.ts'
import { daysOf, findDates } from '../understand/named-dates.ts'

/** Characters behind a statement in which the time since when it holds may stand. */
const CHARS_MAX = 60
const UNITS = ['day', 'week', 'month', 'year'] as const
const COUNTED = `(\\d{1,2}|an?|${anyOf(NUMBERS)}) (${UNITS.join('|')})s?`
const AGO = pattern('i', `\\b${COUNTED} ago\\b`)
const FOR = pattern('i', `\\bfor (?:${anyIn('forAbout')} )*${COUNTED}\\b`)
const NAMES_TIME = new RegExp(`\\d|${anyIn('dayWords')}|\\b\\p{Lu}`, 'u')
/** What follows a statement and is about something else: "where I met him in 2015". */
const OTHER_CLAUSE = new RegExp(`\\b${anyIn('otherClauses')}\\b`, 'i')

/** The day number since which a statement that ends at `end` holds, where it goes on with a time. */
export function timeSaid(text: string, end: number, today: number | undefined): number | undefined {
  if (today === undefined) return undefined
  const behind = text
    .slice(end, end + CHARS_MAX)
    .split(STATEMENT_END)[0]!
    .split(OTHER_CLAUSE)[0]!
  const ago = AGO.exec(behind) ?? FOR.exec(behind)
  if (ago) return daysAgo(today, numberOf(ago[1]!), ago[2]!.toLowerCase())
  if (!NAMES_TIME.test(behind)) return undefined
  const [date] = findDates(behind, today)
  return date && daysOf(date, today)[0]
}

function daysAgo(today: number, count: number, unit: string): number | undefined {
  if (!Number.isFinite(count)) return undefined
  if (unit === 'day') return today - count
  if (unit === 'week') return today - count * DAYS_PER_WEEK
  const { year, month, day } = civilOf(today)
  return unit === 'year' ? dayNumber(year - count, month, day) : dayNumber(year, month - count, day)
}
