import { isAscii, isUtf8 } from 'node:buffer'
import { Fault } from '../base/fault.ts'

/**
 * Levels of nesting that are read at all. It is above what free-form fields allow, so that those can say what is wrong
 * with them, and far below what any recursion over a body could choke on.
 */
const DEPTH_MAX = 64
/** Values in one body, so that a small body cannot become millions of objects. */
export const VALUES_MAX = 50_000

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const LOWER_U = 0x75
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const HIGH_SURROGATE = 0xd800
const LOW_SURROGATE = 0xdc00
const SURROGATES_END = 0xe000
const HEX = 16
const ESCAPE_DIGITS = 4

/**
 * The JSON value that bytes hold. Throws a `bad_request` that says why for bytes that are not UTF-8 or not JSON, nest
 * too deeply, hold more than `valuesMax` values, repeat a key in an object, have a key that could reach a prototype, or
 * have a string with NUL or half a surrogate pair, which no store could give back.
 */
export function parseBody(bytes: Buffer, valuesMax: number): unknown {
  const keys = scan(bytes, valuesMax)
  const value = parse(decode(bytes))
  if (keys > 0 && countKeys(value) !== keys) throw new Fault('duplicate_key')
  return value
}

/** Characters that no store can give back: NUL, and half of a surrogate pair. */
const UNSTORABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const FORGIVEN: readonly (string | undefined)[] = ['invalid_text', 'duplicate_key']

/**
 * The JSON value of a sender who cannot be asked to send it otherwise: as `parseBody`, but of a key that stands twice
 * the last counts, and characters that no store could give back become U+FFFD.
 */
export function parseForeign(bytes: Buffer, valuesMax: number): unknown {
  try {
    return parseBody(bytes, valuesMax)
  } catch (fault) {
    if (!(fault instanceof Fault && FORGIVEN.includes(fault.reason))) throw fault
    const value: unknown = JSON.parse(decode(bytes), (_, each) =>
      typeof each === 'string' ? each.replace(UNSTORABLE, '\ufffd') : each,
    )
    // What is forgiven may have been found before the keys were looked at.
    countKeys(value)
    return value
  }
}

function decode(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1')
  if (!isUtf8(bytes)) throw new Fault('invalid_utf8')
  return bytes.toString('utf8')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Fault('malformed_json')
  }
}

/** Checks in one pass what must be known before parsing, and counts the keys. It passes much that is no JSON. */
function scan(bytes: Buffer, valuesMax: number): number {
  let depth = 0
  let values = 0
  let keys = 0
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at + 1)
        break
      case COMMA:
        values++
        break
      case COLON:
        keys++
        break
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        values++
        if (++depth > DEPTH_MAX) throw new Fault('too_deep')
        break
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        depth--
        break
    }
  }
  if (values > valuesMax) throw new Fault('too_many_values')
  return keys
}

/** The index of the quote that ends the string, or the end of the bytes. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start
  for (; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) return at
    if (byte === BACKSLASH && bytes[++at] === LOWER_U) at = endOfEscape(bytes, at + 1)
  }
  return at
}

/** The index of the last digit of a `\u` escape, of both when they make a pair. */
function endOfEscape(bytes: Buffer, digits: number): number {
  const unit = escapedUnit(bytes, digits)
  if (unit === 0) throw new Fault('invalid_text')
  if (!(unit >= HIGH_SURROGATE && unit < SURROGATES_END)) return digits + ESCAPE_DIGITS - 1
  const next = digits + ESCAPE_DIGITS
  const isEscape = bytes[next] === BACKSLASH && bytes[next + 1] === LOWER_U
  const partner = isEscape ? escapedUnit(bytes, next + 2) : 0
  const isPair = unit < LOW_SURROGATE && partner >= LOW_SURROGATE && partner < SURROGATES_END
  if (!isPair) throw new Fault('invalid_text')
  return next + 1 + ESCAPE_DIGITS
}

function escapedUnit(bytes: Buffer, digits: number): number {
  return Number.parseInt(bytes.toString('latin1', digits, digits + ESCAPE_DIGITS), HEX)
}

/**
 * The keys in a parsed value; fewer than were written when an object had one twice. Throws forbidden_key for one that
 * could reach a prototype.
 */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const entry of value) if (typeof entry === 'object') count += countKeys(entry)
    return count
  }
  for (const key in value) {
    const entry = (value as Record<string, unknown>)[key]
    count++
    if (typeof entry === 'object') count += countKeys(entry)
    if (key === '__proto__' || (key === 'constructor' && reachesPrototype(entry))) throw new Fault('forbidden_key')
  }
  return count
}

function reachesPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
}
