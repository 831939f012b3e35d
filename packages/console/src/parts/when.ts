const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const COUNT = new Intl.NumberFormat()
const SECONDS = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'second', maximumSignificantDigits: 2 })

/** The day of a moment as its reader writes days, in UTC as the answers have it; a dash for none. */
export function day(moment: string | null | undefined): string {
  return shown(DAY, moment)
}

/** The moment in the reader's own time; a dash for none. */
export function moment(at: string | null | undefined): string {
  return shown(MOMENT, at)
}

/** A count as its reader writes numbers. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : COUNT.format(value)
}

/** How long something took, in seconds. */
export function seconds(ms: number): string {
  return SECONDS.format(ms / 1000)
}

/** So many records, in words. */
export function recordsOf(many: number | null | undefined): string {
  return many === 1 ? '1 record' : `${count(many)} records`
}

/** How long ago a moment was, in one unit. */
export function ago(at: string | null | undefined, nowMs: number): string {
  const ms = at ? Date.parse(at) : Number.NaN
  if (Number.isNaN(ms)) return '–'
  const seconds = Math.round((ms - nowMs) / 1000)
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? UNITS[UNITS.length - 1]!
  return RELATIVE.format(Math.trunc(seconds / size), unit)
}

const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

function shown(format: Intl.DateTimeFormat, at: string | null | undefined): string {
  if (!at) return '–'
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? at.slice(0, 40) : format.format(date)
}
