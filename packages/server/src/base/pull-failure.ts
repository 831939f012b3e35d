/** All reasons for which pulling from a source can fail, with a message for each. */
export const PULL_FAILURES = {
  misconfigured: 'The settings of the source are incomplete: they do not say what to pull, or from where.',
  credential_missing: 'The source has no credential. Send one as provider_credential.',
  credential_refused: 'The provider refused the credential.',
  needs_authorization: 'Consent is missing. Authorize the source.',
  needs_scopes: 'The server requires more scopes than were granted. Authorize the source again.',
  forbidden: 'The credential does not permit this read.',
  not_found: 'The provider found nothing with the configured name, or hides it from this credential.',
  rate_limited: 'The provider limits the rate of requests.',
  provider_failed: 'The provider failed.',
  unreadable: 'The provider’s answer could not be read.',
  profile_outdated:
    'The server’s tools have changed, and its profile does not fit them any more. Update Cairn, or set ' +
    'server_profile to none and name the calls in ingest_tool_calls.',
  unreachable: 'The provider could not be reached, or closed the connection.',
  blocked_address: 'The configured address is in a private network, which is not allowed.',
  redirected: 'The provider redirects to another address. Configure that address.',
  robots_disallowed: 'The site’s robots.txt does not allow this page to be read.',
  no_text: 'The page has no text that can be read without a browser.',
  timeout: 'The provider did not answer in time.',
  too_large: 'The provider’s answer is too large.',
  interrupted: 'The pull was interrupted repeatedly.',
  internal: 'An internal error occurred. The log has the cause.',
} as const

export type PullFailureReason = keyof typeof PULL_FAILURES

/** Failures that end only when a user gives a new consent. Until then the source is not polled. */
export const CONSENT_FAILURES = ['needs_authorization', 'needs_scopes'] as const satisfies readonly PullFailureReason[]

/** A failed pull with a known reason. The response of the provider may only be in its `cause`. */
export class PullFailure extends Error {
  override readonly name = 'PullFailure'
  readonly reason: PullFailureReason
  /** Delay in milliseconds that the provider asked for. */
  readonly retryAfterMs: number | undefined
  /** Target of a redirect, as the server sent it. */
  readonly location: string | undefined

  constructor(
    reason: PullFailureReason,
    parts: { retryAfterMs?: number | undefined; location?: string | undefined; cause?: unknown } = {},
  ) {
    super(reason, parts.cause === undefined ? undefined : { cause: parts.cause })
    this.reason = reason
    this.retryAfterMs = parts.retryAfterMs
    this.location = parts.location
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
