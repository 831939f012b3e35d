import { civilOf, dateToken, dayNumber, dayOf, rangeToken, weekdayOf, writeDay } from '../text/civil-date.ts'
import { pattern } from '../text/pattern.ts'

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const NUMBERS: Record<string, number> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  ten: 10,
}
const RELATIVE = pattern(
  'i',
  '\\b(?:(today|tonight|this (?:morning|afternoon|evening))|(yesterday|last night)|',
  '(tomorrow)|(\\d{1,2}|an?|one|two|three|four|five|six|seven|ten) (day|week)s? (ago)|(last|',
  'next) (week|month|year)|last (sunday|monday|tuesday|wednesday|thursday|friday|',
  'saturday))\\b',
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
    const days = (NUMBERS[count!.toLowerCase()] ?? Number(count)) * (unit!.toLowerCase() === 'week' ? 7 : 1)
    return [today - days, today - days]
  }
  if (weekday) {
    const back = (weekdayOf(today) - WEEKDAYS.indexOf(weekday.toLowerCase()) + 7) % 7 || 7
    return [today - back, today - back]
  }
  return resolveSpan(side!.toLowerCase() === 'last' ? -1 : 1, span!.toLowerCase(), today)
}

function resolveSpan(step: number, span: string, today: number): [number, number] {
  const { year, month } = civilOf(today)
  if (span === 'week') {
    const monday = today - ((weekdayOf(today) + 6) % 7) + 7 * step
    return [monday, monday + 6]
  }
  if (span === 'month') return [dayNumber(year, month + step, 1), dayNumber(year, month + step + 1, 1) - 1]
  return [dayNumber(year + step, 1, 1), dayNumber(year + step + 1, 1, 1) - 1]
}
