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

/** What sends requests has to know of the service and of how patient its caller is. */
export interface SenderOptions {
  /** Without a slash at its end. */
  url: string
  fetch: typeof fetch
  /** Whether `fetch` here sends a body piece by piece. */
  canStream: boolean
  /** 'omit' unless the client uses the browser's session cookie. */
  credentials: NonNullable<RequestInit['credentials']>
  timeoutMs: number
  retries: number
  /** The longest wait that a service may ask for, in seconds. */
  waitSecondsMax: number
  /** Is told of each wait before it is made, with the failure that it is for. */
  onWait: ((seconds: number, failure: CairnError) => void) | undefined
}

/** A reply whose body is still to be read. */
interface Opened {
  reply: Response
  /** Begins the time anew in which something must come. */
  beat(): void
  /** Ends the request, whatever is still to come. */
  end(): void
  /** The failure of a body that breaks off. */
  broken(cause: unknown): unknown
}

/** How often a service may ask to be left alone before its caller gives up. */
const WAITS_MAX = 10
const MILLISECONDS = 1000
const BACKOFF_MS = 250
const BACKOFF_MS_MAX = 8_000
const [CONFLICT, TOO_MANY, BAD_GATEWAY, UNAVAILABLE, GATEWAY_TIMEOUT] = [409, 429, 502, 503, 504]

/** The connection was never made, so nothing was asked for. */
const NEVER_SENT = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  // A port that `fetch` speaks to for nobody, since another protocol has it; it is told by its message alone.
  'bad port',
]

/** Sends requests, and again what may be sent again. */
export class Sender {
  readonly #options: SenderOptions

  constructor(options: SenderOptions) {
    this.#options = options
  }

  /**
   * The whole text of the reply, with the reply; undefined as text where there is none. Throws CairnError, or the
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

  /** The bytes of the reply as they come. What breaks off on the way is not asked for again. */
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
    const left = { retries: allowed, waits: allowed === 0 ? 0 : WAITS_MAX }
    for (let backoffMs = BACKOFF_MS; ; backoffMs = Math.min(BACKOFF_MS_MAX, 2 * backoffMs)) {
      try {
        return await attempt()
      } catch (failure) {
        if (!(failure instanceof CairnError) || !mayRepeat(request, failure)) throw failure
        const { retryAfterSeconds: told } = failure as Partial<ApiError>
        if (told !== undefined && told > this.#options.waitSecondsMax) throw failure
        const kind = told === undefined ? 'retries' : 'waits'
        if (left[kind] === 0) throw failure
        left[kind] -= 1
        // Callers that failed together do not come back together.
        const waitMs = told === undefined ? (backoffMs * (1 + Math.random())) / 2 : told * MILLISECONDS
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
        // A redirected POST becomes a GET, and the key would go wherever the answer points.
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

  /** Watches over one request: its caller's signal, and the time in which something must come. */
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
        ? new TimeoutError(`nothing came for ${timeoutMs / MILLISECONDS} s`, true, cause, url)
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

/** Whether a request may be sent again after this: nothing came of it, or what came of it comes once only. */
function mayRepeat({ retry, body }: Request, failure: CairnError): boolean {
  if (body && !body.canRepeat) return false
  if (failure instanceof UnansweredError) return retry !== 'ask' || !failure.wasSent
  const { status } = failure as ApiError | UnexpectedReplyError
  if (status === TOO_MANY) return true
  if (status === CONFLICT) return (failure as ApiError).reason === 'idempotency_key_in_use'
  return retry !== 'ask' && [BAD_GATEWAY, UNAVAILABLE, GATEWAY_TIMEOUT].includes(status)
}

/** Waits; throws the signal's reason as soon as it is aborted. */
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
