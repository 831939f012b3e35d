import { toFetchBody } from './content.ts'
import {
  type ApiError,
  CairnError,
  failureOf,
  TimeoutError,
  UnansweredError,
  type UnexpectedReplyError,
} from './errors.ts'
import type { CallOptions, Request } from './request.ts'

/** Address, transport and retry settings of a sender. */
export interface SenderOptions {
  /** No trailing slash. */
  url: string
  fetch: typeof fetch
  /** True if this runtime's `fetch` can stream a request body. */
  canStream: boolean
  /** 'omit' unless the client uses the browser's session cookie. */
  credentials: NonNullable<RequestInit['credentials']>
  timeoutMs: number
  retries: number
  /** Maximum Retry-After that the client obeys, in seconds. */
  waitSecondsMax: number
  /** Called before each wait, with the failure that caused it. */
  onWait: ((seconds: number, failure: CairnError) => void) | undefined
}

/** A reply whose body has not been read. */
interface Opened {
  reply: Response
  /** Restarts the inactivity timeout. */
  beat(): void
  /** Ends the request, even if data is still to come. */
  end(): void
  /** Returns the error for an interrupted body. */
  broken(cause: unknown): unknown
}

/** Maximum number of waits that a service may request for one call. */
const REQUESTED_WAITS_MAX = 10
const MILLISECONDS = 1000
const BACKOFF_MS = 250
const BACKOFF_MS_MAX = 8_000
const [CONFLICT, TOO_MANY, BAD_GATEWAY, UNAVAILABLE, GATEWAY_TIMEOUT] = [409, 429, 502, 503, 504]

/** Errors raised before the connection was established, so nothing was sent. */
const NEVER_SENT = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  // A port that `fetch` blocks because another protocol uses it. Only the message identifies this error.
  'bad port',
]

/** Sends requests and retries those that may be repeated. */
export class Sender {
  readonly #options: SenderOptions

  constructor(options: SenderOptions) {
    this.#options = options
  }

  /**
   * Returns the reply with its whole text; the text is undefined if there is no body. Throws CairnError, or the abort
   * reason of the caller's signal.
   */
  async text(request: Request, options: CallOptions): Promise<{ reply: Response; text: string }> {
    return this.#patiently(request, options, async () => {
      const opened = await this.#open(request, options)
      try {
        return { reply: opened.reply, text: await opened.reply.text() }
      } catch (cause) {
        throw opened.broken(cause)
      } finally {
        opened.end()
      }
    })
  }

  /** Yields the bytes of the reply as they arrive. An interrupted body is not retried. */
  async *bytes(request: Request, options: CallOptions): AsyncGenerator<Uint8Array, void, undefined> {
    const opened = await this.#patiently(request, options, () => this.#open(request, options))
    const reader = opened.reply.body?.getReader()
    try {
      for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
        opened.beat()
        yield next.value
      }
    } catch (cause) {
      throw opened.broken(cause)
    } finally {
      opened.end()
    }
  }

  async #patiently<T>(request: Request, { retries, signal }: CallOptions, attempt: () => Promise<T>): Promise<T> {
    const allowed = retries ?? this.#options.retries
    const left = { retries: allowed, waits: allowed === 0 ? 0 : REQUESTED_WAITS_MAX }
    for (let backoffMs = BACKOFF_MS; ; backoffMs = Math.min(BACKOFF_MS_MAX, 2 * backoffMs)) {
      try {
        return await attempt()
      } catch (failure) {
        if (!(failure instanceof CairnError) || !mayRepeat(request, failure)) throw failure
        const { retryAfterSeconds: requestedSeconds } = failure as Partial<ApiError>
        if (requestedSeconds !== undefined && requestedSeconds > this.#options.waitSecondsMax) throw failure
        const kind = requestedSeconds === undefined ? 'retries' : 'waits'
        if (left[kind] === 0) throw failure
        left[kind] -= 1
        // Jitter: callers that failed together do not retry together.
        const waitMs =
          requestedSeconds === undefined ? (backoffMs * (1 + Math.random())) / 2 : requestedSeconds * MILLISECONDS
        this.#options.onWait?.(waitMs / MILLISECONDS, failure)
        await sleep(waitMs, signal)
      }
    }
  }

  async #open(request: Request, options: CallOptions): Promise<Opened> {
    const { url, fetch, canStream, credentials } = this.#options
    const watch = this.#watch(options)
    try {
      const body = request.body && (await toFetchBody(request.body.open(), canStream, watch.beat))
      const reply = await fetch(`${url}${request.path}`, {
        method: request.verb,
        headers: { ...(request.body && { 'content-type': request.body.type }), ...request.headers },
        ...(body && { body }),
        ...(body instanceof ReadableStream && { duplex: 'half' }),
        // A redirected POST becomes a GET, and the key would go to an arbitrary target.
        redirect: 'manual',
        credentials,
        signal: watch.signal,
      } as RequestInit)
      options.onReply?.(reply)
      if (reply.ok) return { reply, ...watch }
      throw failureOf(reply.status, await reply.text(), reply.headers)
    } catch (cause) {
      watch.end()
      throw cause instanceof CairnError ? cause : watch.broken(cause)
    }
  }

  /** Combines the caller's abort signal with the inactivity timeout for one request. */
  #watch({ signal: outer, timeoutMs = this.#options.timeoutMs }: CallOptions) {
    const { url } = this.#options
    outer?.throwIfAborted()
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let isLate = false
    const beat = () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        isLate = true
        stop.abort()
      }, timeoutMs)
    }
    const abort = () => stop.abort(outer?.reason)
    const end = () => {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abort)
      if (!stop.signal.aborted) stop.abort()
    }
    const broken = (cause: unknown) => {
      if (outer?.aborted) return outer.reason
      return isLate
        ? new TimeoutError(`no data for ${timeoutMs / MILLISECONDS} s`, true, cause, url)
        : unanswered(cause, url)
    }
    outer?.addEventListener('abort', abort, { once: true })
    beat()
    return { signal: stop.signal, beat, end, broken }
  }
}

function unanswered(thrown: unknown, url: string): UnansweredError {
  const { cause, message } = thrown as Error & { cause?: { code?: string; message?: string } }
  const why = cause?.code ?? cause?.message ?? message
  return new UnansweredError(why, !NEVER_SENT.includes(why), thrown, url)
}

/** Returns true if a request may be retried after this failure: it had no effect, or repeating it is idempotent. */
function mayRepeat({ retry, body }: Request, failure: CairnError): boolean {
  if (body && !body.canRepeat) return false
  if (failure instanceof UnansweredError) return retry !== 'ask' || !failure.wasSent
  const { status } = failure as ApiError | UnexpectedReplyError
  if (status === TOO_MANY) return true
  if (status === CONFLICT) return (failure as ApiError).reason === 'idempotency_key_in_use'
  return retry !== 'ask' && [BAD_GATEWAY, UNAVAILABLE, GATEWAY_TIMEOUT].includes(status)
}

/** Waits. Rejects with the signal's reason as soon as it is aborted. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted) abort()
  })
}
