import { civilOf, dayNumber, monthNumber, parseIsoDay, weekdayOf } from './brief/civil-date.ts'
import { pattern } from './brief/pattern.ts'

/** The time that a question asks about. */
export interface TimeRange {
  /** Its first millisecond, -Infinity when it has no beginning. */
  fromMs: number
  /** The millisecond after its last, Infinity when it has no end. */
  toMs: number
  /** Whether other parts of the question ask something that may be of another time. */
  isPartial: boolean
  /** The question without the words that only express the time. */
  rest: string
}

/** Days as numbers since 1970-01-01, both included. */
type Days = readonly [from: number, to: number]
type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year'
type Read = (found: RegExpExecArray, today: number) => Days | undefined

const MS_PER_DAY = 86_400_000
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const NUMBERS = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']

const WORDS = NUMBERS.slice(1).join('|')
const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|' +
  'nov(?:ember)?|dec(?:ember)?)'
const YEAR = '(?:1[5-9]|20)\\d\\d'
const DAY = '(?:3[01]|[12]?\\d)(?:st|nd|rd|th)?'
/** Every way to name a day, month, quarter or year; the widest come last, as the first that fits is taken. */
const DATE = [
  '\\d{4}-\\d{2}-\\d{2}',
  `(?:the )?${DAY} (?:of )?${MONTH}\\.?(?:,? ${YEAR})?`,
  `${MONTH}\\.? ${DAY}(?!\\d)(?:,? ${YEAR})?`,
  `${MONTH}\\.?(?: of)?(?:,? ${YEAR})?`,
  `q[1-4](?: (?:of )?${YEAR})?`,
  YEAR,
  `(?:last )?(?:${WEEKDAYS.join('|')})`,
  'yesterday',
].join('|')
const [YEAR_AT_END, MONTH_WITHIN] = [new RegExp(`${YEAR}$`), new RegExp(`\\b${MONTH}`)]
const UNIT = '(day|week|month|quarter|year)'

function spanOf(unit: Unit, today: number, steps: number): Days {
  const { year, month } = civilOf(today)
  if (unit === 'day') return [today + steps, today + steps]
  if (unit === 'week') {
    const monday = today - ((weekdayOf(today) + 6) % 7) + 7 * steps
    return [monday, monday + 6]
  }
  if (unit === 'year') return [dayNumber(year + steps, 1, 1), dayNumber(year + steps + 1, 1, 1) - 1]
  const months = unit === 'quarter' ? 3 : 1
  const first = month - ((month - 1) % months) + steps * months
  return [dayNumber(year, first, 1), dayNumber(year, first + months, 1) - 1]
}

/** The days up to and with `today` that reach as many units back. */
function backFrom(today: number, count: number, unit: Unit): Days {
  if (unit === 'day' || unit === 'week') return [today - count * (unit === 'week' ? 7 : 1), today]
  const { year, month, day } = civilOf(today)
  return [dayNumber(year, month - count * { month: 1, quarter: 3, year: 12 }[unit], day), today]
}

function countOf(text: string): number {
  const named = NUMBERS.indexOf(text)
  return named > 0 ? named : Number(text)
}

/** The latest of what every year has that does not begin after `today`, or that of the year given. */
function inYear(given: string | undefined, today: number, of: (year: number) => Days): Days {
  if (given !== undefined) return of(Number(given))
  const latest = of(civilOf(today).year)
  return latest[0] <= today ? latest : of(civilOf(today).year - 1)
}

/** The days that one of the forms of DATE names. */
function readDate(text: string, today: number): Days | undefined {
  if (text === 'yesterday') return [today - 1, today - 1]
  const iso = parseIsoDay(text)
  if (iso !== undefined) return [iso, iso]
  const weekday = WEEKDAYS.indexOf(text.replace('last ', ''))
  if (weekday >= 0) {
    const back = (weekdayOf(today) - weekday + 7) % 7
    const day = today - (back === 0 && text.startsWith('last ') ? 7 : back)
    return [day, day]
  }
  const year = YEAR_AT_END.exec(text)?.[0]
  const quarter = /^q([1-4])/.exec(text)?.[1]
  if (quarter !== undefined) {
    return inYear(year, today, (of) => spanOf('quarter', dayNumber(of, Number(quarter) * 3, 1), 0))
  }
  const month = monthNumber(MONTH_WITHIN.exec(text)?.[0] ?? '')
  if (month === undefined) return year === undefined ? undefined : spanOf('year', dayNumber(Number(year), 1, 1), 0)
  const day = /(?<!\d)\d{1,2}(?!\d)/.exec(text)?.[0]
  return inYear(year, today, (of) =>
    day === undefined
      ? spanOf('month', dayNumber(of, month, 1), 0)
      : [dayNumber(of, month, Number(day)), dayNumber(of, month, Number(day))],
  )
}

