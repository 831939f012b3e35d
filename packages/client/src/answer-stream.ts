import { partsOf } from './content.ts'
import { ApiError, errorBody, parsePart, UnansweredError } from './errors.ts'

/** A piece of a streamed answer. `restart` voids the pieces before it. */
export interface AnswerDelta {
  delta: string
  restart?: boolean
}

const OK = 200

/**
 * A streamed answer. Iterating over it yields each piece as it arrives. `result()` reads to the end and returns the
 * whole reply. Throws ApiError for an error reported within the stream.
 */
export class AnswerStream<T> implements AsyncIterable<AnswerDelta> {
  readonly #pieces: AsyncGenerator<AnswerDelta, T, undefined>
  #result: Promise<T> | undefined

  /** `open` sends the request and returns the bytes of the answer. */
  constructor(open: () => AsyncIterable<Uint8Array>) {
    this.#pieces = deltasOf<T>(open)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AnswerDelta, void, undefined> {
    for (;;) {
      const next = await this.#pieces.next()
      if (next.done) {
        if (next.value !== undefined) this.#result ??= Promise.resolve(next.value)
        return
      }
      let isLeft = true
      try {
        yield next.value
        isLeft = false
      } finally {
        // Closing the request lets the service stop too.
        if (isLeft) await this.#pieces.return(undefined as never)
      }
    }
  }

  /** Returns the whole reply. */
  result(): Promise<T> {
    this.#result ??= this.#rest()
    return this.#result
  }

  async #rest(): Promise<T> {
    for (;;) {
      const next = await this.#pieces.next()
      if (!next.done) continue
      if (next.value === undefined) throw new UnansweredError('iteration stopped before the end', true)
      return next.value
    }
  }
}

async function* deltasOf<T>(open: () => AsyncIterable<Uint8Array>): AsyncGenerator<AnswerDelta, T, undefined> {
  for await (const message of partsOf(open(), '\n\n')) {
    const [event, data] = [fieldOf(message, 'event'), fieldOf(message, 'data')]
    if (data === undefined) continue
    if (event === 'result') return parsePart<T>(data)
    const failure = event === 'error' && errorBody(data)
    if (failure) throw new ApiError(OK, failure)
    if (event === 'brief') yield parsePart<AnswerDelta>(data)
  }
  throw new UnansweredError('the stream ended early', true)
}

function fieldOf(message: string, name: string): string | undefined {
  const line = message.split('\n').find((each) => each.startsWith(`${name}:`))
  return line?.slice(name.length + 1).trim()
}
