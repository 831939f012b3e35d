import type { Static, TSchema } from '@cairnstore/contract'
import { checkFirst } from '../../base/check.ts'
import { abortedBy, timeoutSignal } from '../../base/timeout-signal.ts'
import { ModelFailure } from './model.ts'

/** A request that expects one complete response. */
interface Posted {
  /** Body of the request. It is sent as JSON, unless it is a form. */
  body: object
  timeoutMs: number
  /** Aborted when no one waits for the answer any more. */
  signal: AbortSignal
}

/** Posts a request and returns the validated response. Throws a ModelFailure. */
type PostJson<S extends TSchema> = (posted: Posted) => Promise<Static<S>>

const STATUS = { ok: 200, badRequest: 400, tooLarge: 413, unprocessable: 422, tooMany: 429, serverFault: 500 }
/** Statuses with which a server rejects the input. */
const INVALID_INPUT: ReadonlySet<number> = new Set([STATUS.badRequest, STATUS.tooLarge, STATUS.unprocessable])

/** Returns a function that posts to one operator-configured URL and validates responses of up to `bytesMax` bytes. */
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
    const stop = abortedBy(late, signal)
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
  if (INVALID_INPUT.has(status)) return new ModelFailure('unfit')
  return new ModelFailure(status >= STATUS.serverFault ? 'failed' : 'refused')
}

/**
 * Returns a `fetch` for a URL that the operator configured. It does not follow redirects, so that the API key is not
 * sent to another server. It fails with `too_large` if the decoded response exceeds `bytesMax`.
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
      // After the headers, `fetch` can lose its signal to garbage collection, so the signal is passed here too.
      init.signal ? { signal: init.signal } : {},
    )
    const { status, statusText } = answer
    return new Response(counted ?? null, { status, statusText, headers: answer.headers })
  }
}
