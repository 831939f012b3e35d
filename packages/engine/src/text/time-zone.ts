import { MS_PER_DAY } from './civil-date.ts'

const MINUTE_MS = 60_000
const OFFSET = /^(?:Z|UTC|GMT)?([+-])(\d{2}):?(\d{2})$/
/** Offset format of `Intl`: "GMT+05:30", or "GMT" for an offset of zero. */
const INTL_OFFSET = /GMT(?:([+-])(\d{2}):(\d{2}))?/

/** Returns true if a time zone is valid: an IANA name such as `Europe/Berlin`, or an offset such as `+02:00`. */
export function isTimeZone(zone: string): boolean {
  if (OFFSET.test(zone)) return true
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Returns a zone's offset from UTC at an instant, in milliseconds. Throws a RangeError for an invalid zone. */
export function offsetOf(zone: string, atMs: number): number {
  const fixed = OFFSET.exec(zone)
  if (fixed) return milliseconds(fixed)
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(atMs)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  return milliseconds(INTL_OFFSET.exec(name) ?? [])
}

function milliseconds([, sign, hours = '0', minutes = '0']: readonly (string | undefined)[]): number {
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS
}

/**
 * Returns the instant of a civil time in a zone. The civil time is given as if it were UTC. If clocks are set back, an
 * ambiguous time is the first of the two instants. A time that is skipped takes the offset from before the change.
 */
export function instantOf(zone: string, civilMs: number): number {
  if (!Number.isFinite(civilMs)) return civilMs
  const candidates = [civilMs - MS_PER_DAY, civilMs + MS_PER_DAY].map((near) => civilMs - offsetOf(zone, near))
  const valid = candidates.filter((atMs) => atMs + offsetOf(zone, atMs) === civilMs)
  return valid.length > 0 ? Math.min(...valid) : Math.max(...candidates)
}

/** Returns the civil day of an instant in a zone, as YYYY-MM-DD. */
export function civilDayIn(zone: string, atMs: number): string {
  return new Date(atMs + offsetOf(zone, atMs)).toISOString().slice(0, 'YYYY-MM-DD'.length)
}
