import type { Static, TSchema } from '@cairnstore/contract'
import { checkFirst } from '../../base/check.ts'
import { stoppedBy, timeoutSignal } from '../../base/timeout-signal.ts'
import { ModelFailure } from './model.ts'

/** A request with which a model is asked for one whole answer. */
interface Posted {
  /** Sent as JSON, unless it is a form. */
  body: object
  timeoutMs: number
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal
}

/** Posts a request and gives the answer in its form; throws a ModelFailure. */
type PostJson<S extends TSchema> = (posted: Posted) => Promise<Static<S>>

const STATUS = { ok: 200, badRequest: 400, tooLarge: 413, unprocessable: 422, tooMany: 429, serverFault: 500 }
/** What a server says of a text that it does not take, and of nothing else. */
const UNFIT: ReadonlySet<number> = new Set([STATUS.badRequest, STATUS.tooLarge, STATUS.unprocessable])

/** What posts to one address that the operator chose, and takes answers of one form up to `bytesMax`. */
export function openPostJson<S extends TSchema>(
  address: string,
  apiKey: string | null,
  { form, bytesMax }: { form: S; bytesMax: number },
): PostJson<S> {
  const fetch = boundedFetch(bytesMax)
  const check = checkFirst(form, [])
  const read = (text: string): Static<S> => {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (cause) {
      throw new ModelFailure('unreadable', { cause })
    }
    if (check(value).length > 0) throw new ModelFailure('unreadable')
    return value as Static<S>
  }
  return async ({ body, timeoutMs, signal }) => {
    const late = timeoutSignal(timeoutMs)
    const stop = stoppedBy(late, signal)
    const isForm = body instanceof FormData
    try {
      const answer = await fetch(address, {
        method: 'POST',
        headers: {
          ...(!isForm && { 'content-type': 'application/json' }),
          ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
        },
        body: isForm ? body : JSON.stringify(body),
        signal: stop.signal,
      })
      if (answer.status !== STATUS.ok) {
        await answer.body?.cancel()
        throw failureOf(answer.status)
      }
      return read(await answer.text())
    } catch (cause) {
      if (signal.aborted) throw signal.reason
      if (late.aborted) throw new ModelFailure('timeout', { cause })
      if (cause instanceof ModelFailure) throw cause
      throw new ModelFailure('unreachable', { cause })
    } finally {
      stop.abort()
    }
  }
}

function failureOf(status: number): ModelFailure {
  if (status === STATUS.tooMany) return new ModelFailure('rate_limited')
  if (UNFIT.has(status)) return new ModelFailure('unfit')
  return new ModelFailure(status >= STATUS.serverFault ? 'failed' : 'refused')
}

/**
 * A `fetch` for an address that the operator chose: it follows no redirect, so that a key goes nowhere else, and breaks
 * off with `too_large` when a decoded answer is longer than `bytesMax`.
 */
export function boundedFetch(bytesMax: number): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('accept-encoding', 'identity')
    const answer = await fetch(input, { ...init, headers, redirect: 'error' })
    let bytes = 0
    const counted = answer.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(part, controller) {
          bytes += part.byteLength
          if (bytes > bytesMax) controller.error(new ModelFailure('too_large'))
          else controller.enqueue(part)
        },
      }),
      // `fetch` itself forgets its signal when garbage is collected once the headers are there.
      init.signal ? { signal: init.signal } : {},
    )
    const { status, statusText } = answer
    return new Response(counted ?? null, { status, statusText, headers: answer.headers })
  }
}
