import { anyOf } from '../lexicon/entries.ts'
import { anyIn, inAll, NUMBERS, numberOf } from '../lexicon/languages.ts'
import {
  civilOf,
  DAYS_PER_WEEK,
  dayNumber,
  dayOf,
  MS_PER_DAY,
  parseIsoDay,
  weekdayOf,
  writeIsoDay,
} from '../text/civil-date.ts'
import { pattern } from '../text/words.ts'
import { type Days, daysOf, findDates, type NamedDate } from './named-dates.ts'
import { splitClauses } from './question.ts'
import { type AskedOn, inZone, type TimeSpan } from './time-span.ts'
import { translateTimes } from './translate-times.ts'

export interface QuestionTimes {
  readonly ranges: readonly TimeSpan[]
  /** True if only a part of the question has this time. Records of other times may then answer the other parts. */
  readonly isPartial?: boolean
  /** True if the question asks for everything in the times and has no other topic. */
  readonly isAll?: boolean
}

/** Times as a question states them, at least one, in order. */
export interface StatedTimes extends QuestionTimes {
  isPartial: boolean
  /** The question without the time expressions. */
  rest: string
  /** The time expressions as written, in English without the leading preposition. */
  said: readonly string[]
  /** True if all are English noun phrases, such as "last week" and not "since June". */
  isNoun: boolean
  /** True if all are dates without a year: "in June". */
  hasNoYear: boolean
}

const UNITS = ['day', 'week', 'month', 'quarter', 'year'] as const
export type Unit = (typeof UNITS)[number]
/** Converts a match of a time expression to days. `date` returns the date that a placeholder represents. */
type RangeReader = (found: RegExpExecArray, today: number, date: (mark: string) => NamedDate) => (Days | undefined)[]

const ORDINALS = inAll('ordinals')
const WORDS = anyOf(NUMBERS)
const UNIT = `(${UNITS.join('|')})`
/** Pattern source for a unit longer than a day. */
export const LONG_UNIT = `(${UNITS.slice(1).join('|')})`
/** Words before the first of two dates. */
const SPANS = ['between', 'from'] as const
const SIDES = ['since', 'after', 'before'] as const
const SIDE = `(${SIDES.join('|')})`
const THIS_OR_LAST = ['this', 'last'] as const
const WHICH = `(${THIS_OR_LAST.join('|')})`
const WITHIN = `(?:${anyIn('within')} )?`
const RECENT = anyIn('recent')
const AT = anyIn('throughout')
const TO = anyIn('rangeEnds')
const AND = anyIn('coordinators')
/**
 * Code points of the placeholders for dates, from Unicode's private use area. Dates are found first, and each is
 * replaced by its placeholder, repeated to keep the length.
 */
const MARKS = { first: 0xe000, adverb: 0xe400, last: 0xe7ff, each: 0x400 }
const ANY = '(?:the )?[\\ue000-\\ue7ff]+'
const ADVERB = '[\\ue400-\\ue7ff]+'

/** Returns the days of the unit that is `steps` units from the current one. Weeks begin on Monday. */
export function spanOf(unit: Unit, today: number, steps: number): Days {
  const { year, month } = civilOf(today)
  if (unit === 'day') return [today + steps, today + steps]
  if (unit === 'week') {
    const monday = today - ((weekdayOf(today) + DAYS_PER_WEEK - 1) % DAYS_PER_WEEK) + DAYS_PER_WEEK * steps
    return [monday, monday + DAYS_PER_WEEK - 1]
  }
  if (unit === 'year') return [dayNumber(year + steps, 1, 1), dayNumber(year + steps + 1, 1, 1) - 1]
  const months = unit === 'quarter' ? 3 : 1
  const first = month - ((month - 1) % months) + steps * months
  return [dayNumber(year, first, 1), dayNumber(year, first + months, 1) - 1]
}

