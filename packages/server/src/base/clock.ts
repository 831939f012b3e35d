/** Where the time comes from. Everything that needs it gets a clock; nothing else asks the machine. */
export interface Clock {
  now(): Date
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() }

export const MS_PER_SECOND = 1_000
export const MS_PER_MINUTE = 60_000
export const MS_PER_HOUR = 3_600_000
export const MS_PER_DAY = 86_400_000

/**
 * The instant that an RFC 3339 time names, or the first one of a date alone, in UTC; undefined for one that has no form
 * in UTC with a year from 0001 to 9999. A leap second is the second after it, as in POSIX time, since a Date has none.
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
