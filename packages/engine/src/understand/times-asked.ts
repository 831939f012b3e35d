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
import { timesInEnglish } from './times-in-english.ts'

/** The times that a question asks about. */
export interface AskedTimes {
  readonly ranges: readonly TimeSpan[]
  /** Whether only a part of the question asks about this time, so that others may be of any. */
  readonly isPartial?: boolean
  /** Whether the question asks what there was in them, and about nothing more. */
  readonly isAll?: boolean
}

/** Times as a question says them, at least one, in that order. */
export interface TimesAsked extends AskedTimes {
  isPartial: boolean
  /** The question without the words that only express the times. */
  rest: string
  /** These words, each expression as it stands in the question, in English without what leads it into a sentence. */
  said: readonly string[]
  /** Whether each is English for a time, and for no way from or to one: "last week", not "since June". */
  isNoun: boolean
  /** Whether each is of a date that is said without its year: "in June". */
  isOfAnyYear: boolean
}

const UNITS = ['day', 'week', 'month', 'quarter', 'year'] as const
/** A unit in which calendars count. */
export type Unit = (typeof UNITS)[number]
/** Reads what an expression found; `date` gives the date that a mark stands for. */
type Read = (found: RegExpExecArray, today: number, date: (mark: string) => NamedDate) => (Days | undefined)[]

const ORDINALS = inAll('ordinals')
const WORDS = anyOf(NUMBERS)
const UNIT = `(${UNITS.join('|')})`
/** A pattern's source for a unit longer than a day. */
export const LONG_UNIT = `(${UNITS.slice(1).join('|')})`
/** What stands before the first of two dates. */
const SPANS = ['between', 'from'] as const
const SIDES = ['since', 'after', 'before'] as const
const SIDE = `(${SIDES.join('|')})`
const CLOSE = ['this', 'last'] as const
const WHICH = `(${CLOSE.join('|')})`
const WITHIN = `(?:${anyIn('within')} )?`
const RECENT = anyIn('recent')
const AT = anyIn('throughout')
const TO = anyIn('rangeEnds')
const AND = anyIn('coordinators')
/** Dates are found first; each then stands in the text as one character, repeated, from the private use area. */
const MARKS = { first: 0xe000, adverb: 0xe400, last: 0xe7ff, each: 0x400 }
const ANY = '(?:the )?[\\ue000-\\ue7ff]+'
const ADVERB = '[\\ue400-\\ue7ff]+'

/** The days of the unit that is so many steps from the one of `today`; weeks begin on Monday. */
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

/** The days up to and with `today` that reach as many units back. */
function backFrom(today: number, count: number, unit: Unit): Days {
  if (unit === 'day' || unit === 'week') return [today - count * (unit === 'week' ? DAYS_PER_WEEK : 1), today]
  const { year, month, day } = civilOf(today)
  return [dayNumber(year, month - count * { month: 1, quarter: 3, year: 12 }[unit], day), today]
}

function beforeOrAfter(side: string, days: Days): Days {
  if (side === 'since') return [days[0], Number.POSITIVE_INFINITY]
  return side === 'after' ? [days[1] + 1, Number.POSITIVE_INFINITY] : [Number.NEGATIVE_INFINITY, days[0] - 1]
}

/** The weeks of a month are counted from its first day; its last one ends with it. */
function weekOf(which: string, [from, to]: Days): Days {
  if (which === 'last') return [to - DAYS_PER_WEEK + 1, to]
  const first = from + DAYS_PER_WEEK * ORDINALS.indexOf(which)
  return [first, Math.min(to, first + DAYS_PER_WEEK - 1)]
}

/** "between 10 and 14 March": the first day has the month of the second. */
function fromDayOf(day: number, [from, to]: Days): Days | undefined {
  const { year, month, day: last } = civilOf(to)
  return from === to && day >= 1 && day <= last ? [dayNumber(year, month, day), to] : undefined
}

/** Dates that are said together: one that is said without a year has that of the next one that has one. */
function daysTogether(dates: readonly NamedDate[], today: number): Days[] {
  return dates.map((each, at) => {
    const later = dates.slice(at).find(({ year }) => year !== undefined)
    return daysOf(each, today, each.year ?? later?.year)
  })
}

/** Read as a whole only; what is due in June need not be told in June. */
const expression = (alternatives: string): RegExp =>
  pattern('g', `(?<![\\w-])(?<!\\b${anyIn('dueWords')}(?: in| on| during)? )(?:`, alternatives, ')(?![\\w-])')

