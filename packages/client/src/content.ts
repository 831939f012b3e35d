type BodyPart = string | Uint8Array

/**
 * Content that is sent as it is; a form of files is sent as `multipart/form-data`. A stream is read once, so that it
 * cannot be sent again after a failure; a function that opens it can be called again.
 */
export type Content = BodyPart | Blob | FormData | AsyncIterable<BodyPart> | (() => AsyncIterable<BodyPart>)

/** Values that are sent one a line, as they come. What was said of `Content` holds for what can be read once. */
export type Several<T> = Iterable<T> | AsyncIterable<T> | (() => Iterable<T> | AsyncIterable<T>)

/** Values as they come, one a line. */
export type Lines<T> = AsyncIterable<T>

/** What is asked of an operation that takes nothing. */
export type Nothing = Record<string, never>

/** A body that is ready to be sent. */
export interface Body {
  type: string
  /** What is sent; a stream is opened anew each time. */
  open(): string | Uint8Array | Blob | AsyncIterable<BodyPart>
  canRepeat: boolean
}

/** The longest line or message that is held while its end is not there yet, in characters. */
const HELD_CHARS_MAX = 64 * 1024 * 1024

/** A value as JSON. */
export function jsonBody(value: unknown): Body {
  const text = JSON.stringify(value)
  return { type: 'application/json', open: () => text, canRepeat: true }
}

/** Content as it is. */
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

/** A form as one whole with its boundary, so that it is the same when it is sent again. */
function formBody(form: FormData): Body {
  const packed = new Response(form)
  let bytes: Promise<ArrayBuffer> | undefined
  const open = async function* () {
    bytes ??= packed.arrayBuffer()
    yield new Uint8Array(await bytes)
  }
  return { type: packed.headers.get('content-type')!, open, canRepeat: true }
}

/** Values as NDJSON. A list is sent whole, what comes by and by as it comes. */
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

/** The parts of a text between these, as they come; a last one without an end counts where it is complete JSON. */
export async function* partsOf(bytes: AsyncIterable<Uint8Array>, end: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let held = ''
  for await (const chunk of bytes) {
    const parts = (held + decoder.decode(chunk, { stream: true })).split(end)
    held = parts.pop()!
    if (held.length > HELD_CHARS_MAX) throw new RangeError('A line of the reply is longer than any is.')
    yield* parts
  }
  if (held.trim() !== '') yield held
}

type FetchBody = string | Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

/**
 * A body that `fetch` takes: a stream where the runtime can send one, else all of it at once. `onPart` is told of each
 * part of a stream that is taken.
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
