import { locale, t } from '../language/language.ts'

const DAY = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const MOMENT = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const COUNT = new Intl.NumberFormat(locale)
const DOLLARS = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' })
const TENTHS = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const MEBIBYTE = 1024 * 1024
const SECONDS = new Intl.NumberFormat(locale, { style: 'unit', unit: 'second', maximumSignificantDigits: 2 })

/** Formats the day of a time in the user's locale, in UTC like the dates in answers. Returns a dash for no time. */
export function day(moment: string | null | undefined): string {
  return shown(DAY, moment)
}

/** Formats a time in the user's locale and time zone. Returns a dash for no time. */
export function moment(at: string | null | undefined): string {
  return shown(MOMENT, at)
}

/** Formats a number in the user's locale. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : COUNT.format(value)
}

/** Formats a duration in seconds. */
export function seconds(ms: number): string {
  return SECONDS.format(ms / 1000)
}

/** Formats US dollars. */
export function dollars(amount: number): string {
  return DOLLARS.format(amount)
}

/** Formats bytes as mebibytes, which Intl does not know. */
export function mebibytes(bytes: number): string {
  return `${TENTHS.format(bytes / MEBIBYTE)} MiB`
}

/** Formats a number of records, such as "2 records". */
export function recordsOf(many: number | null | undefined): string {
  return many === null || many === undefined ? t('– records') : t('{n} record|{n} records', { n: many })
}

/** Formats the time since a moment with a single unit, such as "3 hours". */
export function ago(at: string | null | undefined, nowMs: number): string {
  const ms = at ? Date.parse(at) : Number.NaN
  if (Number.isNaN(ms)) return '–'
  const seconds = Math.round((ms - nowMs) / 1000)
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? UNITS[UNITS.length - 1]!
  return RELATIVE.format(Math.trunc(seconds / size), unit)
}

const RELATIVE = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
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