/** Returns the days from `count` units ago up to and including today. */
function rangeUntilToday(today: number, count: number, unit: Unit): Days {
  if (unit === 'day' || unit === 'week') return [today - count * (unit === 'week' ? DAYS_PER_WEEK : 1), today]
  const { year, month, day } = civilOf(today)
  return [dayNumber(year, month - count * { month: 1, quarter: 3, year: 12 }[unit], day), today]
}

function beforeOrAfter(side: string, days: Days): Days {
  if (side === 'since') return [days[0], Number.POSITIVE_INFINITY]
  return side === 'after' ? [days[1] + 1, Number.POSITIVE_INFINITY] : [Number.NEGATIVE_INFINITY, days[0] - 1]
}

/** Returns a week of a month. The first one begins with the month, and the last one ends with it. */
function weekOf(which: string, [from, to]: Days): Days {
  if (which === 'last') return [to - DAYS_PER_WEEK + 1, to]
  const first = from + DAYS_PER_WEEK * ORDINALS.indexOf(which)
  return [first, Math.min(to, first + DAYS_PER_WEEK - 1)]
}

/** Handles "between 10 and 14 March": the first date takes the month of the second. */
function fromDayOf(day: number, [from, to]: Days): Days | undefined {
  const { year, month, day: last } = civilOf(to)
  return from === to && day >= 1 && day <= last ? [dayNumber(year, month, day), to] : undefined
}

/** Returns the days of dates in a list. A date without a year takes the year of the next date that has one. */
function daysTogether(dates: readonly NamedDate[], today: number): Days[] {
  return dates.map((each, at) => {
    const later = dates.slice(at).find(({ year }) => year !== undefined)
    return daysOf(each, today, each.year ?? later?.year)
  })
}

/**
 * Builds a pattern that matches whole words. It excludes due dates, because a record about work due in June need not be
 * from June.
 */
const expression = (alternatives: string): RegExp =>
  pattern('g', `(?<![\\w-])(?<!\\b${anyIn('dueWords')}(?: in| on| during)? )(?:`, alternatives, ')(?![\\w-])')

// The first match wins, so more specific expressions come first.
const EXPRESSIONS: readonly [RegExp, RangeReader][] = [
  [
    expression(`between (${ANY}) and (${ANY})|from (${ANY}) ${TO} (${ANY})`),
    ([, a, b, c, d], today, date) => {
      const [from, to] = daysTogether([date((a ?? c)!), date((b ?? d)!)], today) as [Days, Days]
      return [from[0] <= to[1] ? [from[0], to[1]] : undefined]
    },
  ],
  [
    expression(`(?:${SPANS.join('|')}) (?:the )?(\\d{1,2})(?:st|nd|rd|th)? (?:and|${TO}) (${ANY})`),
    ([, day, mark], today, date) => [fromDayOf(Number(day), daysOf(date(mark!), today))],
  ],
  [
    expression(`from (${ANY})`),
    ([, mark], today, date) => [date(mark!).isRange ? daysOf(date(mark!), today) : undefined],
  ],
  [expression(`${SIDE} (${ANY})`), ([, side, mark], today, date) => [beforeOrAfter(side!, daysOf(date(mark!), today))]],
  [
    expression(`${SIDE} ${WHICH} ${UNIT}`),
    ([, side, which, unit], today) => [beforeOrAfter(side!, spanOf(unit as Unit, today, which === 'this' ? 0 : -1))],
  ],
  [
    expression(`(?:(?:in|during) )?the (${ORDINALS.join('|')}|last) week of (${ANY})`),
    ([, which, mark], today, date) => [weekOf(which!, daysOf(date(mark!), today))],
  ],
  [
    expression(`(?:(?:in|during) )?the week of (${ANY})`),
    ([, mark], today, date) => [spanOf('week', daysOf(date(mark!), today)[0], 0)],
  ],
  [
    expression(`${WITHIN}(?:the )?${RECENT} (\\d{1,3}|${WORDS}) ${UNIT}s?`),
    ([, count, unit], today) => [rangeUntilToday(today, numberOf(count!), unit as Unit)],
  ],
  [
    expression(`${WITHIN}the ${RECENT} ${UNIT}(?! of\\b)|past ${UNIT}`),
    ([, unit, other], today) => [rangeUntilToday(today, 1, (unit ?? other) as Unit)],
  ],
  [
    expression(`(\\d{1,3}|an?|${WORDS}) ${UNIT}s? ago`),
    ([, count, unit], today) => [spanOf(unit as Unit, today, -numberOf(count!))],
  ],
  [
    expression(`(?:earlier |later )?${WHICH} ${LONG_UNIT}(?! of\\b)`),
    ([, which, unit], today) => [spanOf(unit as Unit, today, which === 'this' ? 0 : -1)],
  ],
  [
    expression(`${AT} (?:early |late )?(${ANY}(?:(?:,? ${AND} (?:in |on )?|, )${ANY})*)(?! of\\b)`),
    ([, marks], today, date) => daysTogether((marks!.match(new RegExp(ANY, 'g')) ?? []).map(date), today),
  ],
  [expression(`${anyIn('summaries')} (?:of|for) (${ANY})`), ([, mark], today, date) => [daysOf(date(mark!), today)]],
  [expression(`(${ADVERB})`), ([, mark], today, date) => [daysOf(date(mark!), today)]],
]

