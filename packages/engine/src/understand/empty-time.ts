import { civilOf, dayOf, MS_PER_DAY, parseIsoDay, writeDay, writeDays, writeIsoDay } from '../text/civil-date.ts'
import { readSentences } from '../text/sentences.ts'
import { terms } from '../text/terms.ts'
import { findTimes, type StatedTimes as TimesNamed } from './find-times.ts'
import { daysOf, findDates } from './named-dates.ts'
import { isWithin, type TimeSpan } from './time-span.ts'
import { overlap, validityOf } from './validity.ts'
import { findCapitalizedNames, type WrittenName } from './written-names.ts'

/** A time in a question for which no record exists. */
export interface EmptyTime {
  readonly ranges: readonly TimeSpan[]
  /** Names in the question besides the time. */
  readonly names: readonly WrittenName[]
  /** Message that no record is from this time, with the dates of the nearest records. */
  readonly sentence: string
  /** True if only records from this time can answer. False for "today" in the sense of "currently". */
  readonly isDeciding: boolean
  /** True if the question asks for everything in that time and has no other topic. */
  readonly isAll: boolean
}

/** Nearest record times around a span that contains none. */
export interface NearestTimes {
  /** The latest time before the span. The next field is the earliest after it, in milliseconds. */
  readonly beforeMs: number | undefined
  readonly afterMs: number | undefined
  /** True if any record has no time. */
  readonly isAnyUndated: boolean
}

/** Maximum number of characters of a record that are searched for the time. */
const READ_CHARS_MAX = 2_000
const NOTHING = {
  all: ['Nothing here', 'Nothing with a date here'],
  pinned: ['None of the pinned records', ''],
} as const

/**
 * Describes times from which there is no record. Returns undefined if the times are in the future, because records can
 * announce future events, or if no record has a time.
 * @param nearestTimes returns the nearest record times around a span
 * @param among the records that the times are evaluated for: all in scope, or the pinned ones
 */
export function emptyTime(
  named: TimesNamed,
  referenceDate: string,
  nearestTimes: (time: TimeSpan) => NearestTimes,
  among: keyof typeof NOTHING = 'all',
): EmptyTime | undefined {
  const { ranges, isAll = false } = named
  const today = parseIsoDay(referenceDate)! * MS_PER_DAY
  const whole = {
    fromMs: Math.min(...ranges.map((one) => one.fromMs)),
    toMs: Math.max(...ranges.map((one) => one.toMs)),
  }
  if (whole.fromMs > today) return undefined
  const { beforeMs, afterMs, isAnyUndated } = nearestTimes(whole)
  const newest = [beforeMs ?? [], afterMs ?? []].flat()
  if (newest.length === 0) return undefined
  const which = newest.length > 1 ? 'nearest are' : beforeMs === undefined ? 'oldest is' : 'newest is'
  const days = newest.map((atMs) => writeDay(dayOf(atMs))).join(' and ')
  const [nothing, ofDated] = NOTHING[among]
  const isOfToday = whole.fromMs === today && whole.toMs === today + MS_PER_DAY
  return {
    ranges,
    names: findCapitalizedNames(named.rest, terms),
    sentence: `${(isAnyUndated && ofDated) || nothing} is of ${describeTime(named)}; the ${which} of ${days}.`,
    isDeciding: !named.isPartial && (isAll || !isOfToday),
    isAll,
  }
}

/** Evaluates the times of a question for pinned records. Returns undefined if one of the records is from the times. */
export function emptyTimeAmong(
  records: readonly DatedText[],
  { named, referenceDate }: { named: TimesNamed | undefined; referenceDate: string },
): EmptyTime | undefined {
  const moments = records.map(({ occurredAtMs = Number.NaN }) => occurredAtMs)
  const isOf = (span: TimeSpan) => moments.some((atMs) => isWithin(atMs, span))
  if (!named || named.ranges.some(isOf)) return undefined
  return emptyTime(named, referenceDate, (time) => nearestTimesTo(moments, time), 'pinned')
}

/** Returns the nearest times before and after a span. NaN means that a record has no time. */
export function nearestTimesTo(moments: Iterable<number>, { fromMs, toMs }: TimeSpan): NearestTimes {
  let before = Number.NEGATIVE_INFINITY
  let after = Number.POSITIVE_INFINITY
  let isAnyUndated = false
  for (const atMs of moments) {
    if (Number.isNaN(atMs)) isAnyUndated = true
    else if (atMs < fromMs) before = Math.max(before, atMs)
    else if (atMs >= toMs) after = Math.min(after, atMs)
  }
  const known = (atMs: number) => (Number.isFinite(atMs) ? atMs : undefined)
  return { beforeMs: known(before), afterMs: known(after), isAnyUndated }
}

/** Returns the time in the question's words, followed by its days: "last week (16–22 November 2026)". */
function describeTime({ ranges, said, isNoun }: TimesNamed): string {
  const days = ranges.map(describeRange).join(' and ')
  const words = said.join(', ')
  return isNoun ? `${words} (${days})` : `${days} (“${words}”)`
}

function describeRange({ fromMs, toMs }: TimeSpan): string {
  if (fromMs === Number.NEGATIVE_INFINITY) return `the time before ${writeDay(dayOf(toMs))}`
  if (toMs === Number.POSITIVE_INFINITY) return `the time since ${writeDay(dayOf(fromMs))}`
  return writeDays(dayOf(fromMs), dayOf(toMs) - 1)
}

/** Fields of a record in which times are searched. */
interface DatedText {
  readonly title?: string
  readonly text?: string
  readonly occurredAtMs?: number
}

/**
 * Returns true if a record may be about a time although it is not from that time: its own time is unknown, or its text
 * mentions the time. If the question asks for everything in the time, a record without a time does not count.
 */
export function mayBeAbout({ ranges, isAll }: EmptyTime, { title = '', text = '', occurredAtMs }: DatedText): boolean {
  if (occurredAtMs === undefined && !isAll) return true
  const said = `${title}\n${text}`.slice(0, READ_CHARS_MAX)
  const day = dayOf(occurredAtMs ?? 0)
  const isNamed = spansIn(said, day).some((span) =>
    ranges.some(({ fromMs, toMs }) => span.fromMs >= fromMs && span.toMs <= toMs),
  )
  return isNamed || statesPeriodIn(said, day, ranges)
}

/** Returns true if a sentence of a text states a period that overlaps one of the spans. */
function statesPeriodIn(text: string, day: number, spans: readonly TimeSpan[]): boolean {
  return readSentences(text).some((sentence) =>
    validityOf(sentence.text, day).some((period) => spans.some((span) => overlap(period, span))),
  )
}

/** Returns the times that a text mentions. A date without a year may be the last or the next one. */
function spansIn(text: string, day: number): TimeSpan[] {
  const dates = findDates(text.toLowerCase(), day).flatMap((date) => {
    const days = daysOf(date, day)
    return date.year === undefined ? [days, date.inYear(civilOf(days[0]).year + 1)] : [days]
  })
  const spans = dates.map(([from, to]) => ({ fromMs: from * MS_PER_DAY, toMs: (to + 1) * MS_PER_DAY }))
  return [...spans, ...(findTimes(text, writeIsoDay(day))?.ranges ?? [])]
}
