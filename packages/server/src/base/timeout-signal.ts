import { setMaxListeners } from 'node:events'

/**
 * A signal that is aborted with a `TimeoutError` after so many milliseconds, and keeps no process running.
 * `AbortSignal.timeout` is lost to the garbage collector, and never aborts, where only an `AbortSignal.any` refers to
 * it (nodejs/node#57736); this one is held until its time has come.
 */
export function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new DOMException('It took too long.', 'TimeoutError')), ms).unref()
  return controller.signal
}

/**
 * A controller that is aborted, for the same reason, as soon as one of the signals is. A signal of `AbortSignal.any`
 * may be collected, and then never aborts, while nothing but what waits for it refers to it; this one lasts as long as
 * the signals do. Whoever asks for it aborts it at the end, so that the signals let it go.
 */
export function stoppedBy(...signals: AbortSignal[]): AbortController {
  const stop = new AbortController()
  // One signal may end very many things at once, which Node takes for a leak from the eleventh on.
  setMaxListeners(0, ...signals)
  for (const signal of signals) {
    if (signal.aborted) stop.abort(signal.reason)
    else signal.addEventListener('abort', () => stop.abort(signal.reason), { once: true, signal: stop.signal })
  }
  return stop
}