/** Matches prepositions before a time in a sentence. */
const LEADING = pattern('i', `^(?:${AT}|${anyIn('within')}) `)
const LEADS_FROM = pattern('i', `^(?:${[...SPANS, ...SIDES].join('|')}) `)

/** Maximum number of years that are tried for a date without a year. Only years with records are tried. */
const YEARS_TRIED = 10

/** Minimum number of words in a separate part of a question. A shorter part continues the same topic: "and why?". */
const PART_WORDS_MIN = 3

/** Returns the times in a question, relative to the reference date (YYYY-MM-DD, UTC), or undefined. */
export function findTimes(query: string, referenceDate: string): StatedTimes | undefined {
  return inEnglish(query, referenceDate) ?? inOtherLanguages(query, referenceDate)
}

function inOtherLanguages(query: string, referenceDate: string): StatedTimes | undefined {
  let rest = query
  const ranges: TimeSpan[] = []
  const said: string[] = []
  let isOfAnyYear = true
  for (const { from, to, english } of translateTimes(query).toReversed()) {
    const read = inEnglish(english, referenceDate)
    if (!read) continue
    isOfAnyYear &&= read.hasNoYear
    ranges.unshift(...read.ranges)
    said.unshift(query.slice(from, to).trim())
    rest = `${rest.slice(0, from)}, ${rest.slice(to)}`
  }
  return ranges.length === 0
    ? undefined
    : { ranges, isPartial: hasParts(rest), rest, said, isNoun: false, hasNoYear: isOfAnyYear }
}

function inEnglish(query: string, referenceDate: string): StatedTimes | undefined {
  const today = parseIsoDay(referenceDate)
  if (today === undefined || query.toLowerCase().length !== query.length) return undefined
  const { text, date } = markDates(query, today)
  let unmatched = text
  const found: { index: number; length: number; days: Days[] }[] = []
  let isOfAnyYear = true
  for (const [expected, read] of EXPRESSIONS) {
    for (const each of unmatched.matchAll(expected)) {
      const dates: NamedDate[] = []
      const days = read(each, today, (mark) => {
        const named = date(mark)
        dates.push(named)
        return named
      }).filter((one) => one !== undefined)
      if (days.length === 0) continue
      isOfAnyYear &&= dates.length > 0 && dates.every(dependsOnYear)
      found.push({ index: each.index, length: each[0].length, days })
      unmatched = blanked(unmatched, each.index, each[0].length)
    }
  }
  if (found.length === 0) return undefined
  found.sort((one, other) => one.index - other.index)
  const said = found.map(({ index, length }) => query.slice(index, index + length).replace(LEADING, ''))
  let rest = query
  for (const { index, length } of found.toReversed()) rest = `${rest.slice(0, index)}, ${rest.slice(index + length)}`
  return {
    ranges: found.flatMap(({ days }) => days.map(([from, to]) => toRange(from, to))),
    isPartial: hasParts(rest),
    rest,
    said,
    isNoun: !said.some((each) => LEADS_FROM.test(each)),
    hasNoYear: isOfAnyYear,
  }
}

