/** All reasons for failed pulls, with a message each. */
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

/** A reason for a failed pull. */
export type PullFailureReason = keyof typeof PULL_FAILURES

/** Failures that only a new consent by a user resolves. Their sources are not polled. */
export const CONSENT_FAILURES = ['needs_authorization', 'needs_scopes'] as const satisfies readonly PullFailureReason[]

/** A failed pull with a known reason. The provider's response is at most in its cause. */
export class PullFailure extends Error {
  override readonly name = 'PullFailure'
  readonly reason: PullFailureReason
  /** Delay in milliseconds that the provider asked for. */
  readonly retryAfterMs: number | undefined

  constructor(reason: PullFailureReason, parts: { retryAfterMs?: number | undefined; cause?: unknown } = {}) {
    super(reason, parts.cause === undefined ? undefined : { cause: parts.cause })
    this.reason = reason
    this.retryAfterMs = parts.retryAfterMs
  }
}

/** Finds the PullFailure in an error's chain of causes. */
export function findPullFailure(error: unknown): PullFailure | undefined {
  for (let inner = error, depth = 0; inner instanceof Error && depth < CAUSES_MAX; depth += 1) {
    if (inner instanceof PullFailure) return inner
    inner = inner.cause ?? (inner as { original?: unknown }).original
  }
  return undefined
}

const CAUSES_MAX = 8
