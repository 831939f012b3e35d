import { parse } from 'lossless-json'

/** Matches integers that may be too long for an exact JavaScript number, and rarely digits in strings. */
const LONG_INTEGER = /(?:^|[\s:,[])-?\d{16}/
const INTEGER = /^-?\d+$/

/** Minimum number of digits at which an integer may not be exact as a JavaScript number. */
export const EXACT_DIGITS_MIN = 16

/**
 * Parses JSON. Returns integers that are not safe JavaScript integers as strings of their digits: they are ids, and
 * rounding would change them to other ids. Throws what JSON.parse throws.
 */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return LONG_INTEGER.test(text) ? withExactIntegers(value, text) : value
}

/** Replaces rounded integers in a parsed value with their exact digits from the text. */
export function withExactIntegers(value: unknown, text: string): unknown {
  try {
    return merged(value, parse(text, undefined, { parseNumber: exact, onDuplicateKey: ({ newValue }) => newValue }))
  } catch {
    // Deep nesting can overflow the stack of the slower parser. Rounded integers are acceptable then.
    return value
  }
}

function exact(digits: string): number | string {
  const number = Number(digits)
  return INTEGER.test(digits) && !Number.isSafeInteger(number) ? digits : number
}

/** Merges by the keys that JSON.parse returned, which never sets a prototype. */
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
