import { isAscii, isUtf8 } from 'node:buffer'
import type { Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { LINE_BYTES_MAX } from '@cairnstore/contract'
import { Fault } from '../base/fault.ts'
import { EXACT_DIGITS_MIN, parseExactly, TooDeep, withExactIntegers } from '../documents/exact-json.ts'
import type { Line } from '../tenancy/handler.ts'
import { LARGE_BYTES, type Reservation } from './body-quota.ts'
import type { UploadPace } from './upload-pace.ts'

/**
 * Maximum nesting depth. It exceeds the limit of free-form fields, so that their validation reports the error. It is
 * far below the depth at which recursion could overflow the stack.
 */
const DEPTH_MAX = 64
/** Maximum number of values in a body, so that a small body cannot become millions of objects. */
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
const ZERO = 0x30
const NINE = 0x39

/**
 * Parses JSON bytes. Throws `bad_request` with a reason for bytes that are not UTF-8 or not JSON, are nested too deeply
 * or contain more than `valuesMax` values. Also throws for a key that occurs twice in an object, a key that could
 * change a prototype, and a string with NUL or a lone surrogate, which not every store can return. An integer beyond
 * 2^53 becomes a string of its digits.
 */
export function parseBody(bytes: Buffer, valuesMax: number): unknown {
  const { keys, hasLongNumber } = scan(bytes, valuesMax)
  const text = decode(bytes)
  const value = parse(text)
  if (keys > 0 && countKeys(value) !== keys) throw new Fault('duplicate_key')
  return hasLongNumber ? withExactIntegers(value, text) : value
}

/** Matches characters that some stores cannot return: NUL and unpaired surrogates. */
const UNSTORABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const FORGIVEN: readonly (string | undefined)[] = ['invalid_text', 'duplicate_key']

/**
 * Parses JSON from a sender that cannot correct it. It differs from `parseBody` in two ways: of equal keys the last one
 * wins, and characters that cannot be stored become U+FFFD.
 */
export function parseForeign(bytes: Buffer, valuesMax: number): unknown {
  try {
    return parseBody(bytes, valuesMax)
  } catch (fault) {
    if (!(fault instanceof Fault && FORGIVEN.includes(fault.reason))) throw fault
    const value = parseStorable(decode(bytes))
    // The tolerated error may have ended the scan before the keys were checked.
    countKeys(value)
    return value
  }
}

/**
 * Parses JSON and replaces characters that cannot be stored. Limits the nesting too, because the scan may have stopped
 * before the end.
 */
function parseStorable(text: string): unknown {
  try {
    return parseExactly(text, (each) => each.replace(UNSTORABLE, '\ufffd'))
  } catch (cause) {
    throw new Fault(cause instanceof TooDeep ? 'too_deep' : 'malformed_json')
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

interface Scanned {
  keys: number
  /** True if the body may contain a number with more digits than a JavaScript number can represent. */
  hasLongNumber: boolean
}

/** Checks limits and characters in one pass before parsing, and counts the keys. Invalid JSON may pass. */
function scan(bytes: Buffer, valuesMax: number): Scanned {
  let depth = 0
  let values = 0
  let keys = 0
  let hasLongNumber = false
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
      default: {
        const end = endOfDigits(bytes, at)
        hasLongNumber ||= end - at >= EXACT_DIGITS_MIN
        if (end > at) at = end - 1
      }
    }
  }
  if (values > valuesMax) throw new Fault('too_many_values')
  return { keys, hasLongNumber }
}

function endOfDigits(bytes: Buffer, start: number): number {
  let at = start
  for (let byte = bytes[at]; byte !== undefined && byte >= ZERO && byte <= NINE; byte = bytes[at]) at++
  return at
}

/** Returns the index of the quote that ends the string, or the end of the bytes. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start
  for (; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) return at
    if (byte === BACKSLASH && bytes[++at] === LOWER_U) at = endOfEscape(bytes, at + 1)
  }
  return at
}

/** Returns the index of the last digit of a `\u` escape, or of the second escape of a surrogate pair. */
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
 * Returns the number of keys in a parsed value. If an object repeats a key, this is less than the number in the text.
 * Throws `forbidden_key` for a key that could change a prototype.
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

const NEWLINE = 0x0a
const BLANK = /^\s*$/

/**
 * Yields the lines of an NDJSON body. Blank lines are skipped but counted. A line that is too long or not JSON is
 * yielded as an error. The stream is read with backpressure: at most one line and one chunk are in memory. Throws
 * `request_timeout` if nothing arrives for `idleMs`, and `bad_request` if the stream ends early. Updates the hash with
 * the bytes that are read. Memory for a long partial line is reserved in `reservation`.
 */
export async function* readLines(
  stream: Readable,
  idleMs: number,
  hash?: Hash,
  reservation?: Reservation,
): AsyncGenerator<Line> {
  const partial = new PartialLine(reservation)
  let line = 0
  for await (const chunk of readChunks(stream, idleMs, { hash })) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      line++
      const found = toLine(line, partial.complete(chunk.subarray(start, end)))
      if (found !== undefined) yield found
      start = end + 1
    }
    partial.add(chunk.subarray(start))
  }
  const found = toLine(line + 1, partial.complete(Buffer.alloc(0)))
  if (found !== undefined) yield found
}

