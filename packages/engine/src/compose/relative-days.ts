import { anyOf } from '../lexicon/entries.ts'
import { NUMBERS, numberOf, WEEKDAYS } from '../lexicon/languages.ts'
import {
  civilOf,
  DAYS_PER_WEEK,
  dateToken,
  dayNumber,
  dayOf,
  mondayOf,
  rangeToken,
  weekdayOf,
  writeDay,
} from '../text/civil-date.ts'
import { pattern } from '../text/pattern.ts'

const RELATIVE = pattern(
  'i',
  '\\b(?:(today|tonight|this (?:morning|afternoon|evening))|(yesterday|last night)|',
  `(tomorrow)|(\\d{1,2}|an?|${anyOf(NUMBERS)}) (day|week)s? (ago)|(last|next) (week|month|year)|`,
  `last (${anyOf(WEEKDAYS)}))\\b`,
)

/** Writes behind the first relative day of a dated text which day it is: "yesterday [11 June 2026]". */
export function absoluteDays(text: string, atMs: number | undefined): { text: string; notes: string[] } {
  if (atMs === undefined) return { text, notes: [] }
  const found = RELATIVE.exec(text)
  if (!found) return { text, notes: [] }
  const today = dayOf(atMs)
  const days = resolve(found, today)
  // "today" is the day that the frame already gives.
  if (!days || (days[0] === today && days[1] === today)) return { text, notes: [] }
  const [from, to] = days
  const end = found.index + found[0].length
  const shown = from === to ? writeDay(from) : `${writeDay(from)} to ${writeDay(to)}`
  return {
    text: `${text.slice(0, end)} [${from === to ? dateToken(from) : rangeToken(from, to, 'to')}]${text.slice(end)}`,
    notes: [`“${found[0]}” counted from ${writeDay(today)} is ${shown}`],
  }
}

function resolve(found: RegExpExecArray, today: number): [number, number] | undefined {
  const [, now, yesterday, tomorrow, count, unit, ago, side, span, weekday] = found
  if (now) return [today, today]
  if (yesterday) return [today - 1, today - 1]
  if (tomorrow) return [today + 1, today + 1]
  if (ago) {
    const days = numberOf(count!) * (unit!.toLowerCase() === 'week' ? DAYS_PER_WEEK : 1)
    return [today - days, today - days]
  }
  if (weekday) {
    const named = WEEKDAYS.findIndex((name) => name.toLowerCase() === weekday.toLowerCase())
    const back = (weekdayOf(today) - named + DAYS_PER_WEEK) % DAYS_PER_WEEK || DAYS_PER_WEEK
    return [today - back, today - back]
  }
  return resolveSpan(side!.toLowerCase() === 'last' ? -1 : 1, span!.toLowerCase(), today)
}

function resolveSpan(step: number, span: string, today: number): [number, number] {
  const { year, month } = civilOf(today)
  if (span === 'week') {
    const monday = mondayOf(today) + DAYS_PER_WEEK * step
    return [monday, monday + DAYS_PER_WEEK - 1]
  }
  if (span === 'month') return [dayNumber(year, month + step, 1), dayNumber(year, month + step + 1, 1) - 1]
  return [dayNumber(year + step, 1, 1), dayNumber(year + step + 1, 1, 1) - 1]
}