// The first that fits decides, so that what is told most precisely comes first.
const EXPRESSIONS: readonly [RegExp, Read][] = [
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
    ([, mark], today, date) => [date(mark!).isStretch ? daysOf(date(mark!), today) : undefined],
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
    ([, count, unit], today) => [backFrom(today, numberOf(count!), unit as Unit)],
  ],
  [
    expression(`${WITHIN}the ${RECENT} ${UNIT}(?! of\\b)|past ${UNIT}`),
    ([, unit, other], today) => [backFrom(today, 1, (unit ?? other) as Unit)],
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

/** What stands before a time as a part of a sentence. */
const LEADING = pattern('i', `^(?:${AT}|${anyIn('within')}) `)
const LEADS_FROM = pattern('i', `^(?:${[...SPANS, ...SIDES].join('|')}) `)

/** So many years in which there are records are tried for a date that is said without its year. */
const YEARS_TRIED = 10

/** A part of fewer words asks more about the same thing: "and why?". */
const PART_WORDS_MIN = 3

/** The times that a question asks about, counted from the reference date (YYYY-MM-DD) in UTC, if any. */
export function timesAsked(query: string, referenceDate: string): TimesAsked | undefined {
  return inEnglish(query, referenceDate) ?? inOtherLanguages(query, referenceDate)
}

function inOtherLanguages(query: string, referenceDate: string): TimesAsked | undefined {
  let rest = query
  const ranges: TimeSpan[] = []
  const said: string[] = []
  let isOfAnyYear = true
  for (const { from, to, english } of timesInEnglish(query).toReversed()) {
    const read = inEnglish(english, referenceDate)
    if (!read) continue
    isOfAnyYear &&= read.isOfAnyYear
    ranges.unshift(...read.ranges)
    said.unshift(query.slice(from, to).trim())
    rest = `${rest.slice(0, from)}, ${rest.slice(to)}`
  }
  return ranges.length === 0 ? undefined : { ranges, isPartial: hasParts(rest), rest, said, isNoun: false, isOfAnyYear }
}

function inEnglish(query: string, referenceDate: string): TimesAsked | undefined {
  const today = parseIsoDay(referenceDate)
  if (today === undefined || query.toLowerCase().length !== query.length) return undefined
  const { text, date } = markDates(query, today)
  let left = text
  const found: { index: number; length: number; days: Days[] }[] = []
  let isOfAnyYear = true
  for (const [expected, read] of EXPRESSIONS) {
    for (const each of left.matchAll(expected)) {
      const dates: NamedDate[] = []
      const days = read(each, today, (mark) => {
        const named = date(mark)
        dates.push(named)
        return named
      }).filter((one) => one !== undefined)
      if (days.length === 0) continue
      isOfAnyYear &&= dates.length > 0 && dates.every(isOfAnyYearItself)
      found.push({ index: each.index, length: each[0].length, days })
      left = blanked(left, each.index, each[0].length)
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
    isOfAnyYear,
  }
}

/** Whether a date is said without its year and is another day in another: "on Monday" is not. */
function isOfAnyYearItself({ year, inYear }: NamedDate): boolean {
  return year === undefined && inYear(0)[0] !== inYear(1)[0]
}

/** What is known of the records that may answer: whether one is of a span, and the latest before it in milliseconds. */
interface KnownTimes {
  isOf(time: TimeSpan): boolean
  latestBefore(time: TimeSpan): number | undefined
}

/**
 * The times that a question asks about, as `timesAsked` reads them; a date without its year is of the latest year in
 * which any record is of it.
 */
export function knownTimesAsked(
  query: string,
  { referenceDate, timeZone }: AskedOn,
  known: KnownTimes,
): TimesAsked | undefined {
  const read = (day: string): TimesAsked | undefined => {
    const times = timesAsked(query, day)
    return times && { ...times, ranges: times.ranges.map((range) => inZone(range, timeZone)) }
  }
  const latest = read(referenceDate)
  const isBounded = latest?.ranges.every(({ fromMs, toMs }) => Number.isFinite(toMs - fromMs))
  if (!latest?.isOfAnyYear || !isBounded) return latest
  let tried: TimesAsked | undefined = latest
  for (let count = 0; tried && count < YEARS_TRIED; count += 1) {
    if (tried.ranges.some(known.isOf)) return tried
    const fromMs = Math.min(...tried.ranges.map((one) => one.fromMs))
    const beforeMs = known.latestBefore({ fromMs, toMs: fromMs })
    tried = beforeMs === undefined ? undefined : read(writeIsoDay(dayOf(beforeMs)))
  }
  return latest
}

/** Whether a question without its times asks for more than one thing. */
export function hasParts(rest: string): boolean {
  return splitClauses(rest).filter((part) => (part.match(/\p{L}+/gu)?.length ?? 0) >= PART_WORDS_MIN).length > 1
}

function toRange(from: number, to: number): TimeSpan {
  return { fromMs: from * MS_PER_DAY, toMs: (to + 1) * MS_PER_DAY }
}

function blanked(text: string, index: number, length: number): string {
  return `${text.slice(0, index)}${' '.repeat(length)}${text.slice(index + length)}`
}

/** A character of a question that would read as a date's mark. */
const OWN_MARK = /[\ue000-\ue7ff]/g
const LETTER = /\p{L}/gu

/** In lower case, as long as before, so that what is found in the text stands at the same place in the question. */
function lowerCased(letter: string): string {
  return letter.toLowerCase().slice(0, letter.length)
}

/** The text in lower case with every date written as its mark. */
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
