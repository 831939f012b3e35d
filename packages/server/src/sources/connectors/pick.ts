import { MS_PER_SECOND } from '../../base/clock.ts'

/** The value at the end of a path of keys, or undefined where the path breaks off. */
export function pick(value: unknown, ...path: (string | number)[]): unknown {
  let at = value
  for (const key of path) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, key)) return undefined
    at = (at as Record<string | number, unknown>)[key]
  }
  return at
}

/** The text at the end of a path; numbers count as texts, a blank text as none. */
export function text(value: unknown, ...path: (string | number)[]): string | undefined {
  const found = pick(value, ...path)
  if (typeof found === 'number') return Number.isFinite(found) ? String(found) : undefined
  return typeof found === 'string' && found.trim() !== '' ? found : undefined
}

/** Neither side of the @ may hold the characters between, so that matching takes linear time. */
const ADDRESS = /^[^\s@"?<>[\]]+@[^\s@"?<>[\]]+$/
/** What mail systems take. */
const ADDRESS_CHARS_MAX = 320

/** The e-mail address at the end of a path. */
export function address(value: unknown, ...path: (string | number)[]): string | undefined {
  const found = text(value, ...path)
  return found && found.length <= ADDRESS_CHARS_MAX && ADDRESS.test(found) ? found : undefined
}

/** The address at the end of a path without what names a place within its page. */
export function pageUrl(value: unknown, ...path: (string | number)[]): string | undefined {
  return text(value, ...path)?.split('#', 1)[0]
}

/** The number at the end of a path. */
export function number(value: unknown, ...path: (string | number)[]): number | undefined {
  const found = pick(value, ...path)
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined
}

/** Whether there is an object at the end of a path that has something in it. */
export function isThere(value: unknown, ...path: (string | number)[]): boolean {
  const found = pick(value, ...path)
  return typeof found === 'object' && found !== null && Object.keys(found).length > 0
}

/** The list at the end of a path, empty when there is none. */
export function list(value: unknown, ...path: (string | number)[]): unknown[] {
  const found = pick(value, ...path)
  return Array.isArray(found) ? found : []
}

/** Entries that are there. */
export function present<T>(values: readonly (T | undefined)[]): T[] {
  return values.filter((value) => value !== undefined)
}

/** Epoch numbers below this are seconds: as milliseconds they would lie in the first weeks of 1970. */
const EPOCH_MS_FROM = 1e11
const PRINTABLE = /^(?!0000)\d{4}-/

/**
 * The moment at the end of a path in RFC 3339, UTC. It reads RFC 3339 and its usual variants (a space for the `T`,
 * `UTC` for the `Z`, an offset without a colon), and epoch seconds or milliseconds, also as text.
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
  // A time without a zone is taken for UTC, so that it does not depend on the machine.
  const zoned = /T\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(spelled) ? `${spelled}Z` : spelled
  return printed(Date.parse(zoned))
}

/**
 * The moment of a text as people write one above a mail: `moment` reads it, or its month is a word ("Mon, 2 Mar 2026
 * 17:05", "March 2, 2026"). Undefined where both are numbers, of which either could be the month.
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
