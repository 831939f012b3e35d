import type { Discover } from '@cairnstore/contract'
import { civilDayIn, isDay, isTimeZone } from '@cairnstore/engine/text'
import { UTC } from '@cairnstore/engine/understand'
import { invalid } from '../base/fault.ts'

/** A date, or a date and time with an optional UTC offset (RFC 3339, section 5.6). */
const GIVEN = /^(\d{4}-\d{2}-\d{2})(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2}))?$/
const NO_DATE = 'Must be a real date such as 2026-03-30, or a moment with its offset such as 2026-03-30T12:00:00+02:00.'
const NO_ZONE = 'Must be an IANA time zone such as Europe/Berlin, or an offset such as +02:00.'

/**
 * Returns the reference date of a question, YYYY-MM-DD, and its time zone. The time zone is the given one, otherwise
 * the offset in the reference date, otherwise UTC. Throws `validation_error` for an invalid date or zone.
 */
export function readReferenceTime(
  { reference_date: given, time_zone: named }: Pick<Discover, 'reference_date' | 'time_zone'>,
  now: Date,
): { referenceDate: string; timeZone: string } {
  if (typeof named === 'string' && !isTimeZone(named)) throw invalid(['body', 'time_zone'], NO_ZONE)
  const zone = named ?? UTC
  if (given === null || given === undefined) return { referenceDate: civilDayIn(zone, now.getTime()), timeZone: zone }
  const [, day = '', offset] = GIVEN.exec(given) ?? []
  if (!isDay(day) || Number.isNaN(Date.parse(given))) throw invalid(['body', 'reference_date'], NO_DATE)
  if (offset === undefined) return { referenceDate: day, timeZone: zone }
  if (named) return { referenceDate: civilDayIn(named, Date.parse(given)), timeZone: named }
  return { referenceDate: day, timeZone: offset.toUpperCase() === 'Z' ? UTC : offset }
}
