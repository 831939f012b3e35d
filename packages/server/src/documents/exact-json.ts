import { parse } from 'lossless-json'
import { jsonNestsDeeper } from './nesting.ts'

/** Matches integers that may be too long for an exact JavaScript number, and in rare cases digits in strings. */
const LONG_INTEGER = /(?:^|[\s:,[])-?\d{16}/
const INTEGER = /^-?\d+$/

/** Minimum number of digits of an integer that may not be exact as a JavaScript number. */
export const EXACT_DIGITS_MIN = 16

/** Maximum nesting depth that is parsed. Programs write a few dozen levels. Recursion overflows at thousands. */
export const NESTING_MAX = 250

/** Thrown for JSON that is nested too deeply. */
export class TooDeep extends Error {
  override readonly name = 'TooDeep'

  constructor() {
    super(`The values are nested more than ${NESTING_MAX} levels deep; send them less nested.`)
  }
}

/** Converts a parsed string to the form in which it is stored. */
type ReadString = (text: string) => string

/**
 * Parses JSON. Integers that are not safe JavaScript integers become strings of their digits. They are usually ids, and
 * rounding would change them to other ids. Throws `TooDeep` before parsing, and the errors of JSON.parse.
 */
export function parseExactly(text: string, readString?: ReadString): unknown {
  if (jsonNestsDeeper(text, NESTING_MAX)) throw new TooDeep()
  const read = readString && ((_: string, value: unknown) => (typeof value === 'string' ? readString(value) : value))
  const value: unknown = JSON.parse(text, read)
  return LONG_INTEGER.test(text) ? withExactIntegers(value, text) : value
}

/** Replaces rounded integers in a parsed value by their exact digits from the text. Recurses at each level. */
export function withExactIntegers(value: unknown, text: string): unknown {
  return merged(value, parse(text, undefined, { parseNumber: exact, onDuplicateKey: ({ newValue }) => newValue }))
}

function exact(digits: string): number | string {
  const number = Number(digits)
  return INTEGER.test(digits) && !Number.isSafeInteger(number) ? digits : number
}

/** Merges two values by the keys that JSON.parse returned. This never sets a prototype. */
function merged(value: unknown, other: unknown): unknown {
  if (typeof value === 'number') return typeof other === 'string' ? other : value
  if (typeof value !== 'object' || value === null || typeof other !== 'object' || other === null) return value
  const into = value as Record<string, unknown>
  const from = other as Record<string, unknown>
  for (const key of Object.keys(into)) {
    if (key !== '__proto__' && Object.hasOwn(from, key)) into[key] = merged(into[key], from[key])
  }
  return into
}