/** The hash and the speed measurement that each chunk updates. */
interface Counting {
  hash?: Hash | undefined
  pace?: UploadPace | undefined
}

/**
 * Yields the chunks of a streamed body with backpressure. Throws the same errors as `readLines`, and `request_timeout`
 * if chunks arrive more slowly than required.
 */
export async function* readChunks(
  stream: Readable,
  idleMs: number,
  { hash, pace }: Counting = {},
): AsyncGenerator<Buffer> {
  for (;;) {
    pace?.waits()
    const chunk = await nextChunk(stream, idleMs)
    if (chunk === null) return
    pace?.came(chunk.length)
    hash?.update(chunk)
    yield chunk
  }
}

/** An incomplete line. When it exceeds the limit, its bytes are dropped. */
class PartialLine {
  #parts: Buffer[] = []
  #bytes = 0
  readonly #reservation: Reservation | undefined

  constructor(reservation: Reservation | undefined) {
    this.#reservation = reservation
  }

  add(part: Buffer): void {
    if (part.length === 0) return
    this.#bytes += part.length
    if (this.#bytes > LINE_BYTES_MAX) this.#parts = []
    else this.#parts.push(part)
    if (this.#bytes > LARGE_BYTES) this.#reservation?.resize(Math.min(this.#bytes, LINE_BYTES_MAX))
  }

  /** Ends the line and returns it, or null if it is too long. Then the next line begins. */
  complete(end: Buffer): Buffer | null {
    const bytes = this.#bytes + end.length
    const whole = this.#parts.length === 0 ? end : Buffer.concat([...this.#parts, end], bytes)
    if (this.#bytes > LARGE_BYTES) this.#reservation?.resize(0)
    this.#parts = []
    this.#bytes = 0
    return bytes > LINE_BYTES_MAX ? null : whole
  }
}

function toLine(line: number, bytes: Buffer | null): Line | undefined {
  if (bytes === null) return { line, error: { reason: 'line_too_long', detail: 'A line has at most 1 MiB.' } }
  if (bytes.length === 0) return undefined
  try {
    return { line, value: parseBody(bytes, VALUES_MAX) }
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    if (cause.reason === 'malformed_json' && BLANK.test(bytes.toString('latin1'))) return undefined
    return { line, error: { reason: cause.reason ?? cause.code, detail: cause.detail } }
  }
}

/** Returns the next chunk of the stream; null at its end. */
function nextChunk(stream: Readable, idleMs: number): Promise<Buffer | null> | Buffer | null {
  const ready: Buffer | null = stream.read()
  if (ready !== null) return ready
  if (stream.readableEnded) return null
  if (stream.destroyed) throw brokenOff()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(() => reject(new Fault('request_timeout'))), idleMs)
    const finish = (settle: () => void) => {
      clearTimeout(timer)
      stream.off('readable', onReadable).off('end', onEnd).off('error', onBroken).off('close', onBroken)
      settle()
    }
    const onReadable = () => {
      const chunk: Buffer | null = stream.read()
      if (chunk !== null) finish(() => resolve(chunk))
    }
    const onEnd = () => finish(() => resolve(null))
    const onBroken = () => finish(() => reject(brokenOff()))
    stream.on('readable', onReadable).on('end', onEnd).on('error', onBroken).on('close', onBroken)
  })
}

function brokenOff(): Fault {
  return new Fault('bad_request', { detail: 'The body ended early.' })
}
