/** Every reason for which a pull can fail, with the sentence that says it. */
export const PULL_FAILURES = {
  misconfigured: 'The source’s settings do not say what to read, or where.',
  credential_missing: 'The source has no credential; send one as provider_credential.',
  credential_refused: 'The provider refused the credential.',
  needs_authorization: 'A person has to consent first: authorize the source.',
  needs_scopes: 'The server asks for more scopes than were granted: authorize the source again.',
  forbidden: 'The credential does not allow reading this.',
  not_found: 'The provider has nothing under the configured name, or does not show it to this credential.',
  rate_limited: 'The provider asked to wait.',
  provider_failed: 'The provider failed.',
  unreadable: 'The provider’s answer could not be read.',
  unreachable: 'The provider could not be reached, or broke off.',
  blocked_address: 'The configured address is inside a network and is not called.',
  redirected: 'The provider answered with another address; configure that one.',
  timeout: 'The provider took too long.',
  too_large: 'The provider’s answer is too large.',
  interrupted: 'The pull was interrupted again and again.',
  internal: 'Something failed here; the log says what.',
} as const

/** A reason for which a pull can fail. */
export type PullFailureReason = keyof typeof PULL_FAILURES

/** Failures that only a new consent of a person ends. Such a source is not polled. */
export const CONSENT_FAILURES = ['needs_authorization', 'needs_scopes'] as const satisfies readonly PullFailureReason[]

/** A pull that came to nothing, for one of the known reasons. What the provider said is in its cause at most. */
export class PullFailure extends Error {
  override readonly name = 'PullFailure'
  readonly reason: PullFailureReason
  /** How long the provider wants to be left alone. */
  readonly retryAfterMs: number | undefined

  constructor(reason: PullFailureReason, parts: { retryAfterMs?: number | undefined; cause?: unknown } = {}) {
    super(reason, parts.cause === undefined ? undefined : { cause: parts.cause })
    this.reason = reason
    this.retryAfterMs = parts.retryAfterMs
  }
}

/** The PullFailure that an error of a client was caused by, if one was. */
export function findPullFailure(error: unknown): PullFailure | undefined {
  for (let inner = error, depth = 0; inner instanceof Error && depth < CAUSES_MAX; depth += 1) {
    if (inner instanceof PullFailure) return inner
    inner = inner.cause ?? (inner as { original?: unknown }).original
  }
  return undefined
}

const CAUSES_MAX = 8
