import { setMaxListeners } from 'node:events'

/**
 * Returns a signal that aborts with a `TimeoutError` after `ms`, without keeping the process alive.
 * `AbortSignal.timeout` may be garbage collected, and then never aborts, if only an `AbortSignal.any` refers to it
 * (nodejs/node#57736). This signal is retained until it aborts.
 */
export function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new DOMException('The operation timed out.', 'TimeoutError')), ms).unref()
  return controller.signal
}

/**
 * Returns a controller that aborts with the first of the signals. A signal of `AbortSignal.any` may be garbage
 * collected and then never abort; this one lasts as long as the signals. The caller must abort it in the end, to remove
 * the listeners.
 */
export function abortedBy(...signals: AbortSignal[]): AbortController {
  const stop = new AbortController()
  // One signal may end many operations. Node warns of a leak from the eleventh listener on.
  setMaxListeners(0, ...signals)
  for (const signal of signals) {
    if (signal.aborted) stop.abort(signal.reason)
    else signal.addEventListener('abort', () => stop.abort(signal.reason), { once: true, signal: stop.signal })
  }
  return stop
}
