/** Source of the current time. Other code must not read the system time directly. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

export const MS_PER_SECOND = 1_000
export const MS_PER_MINUTE = 60_000
export const MS_PER_HOUR = 3_600_000
export const MS_PER_DAY = 86_400_000

/**
 * Parses an RFC 3339 time, or a date as its first instant in UTC. Returns undefined if the year in UTC is not between
 * 0001 and 9999. A leap second becomes the following second, as in POSIX time.
 */
export function instantOf(text: string): Date | undefined {
  const parts = RFC_3339.exec(DATE.test(text) ? `${text}T00:00:00Z` : text)
  if (!parts) return undefined
  const [, date, hoursAndMinutes, seconds, fraction = '', sign = '+', hours = '00', minutes = '00'] = parts
  const isLeap = seconds === LEAP
  const at = new Date(`${date}T${hoursAndMinutes}:${isLeap ? '59' : seconds}${fraction}${sign}${hours}:${minutes}`)
  if (isLeap) at.setTime(at.getTime() + MS_PER_SECOND)
  return at.getTime() >= FIRST_MS && at.getTime() <= LAST_MS ? at : undefined
}

const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d):(\d\d)(\.\d+)?(?:[Zz]|([+-])(\d\d):?(\d\d)?)$/
const DATE = /^\d{4}-\d\d-\d\d$/
const LEAP = '60'
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')
