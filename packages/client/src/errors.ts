import type { ErrorBody } from './generated/types.ts'

/** One violated rule of a request. */
export type Problem = NonNullable<ErrorBody['errors']>[number]

/** Base class of everything this client throws, except the abort reason of a caller's signal. */
export class CairnError extends Error {
  override readonly name: string = 'CairnError'
}

/** Maximum number of violated rules in the message of an error. Its `errors` field has all of them. */
const RULES_SHOWN_MAX = 3

/** An error reply of the service. */
export class ApiError extends CairnError {
  override readonly name: string = 'ApiError'
  /** HTTP status; 200 for an error within a streamed answer. */
  readonly status: number
  /** Error code from a closed list: `not_found`, `rate_limited` … */
  readonly code: string
  /** More specific stable code, if there is one. */
  readonly reason: string | undefined
  /** Sentence for people that says what to do. */
  readonly detail: string
  /** Id of the request in the service's log. */
  readonly requestId: string | undefined
  /** Violated rules. */
  readonly errors: readonly Problem[]
  /** Seconds to wait before the next request (Retry-After). */
  readonly retryAfterSeconds: number | undefined
  /** Whole error body. */
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

/** 401: the service does not accept the credential. */
export class UnauthorizedError extends ApiError {
  override readonly name = 'UnauthorizedError'
}

/** 403: the caller lacks permission, a quota is exhausted, or a customer-managed key is missing. */
export class ForbiddenError extends ApiError {
  override readonly name = 'ForbiddenError'
}

/** 404: the resource does not exist or the caller has no access to it. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/** 409 and 412: the request conflicts with the current state. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError'
}

/** 400 and 422: the request violates a rule; `errors` lists them. */
export class InvalidError extends ApiError {
  override readonly name = 'InvalidError'
}

/** 429: still too many requests after this client's own waits. */
export class RateLimitedError extends ApiError {
  override readonly name = 'RateLimitedError'
}

/** 503: temporarily unavailable. */
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

/** The reply is missing or incomplete. */
export class UnansweredError extends CairnError {
  override readonly name: string = 'UnansweredError'
  /** True if the request may have reached the service and may have been carried out. */
  readonly wasSent: boolean
  /** Cause as the runtime names it: `ECONNREFUSED` … */
  readonly why: string

  /** `address` is the address of the service. */
  constructor(why: string, wasSent: boolean, cause?: unknown, address = 'The service') {
    super(`${address} gave no complete reply (${why}).`, { cause })
    this.wasSent = wasSent
    this.why = why
  }
}

/** Parses a part of a streamed reply. Throws UnansweredError if it is not JSON, as when a proxy cuts the stream. */
export function parsePart<T>(text: string): T {
  try {
    return JSON.parse(text) as T
  } catch (cause) {
    throw new UnansweredError('a part of it is not JSON', true, cause)
  }
}

/** No reply arrived within the caller's timeout. */
export class TimeoutError extends UnansweredError {
  override readonly name = 'TimeoutError'
}

/** The reply is not from a Cairn service but from a proxy or another product. */
export class UnexpectedReplyError extends CairnError {
  override readonly name = 'UnexpectedReplyError'
  readonly status: number
  /** Redirect target, if there is one; this client never follows redirects. */
  readonly location: string | undefined
  /** Seconds to wait before the next request (Retry-After), if given. */
  readonly retryAfterSeconds: number | undefined
  /** Text of the reply. */
  readonly text: string

  constructor(status: number, text = '', location?: string, retryAfterSeconds?: number) {
    const next = location ? ` It redirects to ${location}.` : ''
    super(`The reply (${status}) is not from a Cairn service. Check the address, and any proxy there.${next}`)
    this.status = status
    this.text = text
    this.location = location
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Returns the error for a reply, from its status, text and headers. */
export function failureOf(status: number, text: string, headers: Headers): CairnError {
  const retryAfter = headers.get('retry-after')
  const seconds = retryAfter !== null && /^\s*\d{1,9}\s*$/.test(retryAfter) ? Number(retryAfter) : undefined
  const body = errorBody(text)
  if (!body) return new UnexpectedReplyError(status, text, headers.get('location') ?? undefined, seconds)
  return new (BY_STATUS[status] ?? ApiError)(status, body, seconds)
}

/** Parses an error body; returns undefined for any other text. */
export function errorBody(text: string): ErrorBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null
    return typeof body?.error === 'string' && typeof body.detail === 'string' ? (body as ErrorBody) : undefined
  } catch {
    return undefined
  }
}
