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

/** What a fault may say beyond its name. */
export interface FaultParts {
  /** A sentence for the caller; the catalogue's when omitted. It never holds a value that the caller sent. */
  detail?: string
  /** The broken rules, for `validation_error`. */
  problems?: Problem[]
  /** The finer code of an operation whose refusals have the shape of its outcome. */
  outcome?: OutcomeError
  /** When to try again, for `Retry-After`. */
  retryAfterSeconds?: number
  /** Reply headers, such as `Allow`. */
  headers?: Record<string, string>
  /** What the log shall say and the caller shall not see. */
  note?: string
  cause?: unknown
}

/** A failure that has a name in the contract. It is thrown anywhere and written to the caller in one place. */
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
    const known = faultOf(name)
    this.code = known.code
    this.reason = known.reason
    this.status = known.status
    this.detail = parts.detail ?? known.detail
    this.problems = parts.problems
    this.outcome = parts.outcome
    this.retryAfterSeconds = parts.retryAfterSeconds
    this.headers = parts.headers
    this.note = parts.note
  }
}

/** A `validation_error` about one field. */
export function invalid(loc: (string | number)[], msg: string, type = 'value_error'): Fault {
  return new Fault('validation_error', { problems: [{ loc, msg, type }] })
}

/** A refusal in the shape of the operation's outcome, by its finer code. */
export function refusal(outcome: OutcomeError, problems?: Problem[]): Fault {
  return new Fault('bad_request', { outcome, detail: OUTCOME_ERRORS[outcome], ...(problems && { problems }) })
}

/** A fault about one field of the body, for a rule that a schema cannot express. */
export function refusedField(outcome: OutcomeError, field: string): Fault {
  return refusal(outcome, [{ loc: ['body', field], msg: OUTCOME_ERRORS[outcome], type: 'value_error' }])
}

/** `unsupported_media_type`, in a sentence that names every media type that is taken. */
export function unsupportedMedia(taken: readonly string[]): Fault {
  const types = new Intl.ListFormat('en', { type: 'disjunction' }).format(taken.map((type) => `\`${type}\``))
  return new Fault('unsupported_media_type', {
    detail: `Send a body with the Content-Type ${types}, its text in UTF-8, and no Content-Encoding.`,
  })
}
