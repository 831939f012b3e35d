import { MS_PER_DAY } from '../text/civil-date.ts'
import { instantOf } from '../text/time-zone.ts'

/** A stretch of civil time, as if it were UTC: from `fromMs` until just before `toMs`; either may be infinite. */
export interface TimeSpan {
  readonly fromMs: number
  readonly toMs: number
  /** The instants at which it begins and ends, where it is of another time zone than UTC. */
  readonly instants?: Pick<TimeSpan, 'fromMs' | 'toMs'>
}

/**
 * Whether a record's time is in the span; NaN, for no time, is in none. A time at midnight UTC is a day without a
 * clock, and is compared as that day.
 */
export function isWithin(atMs: number, span: TimeSpan): boolean {
  const { fromMs, toMs } = atMs % MS_PER_DAY === 0 ? span : (span.instants ?? span)
  return atMs >= fromMs && atMs < toMs
}

/** Returns the span as it is in a time zone. Throws a RangeError for no zone. */
export function inZone({ fromMs, toMs }: TimeSpan, zone: string): TimeSpan {
  if (zone === UTC) return { fromMs, toMs }
  return { fromMs, toMs, instants: { fromMs: instantOf(zone, fromMs), toMs: instantOf(zone, toMs) } }
}

/** The time zone of what says no other. */
export const UTC = 'UTC'

/** The day on which a question is asked, YYYY-MM-DD, and the time zone whose days it means. */
export interface AskedOn {
  readonly referenceDate: string
  readonly timeZone: string
}
