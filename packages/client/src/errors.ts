import type { ErrorBody } from './generated/types.ts'

/** One broken rule of a request. */
export type Problem = NonNullable<ErrorBody['errors']>[number]

/** Everything that this client throws, but for the reason with which a caller aborts. */
export class CairnError extends Error {
  override readonly name: string = 'CairnError'
}

/** So many broken rules stand in the message of an error; all of them in its `errors`. */
const RULES_SHOWN_MAX = 3

/** The service was asked and said no. */
export class ApiError extends CairnError {
  override readonly name: string = 'ApiError'
  /** The HTTP status; 200 for what failed while an answer was streamed. */
  readonly status: number
  /** Which failure it is, of a closed list: `not_found`, `rate_limited` … */
  readonly code: string
  /** A finer stable code, where there is one. */
  readonly reason: string | undefined
  /** A sentence that a person can act on. */
  readonly detail: string
  /** Finds the request in the service's log. */
  readonly requestId: string | undefined
  /** The rules that were broken. */
  readonly errors: readonly Problem[]
  /** How long the service wants to be left alone, in seconds. */
  readonly retryAfterSeconds: number | undefined
  /** The whole body. */
  readonly body: ErrorBody

  constructor(status: number, body: ErrorBody, retryAfterSeconds?: number) {
    const rules = (body.errors ?? []).slice(0, RULES_SHOWN_MAX).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
    super(`${[body.detail, ...rules].join(' ')} (${status} ${body.reason ?? body.error})`)
    this.status = status
    this.code = body.error
    this.reason = body.reason
    this.detail = body.detail
    this.requestId = body.request_id
    this.errors = body.errors ?? []
    this.retryAfterSeconds = retryAfterSeconds
    this.body = body
  }
}

/** 401: the credential is none that the service takes. */
export class UnauthorizedError extends ApiError {
  override readonly name = 'UnauthorizedError'
}

/** 403: the caller may not do this, a quota is used up, or a key of the caller's own is missing. */
export class ForbiddenError extends ApiError {
  override readonly name = 'ForbiddenError'
}

/** 404: there is nothing here that the caller can reach. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/** 409 and 412: the request does not fit the present state. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError'
}

/** 400 and 422: the request breaks a rule; `errors` names them. */
export class InvalidError extends ApiError {
  override readonly name = 'InvalidError'
}

/** 429: too many requests, also after the waits that this client makes. */
export class RateLimitedError extends ApiError {
  override readonly name = 'RateLimitedError'
}

/** 503: not available at the moment. */
export class UnavailableError extends ApiError {
  override readonly name = 'UnavailableError'
}

const BY_STATUS: Record<number, typeof ApiError> = {
  400: InvalidError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  412: ConflictError,
  422: InvalidError,
  429: RateLimitedError,
  503: UnavailableError,
}

/** No answer came, or not the whole of it. */
export class UnansweredError extends CairnError {
  override readonly name: string = 'UnansweredError'
  /** Whether the request may have reached the service, so that what it asks for may have been done. */
  readonly wasSent: boolean
  /** What broke, as the runtime calls it: `ECONNREFUSED` … */
  readonly why: string

  /** `address` is where the service was to be. */
  constructor(why: string, wasSent: boolean, cause?: unknown, address = 'The service') {
    super(`${address} gave no whole answer (${why}).`, { cause })
    this.wasSent = wasSent
    this.why = why
  }
}

/** No answer came in the time that the caller gives. */
export class TimeoutError extends UnansweredError {
  override readonly name = 'TimeoutError'
}

/** Something answered, but not as a Cairn service does: a proxy, or another product. */
export class UnexpectedReplyError extends CairnError {
  override readonly name = 'UnexpectedReplyError'
  readonly status: number
  /** Where it sends on to, if it does; this client never follows. */
  readonly location: string | undefined
  /** When it may be asked again, in seconds, where it says so. */
  readonly retryAfterSeconds: number | undefined
  /** What it said. */
  readonly text: string

  constructor(status: number, text = '', location?: string, retryAfterSeconds?: number) {
    const next = location ? ` It sends on to ${location}.` : ''
    super(`What answered (${status}) is no Cairn service: check the address and what stands before it.${next}`)
    this.status = status
    this.text = text
    this.location = location
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The failure that a reply tells, from its status, its text and its headers. */
export function failureOf(status: number, text: string, headers: Headers): CairnError {
  const told = headers.get('retry-after')
  const seconds = told !== null && /^\s*\d{1,9}\s*$/.test(told) ? Number(told) : undefined
  const body = errorBody(text)
  if (!body) return new UnexpectedReplyError(status, text, headers.get('location') ?? undefined, seconds)
  return new (BY_STATUS[status] ?? ApiError)(status, body, seconds)
}

/** The body of an error; undefined for any other text. */
export function errorBody(text: string): ErrorBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null
    return typeof body?.error === 'string' && typeof body.detail === 'string' ? (body as ErrorBody) : undefined
  } catch {
    return undefined
  }
}