function beforeOrAfter(side: string, days: Days | undefined): Days | undefined {
  if (days === undefined) return undefined
  if (side === 'since') return [days[0], Number.POSITIVE_INFINITY]
  return side === 'after' ? [days[1] + 1, Number.POSITIVE_INFINITY] : [Number.NEGATIVE_INFINITY, days[0] - 1]
}

function between(from: Days | undefined, to: Days | undefined): Days | undefined {
  return from !== undefined && to !== undefined && from[0] <= to[1] ? [from[0], to[1]] : undefined
}

/** Read as a whole only, so not in "the last week of June"; what is due in June need not be told in June. */
const expression = (alternatives: string): RegExp =>
  pattern('', '(?<![\\w-])(?<!\\b(?:due|by|until) )(?:', alternatives, ')(?![\\w-])(?! of\\b)')

// The first that fits decides, so that what is told most precisely comes first.
const EXPRESSIONS: readonly [RegExp, Read][] = [
  [
    expression(`between (${DATE}) and (${DATE})|from (${DATE}) (?:to|until|till) (${DATE})`),
    ([, a, b, c, d], today) => between(readDate((a ?? c)!, today), readDate((b ?? d)!, today)),
  ],
  [
    expression(`(since|after|before) (?:the )?(${DATE})`),
    ([, side, date], today) => beforeOrAfter(side!, readDate(date!, today)),
  ],
  [
    expression(`(since|after|before) (this|last) ${UNIT}`),
    ([, side, which, unit], today) => beforeOrAfter(side!, spanOf(unit as Unit, today, which === 'this' ? 0 : -1)),
  ],
  [
    expression(`(?:(?:in|over|during|within|for) )?(?:the )?(?:last|past) (\\d{1,3}|${WORDS}) ${UNIT}s?`),
    ([, count, unit], today) => backFrom(today, countOf(count!), unit as Unit),
  ],
  [
    expression(`(?:(?:in|over|during|within|for) )?the (?:last|past) ${UNIT}|past ${UNIT}`),
    ([, unit, other], today) => backFrom(today, 1, (unit ?? other) as Unit),
  ],
  [
    expression(`(\\d{1,3}|${WORDS}) ${UNIT}s? ago`),
    ([, count, unit], today) => spanOf(unit as Unit, today, -countOf(count!)),
  ],
  [
    expression('(?:earlier |later )?(this|last) (week|month|quarter|year)'),
    ([, which, unit], today) => spanOf(unit as Unit, today, which === 'this' ? 0 : -1),
  ],
  [expression('yesterday'), (_, today) => [today - 1, today - 1]],
  [expression('today'), (_, today) => [today, today]],
  [expression(`(?:in|on|during|throughout) (?:early |late )?(${DATE})`), ([, date], today) => readDate(date!, today)],
  [expression(`(last (?:${WEEKDAYS.join('|')}))`), ([, date], today) => readDate(date!, today)],
]

/** Where a further question begins: "…, who fixed it and what is open?" */
const PARTS = /[?;]|(?:, (?:and |or )?| and | or )(?=(?:who|what|when|where|why|how|which)\b)/
/** A part of fewer words asks more about the same thing: "and why?". */
const PART_WORDS_MIN = 3

/** The time that an English question asks about, counted from the reference date (YYYY-MM-DD) in UTC, if any. */
export function timeRangeOf(query: string, referenceDate: string): TimeRange | undefined {
  const today = parseIsoDay(referenceDate)
  if (today === undefined) return undefined
  const text = query.toLowerCase()
  if (text.length !== query.length) return undefined
  for (const [expected, read] of EXPRESSIONS) {
    const found = expected.exec(text)
    const days = found ? read(found, today) : undefined
    if (!found || days === undefined) continue
    const rest = `${query.slice(0, found.index)}, ${query.slice(found.index + found[0].length)}`
    const parts = rest.toLowerCase().split(PARTS)
    const isPartial = parts.filter((part) => (part.match(/\p{L}+/gu)?.length ?? 0) >= PART_WORDS_MIN).length > 1
    return { fromMs: days[0] * MS_PER_DAY, toMs: (days[1] + 1) * MS_PER_DAY, isPartial, rest }
  }
  return undefined
}
