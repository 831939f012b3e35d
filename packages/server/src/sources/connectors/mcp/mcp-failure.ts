import type { HealthError } from '@cairnstore/contract'
import { PullFailure, type PullFailureReason } from '../../../base/pull-failure.ts'

/** Converts a failure of a tool server to a PullFailure. */
const PULL_REASONS: Record<HealthError, PullFailureReason> = {
  blocked_address: 'blocked_address',
  dns_failed: 'unreachable',
  connect_failed: 'unreachable',
  tls_failed: 'unreachable',
  timeout: 'timeout',
  auth_rejected: 'credential_refused',
  rate_limited: 'rate_limited',
  protocol_error: 'unreadable',
  response_too_large: 'too_large',
  too_many_tools: 'too_large',
  allowed_tool_missing: 'not_found',
}

/** What a failure may say beyond its name. */
interface McpFailureParts {
  /** What it is to a pull, where that is more exact. */
  reason?: PullFailureReason
  retryAfterMs?: number | undefined
  isBrokenOff?: boolean
  cause?: unknown
}

/** A tool server that did not do what it should, for one of the known reasons. What it said is in the cause at most. */
export class McpFailure extends PullFailure {
  readonly health: HealthError
  /** Whether the connection ended before the answer, so that asking again may help. */
  readonly isBrokenOff: boolean

  constructor(health: HealthError, parts: McpFailureParts = {}) {
    super(parts.reason ?? PULL_REASONS[health], parts)
    this.health = health
    this.isBrokenOff = parts.isBrokenOff ?? false
  }
}

const CAUSES_MAX = 8
const BY_PULL_REASON: Partial<Record<PullFailureReason, HealthError>> = {
  blocked_address: 'blocked_address',
  misconfigured: 'blocked_address',
  redirected: 'protocol_error',
  too_large: 'response_too_large',
  timeout: 'timeout',
}
/** What resolvers, sockets, TLS and the client library call their failures. */
const BY_CODE: readonly [RegExp, HealthError][] = [
  [/^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL|EREFUSED)/, 'dns_failed'],
  [/^(CERT_|ERR_TLS_|ERR_SSL_|EPROTO$|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/, 'tls_failed'],
  [/^(REQUEST_TIMEOUT|ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/, 'timeout'],
  [/^(CLIENT_HTTP_AUTHENTICATION|CLIENT_HTTP_FORBIDDEN)$/, 'auth_rejected'],
  [/^(ECONN|EPIPE$|EHOSTUNREACH$|ENETUNREACH$|UND_ERR_SOCKET$)/, 'connect_failed'],
]

/** The failure that anything thrown while a server was asked comes to; what has no name of its own is its protocol. */
export function toMcpFailure(error: unknown): McpFailure {
  let unreachable = false
  for (let inner = error, depth = 0; inner instanceof Error && depth < CAUSES_MAX; depth += 1) {
    if (inner instanceof McpFailure) return inner
    if (inner instanceof PullFailure) {
      const known = BY_PULL_REASON[inner.reason]
      if (known) return new McpFailure(known, { cause: error })
      unreachable = true
    }
    const { code } = inner as { code?: unknown }
    const named = BY_CODE.find(([pattern]) => typeof code === 'string' && pattern.test(code))?.[1]
    if (named) return new McpFailure(named, { cause: error, isBrokenOff: named === 'connect_failed' })
    if (code === 'CONNECTION_CLOSED') return new McpFailure('connect_failed', { cause: error, isBrokenOff: true })
    inner = inner.cause
  }
  if (unreachable) return new McpFailure('connect_failed', { cause: error, isBrokenOff: true })
  return new McpFailure('protocol_error', { cause: error })
}
