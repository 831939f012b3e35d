import { parse } from 'lossless-json'

/** A run of digits that could be more than a number of JavaScript holds exactly, outside of most strings. */
const LONG_INTEGER = /(?:^|[\s:,[])-?\d{16}/
const INTEGER = /^-?\d+$/

/** Digits of an integer from which on it may not be exact as a number of JavaScript. */
export const EXACT_DIGITS_MIN = 16

/**
 * Returns the JSON value of a text, in which an integer beyond 2^53 is the string of its digits: it is an id, and
 * rounded it would be that of another thing. Throws what JSON.parse throws.
 */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return LONG_INTEGER.test(text) ? withExactIntegers(value, text) : value
}

/** The parsed value of a text with its long integers as the text has them. */
export function withExactIntegers(value: unknown, text: string): unknown {
  try {
    return merged(value, parse(text, undefined, { parseNumber: exact, onDuplicateKey: ({ newValue }) => newValue }))
  } catch {
    // It nests too deeply for the slower parser, which has been seen in no export.
    return value
  }
}

function exact(digits: string): number | string {
  const number = Number(digits)
  return INTEGER.test(digits) && !Number.isSafeInteger(number) ? digits : number
}

/** Keys come from the platform's own parser, for which none reaches a prototype. */
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
