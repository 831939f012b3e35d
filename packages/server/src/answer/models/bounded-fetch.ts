import { ModelFailure } from './model.ts'

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
