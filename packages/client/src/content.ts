import { UnansweredError } from './errors.ts'

type BodyPart = string | Uint8Array

/**
 * Content that is sent unchanged. A form of files is sent as `multipart/form-data`. A stream can be read only once, so
 * it cannot be sent again after a failure. A function that opens a stream can be called again.
 */
export type Content = BodyPart | Blob | FormData | AsyncIterable<BodyPart> | (() => AsyncIterable<BodyPart>)

/**
 * Values that are sent as lines while they are produced. As with `Content`, one-shot iterables cannot be sent again.
 */
export type Several<T> = Iterable<T> | AsyncIterable<T> | (() => Iterable<T> | AsyncIterable<T>)

/** Values that arrive one per line. */
export type Lines<T> = AsyncIterable<T>

/** Input of an operation without parameters. */
export type Nothing = Record<string, never>

/** A serialized request body. */
export interface Body {
  type: string
  /** Returns the content; a stream is opened again for each attempt. */
  open(): string | Uint8Array | Blob | AsyncIterable<BodyPart>
  canRepeat: boolean
}

/** Maximum characters buffered for one incomplete line or message. */
const HELD_CHARS_MAX = 64 * 1024 * 1024

/** Serializes a value as a JSON body. */
export function jsonBody(value: unknown): Body {
  const text = JSON.stringify(value)
  return { type: 'application/json', open: () => text, canRepeat: true }
}

/** Makes a body of unchanged content. */
export function contentBody(content: Content, type: string | undefined): Body {
  if (content instanceof FormData) return formBody(content)
  const open = typeof content === 'function' ? content : () => content
  const isWhole = typeof content === 'string' || content instanceof Uint8Array || content instanceof Blob
  const own = content instanceof Blob && content.type
  return {
    type: type ?? (own || 'application/octet-stream'),
    open,
    canRepeat: isWhole || typeof content === 'function',
  }
}

/** Serializes a form once with its boundary, so that a retry sends identical bytes. */
function formBody(form: FormData): Body {
  const packed = new Response(form)
  let bytes: Promise<ArrayBuffer> | undefined
  const open = async function* () {
    bytes ??= packed.arrayBuffer()
    yield new Uint8Array(await bytes)
  }
  return { type: packed.headers.get('content-type')!, open, canRepeat: true }
}

/** Serializes values as NDJSON. An array is sent as a whole; an iterable is streamed. */
export function linesBody(values: Several<unknown>): Body {
  const type = 'application/x-ndjson'
  if (Array.isArray(values)) {
    const text = values.map(toLine).join('')
    return { type, open: () => text, canRepeat: true }
  }
  const open = typeof values === 'function' ? values : () => values
  return { type, open: () => linesOf(open()), canRepeat: typeof values === 'function' }
}

async function* linesOf(values: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield toLine(value)
}

function toLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

/**
 * Splits a stream at a separator and yields the parts. An unterminated last part is yielded too; parsing it as JSON
 * fails if it is incomplete. Throws UnansweredError for a part that is too long.
 */
export async function* partsOf(bytes: AsyncIterable<Uint8Array>, end: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let held = ''
  for await (const chunk of bytes) {
    const parts = (held + decoder.decode(chunk, { stream: true })).split(end)
    held = parts.pop()!
    if (held.length > HELD_CHARS_MAX) throw new UnansweredError('a line of it is longer than 64 MiB', true)
    yield* parts
  }
  if (held.trim() !== '') yield held
}

type FetchBody = string | Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

/**
 * Converts a body for `fetch`: a stream if the runtime can send one, else the whole content. Calls `onPart` for each
 * chunk of a stream.
 */
export async function toFetchBody(
  opened: ReturnType<Body['open']>,
  canStream: boolean,
  onPart: () => void,
): Promise<FetchBody> {
  if (typeof opened === 'string' || opened instanceof Blob) return opened
  if (opened instanceof Uint8Array) return opened as Uint8Array<ArrayBuffer>
  if (canStream) return streamOf(opened, onPart)
  const parts: (string | Uint8Array<ArrayBuffer>)[] = []
  for await (const part of opened) parts.push(part as Uint8Array<ArrayBuffer>)
  return new Blob(parts)
}

function streamOf(parts: AsyncIterable<string | Uint8Array>, onPart: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = parts[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      onPart()
      if (done) controller.close()
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
