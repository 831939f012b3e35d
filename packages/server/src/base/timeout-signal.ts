import { setMaxListeners } from 'node:events'

/**
 * Returns a signal that aborts with a `TimeoutError` after `ms` and does not keep the process alive. If only an
 * `AbortSignal.any` refers to an `AbortSignal.timeout`, it may be garbage collected and never abort
 * (nodejs/node#57736). This signal is retained until it aborts.
 */
export function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new DOMException('The operation timed out.', 'TimeoutError')), ms).unref()
  return controller.signal
}

/**
 * Returns a controller that aborts when the first of the signals does. A signal of `AbortSignal.any` may be garbage
 * collected and then never abort; this controller exists as long as the signals. The caller must abort it at the end,
 * which removes the listeners.
 */
export function abortedBy(...signals: AbortSignal[]): AbortController {
  const stop = new AbortController()
  // One signal may end many operations. By default Node warns of a leak from the eleventh listener on.
  setMaxListeners(0, ...signals)
  for (const signal of signals) {
    if (signal.aborted) stop.abort(signal.reason)
    else signal.addEventListener('abort', () => stop.abort(signal.reason), { once: true, signal: stop.signal })
  }
  return stop
}
