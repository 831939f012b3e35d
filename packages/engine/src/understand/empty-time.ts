import { civilOf, dayOf, MS_PER_DAY, parseIsoDay, writeDay, writeDays, writeIsoDay } from '../text/civil-date.ts'
import { readSentences } from '../text/sentences.ts'
import { terms } from '../text/terms.ts'
import { daysOf, findDates } from './named-dates.ts'
import { isWithin, type TimeSpan } from './time-span.ts'
import { type TimesAsked as TimesNamed, timesAsked } from './times-asked.ts'
import { overlap, validityOf } from './validity.ts'
import { namesWritten, type WrittenName } from './written-names.ts'

/** A time that a question asks about and that no record is of. */
export interface EmptyTime {
  readonly ranges: readonly TimeSpan[]
  /** The names that the question writes beside it. */
  readonly names: readonly WrittenName[]
  /** That none is of it, and of when those are that come nearest, as a sentence. */
  readonly told: string
  /** Whether only what is of that time would answer; else what there is may, as where "today" is how things are. */
  readonly isDeciding: boolean
  /** Whether the question asks what there was in it, and about nothing more. */
  readonly isAll: boolean
}

/** How records lie beside a span of time that none of them is of. */
export interface TimesBeside {
  /** The latest before it, and the earliest after it. */
  readonly beforeMs: number | undefined
  readonly afterMs: number | undefined
  /** Whether it is not known of any when it was. */
  readonly isAnyUndated: boolean
}

/** Characters of a record in which a time is looked for that it speaks of. */
const READ_CHARS_MAX = 2_000
const NOTHING = {
  all: ['Nothing here', 'Nothing with a date here'],
  pinned: ['None of the pinned records', ''],
} as const

/**
 * Reads what times that no record is of mean for a question; undefined where they are still to come, of which records
 * tell ahead, and where no record has a time.
 * @param timesBeside how the records that may answer lie beside a span of time
 * @param among all that is in scope, or what is pinned
 */
export function emptyTime(
  named: TimesNamed,
  referenceDate: string,
  timesBeside: (time: TimeSpan) => TimesBeside,
  among: keyof typeof NOTHING = 'all',
): EmptyTime | undefined {
  const { ranges, isAll = false } = named
  const today = parseIsoDay(referenceDate)! * MS_PER_DAY
  const whole = {
    fromMs: Math.min(...ranges.map((one) => one.fromMs)),
    toMs: Math.max(...ranges.map((one) => one.toMs)),
  }
  if (whole.fromMs > today) return undefined
  const { beforeMs, afterMs, isAnyUndated } = timesBeside(whole)
  const newest = [beforeMs ?? [], afterMs ?? []].flat()
  if (newest.length === 0) return undefined
  const which = newest.length > 1 ? 'nearest are' : beforeMs === undefined ? 'oldest is' : 'newest is'
  const days = newest.map((atMs) => writeDay(dayOf(atMs))).join(' and ')
  const [nothing, ofDated] = NOTHING[among]
  const isOfToday = whole.fromMs === today && whole.toMs === today + MS_PER_DAY
  return {
    ranges,
    names: namesWritten(named.rest, terms),
    told: `${(isAnyUndated && ofDated) || nothing} is of ${timeTold(named)}; the ${which} of ${days}.`,
    isDeciding: !named.isPartial && (isAll || !isOfToday),
    isAll,
  }
}

/** The same for records that are pinned, of whatever else there is; undefined where one of them is of the times. */
export function emptyTimeAmong(
  records: readonly Timed[],
  { named, referenceDate }: { named: TimesNamed | undefined; referenceDate: string },
): EmptyTime | undefined {
  const moments = records.map(({ occurredAtMs = Number.NaN }) => occurredAtMs)
  const isOf = (span: TimeSpan) => moments.some((atMs) => isWithin(atMs, span))
  if (!named || named.ranges.some(isOf)) return undefined
  return emptyTime(named, referenceDate, (time) => besideOf(moments, time), 'pinned')
}

/** How moments lie beside a span that none of them is in; NaN is none. */
export function besideOf(moments: Iterable<number>, { fromMs, toMs }: TimeSpan): TimesBeside {
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

/** The time in the question's words with its days: "last week (16–22 November 2026)". */
function timeTold({ ranges, said, isNoun }: TimesNamed): string {
  const days = ranges.map(rangeTold).join(' and ')
  const words = said.join(', ')
  return isNoun ? `${words} (${days})` : `${days} (“${words}”)`
}

function rangeTold({ fromMs, toMs }: TimeSpan): string {
  if (fromMs === Number.NEGATIVE_INFINITY) return `the time before ${writeDay(dayOf(toMs))}`
  if (toMs === Number.POSITIVE_INFINITY) return `the time since ${writeDay(dayOf(fromMs))}`
  return writeDays(dayOf(fromMs), dayOf(toMs) - 1)
}

/** A record as far as times are looked for in it. */
interface Timed {
  readonly title?: string
  readonly text?: string
  readonly occurredAtMs?: number
}

/**
 * Whether a record that is not of a time may be about it all the same: its own time is not known, or its text speaks of
 * that time. Asked for all that there was, one without a time tells nothing of it.
 */
export function mayBeOf({ ranges, isAll }: EmptyTime, { title = '', text = '', occurredAtMs }: Timed): boolean {
  if (occurredAtMs === undefined && !isAll) return true
  const said = `${title}\n${text}`.slice(0, READ_CHARS_MAX)
  const day = dayOf(occurredAtMs ?? 0)
  const isNamed = spansIn(said, day).some((span) =>
    ranges.some(({ fromMs, toMs }) => span.fromMs >= fromMs && span.toMs <= toMs),
  )
  return isNamed || holdsIn(said, day, ranges)
}

/** Returns true if a sentence of a text states a period that overlaps one of the spans. */
function holdsIn(text: string, day: number, spans: readonly TimeSpan[]): boolean {
  return readSentences(text).some((sentence) =>
    validityOf(sentence.text, day).some((period) => spans.some((span) => overlap(period, span))),
  )
}

/** The times that a text of a day names; a date without a year may be the next such one as well as the last. */
function spansIn(text: string, day: number): TimeSpan[] {
  const dates = findDates(text.toLowerCase(), day).flatMap((date) => {
    const days = daysOf(date, day)
    return date.year === undefined ? [days, date.inYear(civilOf(days[0]).year + 1)] : [days]
  })
  const spans = dates.map(([from, to]) => ({ fromMs: from * MS_PER_DAY, toMs: (to + 1) * MS_PER_DAY }))
  return [...spans, ...(timesAsked(text, writeIsoDay(day))?.ranges ?? [])]
}
