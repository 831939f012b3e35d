import {
  type FaultCode,
  type FaultName,
  faultOf,
  OUTCOME_ERRORS,
  type OutcomeError,
  type Problem,
  type Reason,
} from '@cairnstore/contract'

export type { FaultCode, FaultName, Problem, Reason }

export interface FaultParts {
  /** Message for the caller, by default the one in the catalog. It must not contain values from the request. */
  detail?: string
  /** The violated rules of a `validation_error`. */
  problems?: Problem[]
  /** The specific error code of an operation that returns typed outcomes. */
  outcome?: OutcomeError
  /** Seconds for the `Retry-After` header. */
  retryAfterSeconds?: number
  /** Response headers, such as `Allow`. */
  headers?: Record<string, string>
  /** Message for the log only. */
  note?: string
  cause?: unknown
}

/** A failure whose code is in the API contract. Any code may throw it; one place converts it to a response. */
export class Fault extends Error {
  override readonly name: string = 'Fault'
  readonly code: FaultCode
  readonly reason: Reason | undefined
  readonly status: number
  readonly detail: string
  readonly problems: Problem[] | undefined
  readonly outcome: OutcomeError | undefined
  readonly retryAfterSeconds: number | undefined
  readonly headers: Record<string, string> | undefined
  readonly note: string | undefined

  constructor(name: FaultName, parts: FaultParts = {}) {
    super(parts.note ?? name, parts.cause === undefined ? undefined : { cause: parts.cause })
    const definition = faultOf(name)
    this.code = definition.code
    this.reason = definition.reason
    this.status = definition.status
    this.detail = parts.detail ?? definition.detail
    this.problems = parts.problems
    this.outcome = parts.outcome
    this.retryAfterSeconds = parts.retryAfterSeconds
    this.headers = parts.headers
    this.note = parts.note
  }
}

/** Creates a `validation_error` about one field. */
export function invalid(loc: (string | number)[], msg: string, type = 'value_error'): Fault {
  return new Fault('validation_error', { problems: [{ loc, msg, type }] })
}

/** Creates a fault with the error code of a typed outcome. */
export function refusal(outcome: OutcomeError, problems?: Problem[]): Fault {
  return new Fault('bad_request', { outcome, detail: OUTCOME_ERRORS[outcome], ...(problems && { problems }) })
}

/** Creates a fault about one field of the body, for rules that a schema cannot express. */
export function fieldRefusal(outcome: OutcomeError, field: string): Fault {
  return refusal(outcome, [{ loc: ['body', field], msg: OUTCOME_ERRORS[outcome], type: 'value_error' }])
}

/** Creates `unsupported_media_type` with a message that lists the accepted media types. */
export function unsupportedMedia(accepted: readonly string[]): Fault {
  const types = new Intl.ListFormat('en', { type: 'disjunction' }).format(accepted.map((type) => `\`${type}\``))
  return new Fault('unsupported_media_type', {
    detail: `Send a body with the Content-Type ${types}, in UTF-8 and without Content-Encoding.`,
  })
}
