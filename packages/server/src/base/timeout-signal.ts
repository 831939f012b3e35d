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
