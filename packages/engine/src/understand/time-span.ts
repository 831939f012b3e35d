import { MS_PER_DAY } from '../text/civil-date.ts'
import { instantOf } from '../text/time-zone.ts'

/** A half-open span of civil time, as if it were UTC: `fromMs` is included, `toMs` is not. Both may be infinite. */
export interface TimeSpan {
  readonly fromMs: number
  readonly toMs: number
  /** The start and end as instants, if the span is in a time zone other than UTC. */
  readonly instants?: Pick<TimeSpan, 'fromMs' | 'toMs'>
}

/**
 * Returns true if a record's time is in the span. NaN means that the record has no time and gives false. Midnight UTC
 * means a date without a time of day and is compared as that date.
 */
export function isWithin(atMs: number, span: TimeSpan): boolean {
  const { fromMs, toMs } = atMs % MS_PER_DAY === 0 ? span : (span.instants ?? span)
  return atMs >= fromMs && atMs < toMs
}

/** Returns the span in a time zone. Throws a RangeError for an invalid zone. */
export function inZone({ fromMs, toMs }: TimeSpan, zone: string): TimeSpan {
  if (zone === UTC) return { fromMs, toMs }
  return { fromMs, toMs, instants: { fromMs: instantOf(zone, fromMs), toMs: instantOf(zone, toMs) } }
}

export const UTC = 'UTC'

/** The day on which a question is asked, YYYY-MM-DD, and the time zone of the dates in it. */
export interface AskedOn {
  readonly referenceDate: string
  readonly timeZone: string
}