/** Returns true if a date has no year and would mean other days in another year. "On Monday" would not. */
function dependsOnYear({ year, inYear }: NamedDate): boolean {
  return year === undefined && inYear(0)[0] !== inYear(1)[0]
}

/** Times of the records in scope. */
interface KnownTimes {
  isOf(time: TimeSpan): boolean
  latestBefore(time: TimeSpan): number | undefined
}

/**
 * Returns the times in a question like `findTimes`. For a date without a year, the latest year that has records for
 * this date is used.
 */
export function findTimesWithRecords(
  query: string,
  { referenceDate, timeZone }: AskedOn,
  known: KnownTimes,
): StatedTimes | undefined {
  const read = (day: string): StatedTimes | undefined => {
    const times = findTimes(query, day)
    return times && { ...times, ranges: times.ranges.map((range) => inZone(range, timeZone)) }
  }
  const latest = read(referenceDate)
  const isBounded = latest?.ranges.every(({ fromMs, toMs }) => Number.isFinite(toMs - fromMs))
  if (!latest?.hasNoYear || !isBounded) return latest
  let tried: StatedTimes | undefined = latest
  for (let count = 0; tried && count < YEARS_TRIED; count += 1) {
    if (tried.ranges.some(known.isOf)) return tried
    const fromMs = Math.min(...tried.ranges.map((one) => one.fromMs))
    const beforeMs = known.latestBefore({ fromMs, toMs: fromMs })
    tried = beforeMs === undefined ? undefined : read(writeIsoDay(dayOf(beforeMs)))
  }
  return latest
}

/** Returns true if a question, without its times, has more than one part. */
export function hasParts(rest: string): boolean {
  return splitClauses(rest).filter((part) => (part.match(/\p{L}+/gu)?.length ?? 0) >= PART_WORDS_MIN).length > 1
}

function toRange(from: number, to: number): TimeSpan {
  return { fromMs: from * MS_PER_DAY, toMs: (to + 1) * MS_PER_DAY }
}

function blanked(text: string, index: number, length: number): string {
  return `${text.slice(0, index)}${' '.repeat(length)}${text.slice(index + length)}`
}

/** Matches characters of a question that are equal to placeholders. */
const OWN_MARK = /[\ue000-\ue7ff]/g
const LETTER = /\p{L}/gu

/** Converts a letter to lower case and keeps its length, so that offsets remain valid. */
function lowerCased(letter: string): string {
  return letter.toLowerCase().slice(0, letter.length)
}

/** Returns the text in lower case with each date replaced by a placeholder. */
function markDates(query: string, today: number): { text: string; date: (mark: string) => NamedDate } {
  const dates = new Map<string, NamedDate>()
  let text = query.replace(OWN_MARK, ' ').replace(LETTER, lowerCased)
  for (const each of findDates(text, today).slice(0, MARKS.each)) {
    const mark = String.fromCharCode((each.isAdverb ? MARKS.adverb : MARKS.first) + dates.size)
    dates.set(mark, each)
    text = `${text.slice(0, each.index)}${mark.repeat(each.length)}${text.slice(each.index + each.length)}`
  }
  return { text, date: (mark) => dates.get(mark.replace('the ', '').charAt(0))! }
}
