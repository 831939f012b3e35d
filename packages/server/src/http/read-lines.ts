import type { Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { LINE_BYTES_MAX } from '@cairnstore/contract'
import { Fault } from '../base/fault.ts'
import type { Line } from '../tenancy/handler.ts'
import { type Held, LARGE_BYTES } from './body-budget.ts'
import { parseBody, VALUES_MAX } from './parse-body.ts'

const NEWLINE = 0x0a
const BLANK = /^\s*$/

/**
 * The lines of an NDJSON body. Blank ones are skipped but counted; a line that is too long or no JSON is given as its
 * error. The stream is read only as fast as the lines are taken, and at most one line and one chunk are in memory.
 * Throws `request_timeout` when nothing comes for `idleMs`, and `bad_request` when the stream breaks off.
 * What was read goes into the hash as well, and the part of a long line that has come is counted as held.
 */
export async function* readLines(stream: Readable, idleMs: number, hash?: Hash, held?: Held): AsyncGenerator<Line> {
  const partial = new PartialLine(held)
  let line = 0
  for await (const chunk of readChunks(stream, idleMs, hash)) {
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

/** The pieces of a streamed body, read only as fast as they are taken; with the faults and the hash of `readLines`. */
export async function* readChunks(stream: Readable, idleMs: number, hash?: Hash): AsyncGenerator<Buffer> {
  for (let chunk = await nextChunk(stream, idleMs); chunk !== null; chunk = await nextChunk(stream, idleMs)) {
    hash?.update(chunk)
    yield chunk
  }
}

/** A line of which only a part has come. Once it is too long, nothing more of it is kept. */
class PartialLine {
  #parts: Buffer[] = []
  #bytes = 0
  readonly #held: Held | undefined

  constructor(held: Held | undefined) {
    this.#held = held
  }

  add(part: Buffer): void {
    if (part.length === 0) return
    this.#bytes += part.length
    if (this.#bytes > LINE_BYTES_MAX) this.#parts = []
    else this.#parts.push(part)
    if (this.#bytes > LARGE_BYTES) this.#held?.resize(Math.min(this.#bytes, LINE_BYTES_MAX))
  }

  /** The whole line with this end, or null when it is too long; the next line starts empty. */
  complete(end: Buffer): Buffer | null {
    const bytes = this.#bytes + end.length
    const whole = this.#parts.length === 0 ? end : Buffer.concat([...this.#parts, end], bytes)
    if (this.#bytes > LARGE_BYTES) this.#held?.resize(0)
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

/** The next piece of the stream, or null at its end. */
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
  return new Fault('bad_request', { detail: 'The body broke off.' })
}
