import { anyOf } from '../lexicon/entries.ts'
import { anyIn, NUMBERS, numberOf, WEEKDAYS } from '../lexicon/languages.ts'
import { DAYS_PER_WEEK, dateToken, dayOf, rangeToken, weekdayOf, writeDay } from '../text/civil-date.ts'
import { pattern } from '../text/words.ts'
import type { Days } from '../understand/named-dates.ts'
import { LONG_UNIT, spanOf, type Unit } from '../understand/times-asked.ts'

const SIDES = ['last', 'next'] as const
const COUNT = `\\d{1,2}|an?|${anyOf(NUMBERS)}`
const RELATIVE = pattern(
  'i',
  `\\b(?:(${anyIn('nowDays')})|(${anyIn('pastDays')})|(${anyIn('nextDays')})|`,
  `(${COUNT}) (${anyIn('dayUnits')})s? (ago)|(${SIDES.join('|')}) ${LONG_UNIT}|last (${anyOf(WEEKDAYS)}))\\b`,
)

/** Writes behind the first relative day of a dated text which day it is: "yesterday [11 June 2026]". */
export function absoluteDays(text: string, atMs: number | undefined): { text: string; notes: string[] } {
  if (atMs === undefined) return { text, notes: [] }
  const found = RELATIVE.exec(text)
  if (!found) return { text, notes: [] }
  const today = dayOf(atMs)
  const days = resolve(found, today)
  // "today" is the day that the frame already gives.
  if (days[0] === today && days[1] === today) return { text, notes: [] }
  const [from, to] = days
  const end = found.index + found[0].length
  const shown = from === to ? writeDay(from) : `${writeDay(from)} to ${writeDay(to)}`
  return {
    text: `${text.slice(0, end)} [${from === to ? dateToken(from) : rangeToken(from, to, 'to')}]${text.slice(end)}`,
    notes: [`“${found[0]}” counted from ${writeDay(today)} is ${shown}`],
  }
}

function resolve(found: RegExpExecArray, today: number): Days {
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
  return spanOf(span!.toLowerCase() as Unit, today, side!.toLowerCase() === 'last' ? -1 : 1)
}
