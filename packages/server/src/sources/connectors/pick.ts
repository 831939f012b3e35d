import { MS_PER_SECOND } from '../../base/clock.ts'

/** Returns the value at a path of keys; undefined if the path does not exist. */
export function pick(value: unknown, ...path: (string | number)[]): unknown {
  let at = value
  for (const key of path) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, key)) return undefined
    at = (at as Record<string | number, unknown>)[key]
  }
  return at
}

/** Returns the text at a path. A number is converted; a blank text gives undefined. */
export function text(value: unknown, ...path: (string | number)[]): string | undefined {
  const found = pick(value, ...path)
  if (typeof found === 'number') return Number.isFinite(found) ? String(found) : undefined
  return typeof found === 'string' && found.trim() !== '' ? found : undefined
}

/** Neither side of the @ may contain the separators, so matching takes linear time. */
const ADDRESS = /^[^\s@"?<>[\]]+@[^\s@"?<>[\]]+$/
/** Maximum length of an email address: 64 + 1 + 255 characters (RFC 5321). */
const ADDRESS_CHARS_MAX = 320

/** Returns the email address at a path. */
export function address(value: unknown, ...path: (string | number)[]): string | undefined {
  const found = text(value, ...path)
  return found && found.length <= ADDRESS_CHARS_MAX && ADDRESS.test(found) ? found : undefined
}

/** Returns the URL at a path without its fragment. */
export function pageUrl(value: unknown, ...path: (string | number)[]): string | undefined {
  return text(value, ...path)?.split('#', 1)[0]
}

/** Returns the number at a path. */
export function number(value: unknown, ...path: (string | number)[]): number | undefined {
  const found = pick(value, ...path)
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined
}

/** Returns true if the value at a path is a non-empty object. */
export function hasObject(value: unknown, ...path: (string | number)[]): boolean {
  const found = pick(value, ...path)
  return typeof found === 'object' && found !== null && Object.keys(found).length > 0
}

/** Returns true for an object that is not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** Returns the list at a path, or an empty list. */
export function list(value: unknown, ...path: (string | number)[]): unknown[] {
  const found = pick(value, ...path)
  return Array.isArray(found) ? found : []
}

/** Returns the values that are not undefined. */
export function present<T>(values: readonly (T | undefined)[]): T[] {
  return values.filter((value) => value !== undefined)
}

/** Epoch numbers below this are seconds. As milliseconds they would be before March 1973. */
const EPOCH_MS_FROM = 1e11
const PRINTABLE = /^(?!0000)\d{4}-/

/**
 * Returns the time at a path as RFC 3339 in UTC. Reads RFC 3339 and its usual variants: a space for the `T`, `UTC` for
 * the `Z`, an offset without a colon. Also reads epoch seconds or milliseconds, as a number or a text.
 */
export function moment(value: unknown, ...path: (string | number)[]): string | undefined {
  const found = pick(value, ...path)
  const epoch = typeof found === 'number' ? found : /^\d{9,13}(\.\d+)?$/.test(String(found)) ? Number(found) : undefined
  if (epoch !== undefined) return printed(epoch < EPOCH_MS_FROM ? epoch * MS_PER_SECOND : epoch)
  if (typeof found !== 'string') return undefined
  const spelled = found
    .trim()
    .replace(/ (UTC|GMT|Z)$/, 'Z')
    .replace(/^(\d{4}-\d{2}-\d{2}) (\d)/, '$1T$2')
    .replace(/ ([+-]\d{2}):?(\d{2})$/, '$1:$2')
    .replace(/([+-]\d{2})(\d{2})$/, (whole, hours, minutes) => (/T/.test(found) ? `${hours}:${minutes}` : whole))
  // A time without a zone is read as UTC, so that the result does not depend on the machine.
  const zoned = /T\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(spelled) ? `${spelled}Z` : spelled
  return printed(Date.parse(zoned))
}

/**
 * Returns the time in the date line of an email: in a form that `moment` reads, or with the month as a word ("Mon, 2
 * Mar 2026 17:05", "March 2, 2026"). Returns undefined if day and month are both numbers, because their order is
 * ambiguous.
 */
export function writtenMoment(written: string): string | undefined {
  const isWord = /\p{L}{3}.*\d{4}|^\d{4}-/u.test(written)
  return isWord ? moment(ZONED.test(written) ? written : `${written} UTC`) : undefined
}

const ZONED = /(?:\d[Zz]|\s[A-Z]{2,4}|[+-]\d\d:?\d\d|\))\s*$/

function printed(ms: number): string | undefined {
  const at = new Date(Math.round(ms))
  if (Number.isNaN(at.getTime())) return undefined
  const iso = at.toISOString()
  return PRINTABLE.test(iso) && !iso.startsWith('0001-01-01T00:00:00') ? iso : undefined
}
