import type { HealthError } from '@cairnstore/contract'
import { type JSONRPCMessage, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { retryAfterMs } from '../../../base/backoffs.ts'
import { PullFailure, type PullFailureReason } from '../../../base/pull-failure.ts'
import type { McpAuth, McpServer } from '../connector.ts'
import { pick, text } from '../pick.ts'
import { challengeIn } from './challenge.ts'

/** Maximum number of replies to requests that the server sends to the client. */
const REPLIES_MAX = 16
const UNAUTHORIZED = 401
const FORBIDDEN = 403
const TOO_MANY = 429
const FAILED = 500
const NO_STREAM = 405
/** Milliseconds that the client has to process a stream's data after the stream has ended. */
const DRAIN_MS = 50

/** Creates the transport to a server. It has one stream, is never resumed, and ends at a 401, 403, 429 or 5xx. */
export function watchTransport({ url, auth }: McpServer, fetch: typeof globalThis.fetch) {
  const sendAs = openAuthorizedFetch()
  let failure: McpFailure | undefined
  let breakOff: (cause: McpFailure) => void = () => {}
  const broken = new Promise<never>((_, reject) => {
    breakOff = (cause) => {
      failure ??= cause
      reject(cause)
    }
  })
  broken.catch(() => undefined)
  const guarded: typeof globalThis.fetch = async (input, init) => {
    // A GET would open a second stream for messages from the server. No code reads them.
    if (init?.method === 'GET') return new Response(null, { status: NO_STREAM })
    const response = await sendAs(auth, fetch, input, init).catch((cause: unknown) => {
      if (cause instanceof McpFailure) failure ??= cause
      throw cause
    })
    const refusal = refusalOf(response)
    if (!refusal) return watchEnd(response, idIn(init?.body))
    await response.body?.cancel()
    failure ??= refusal
    throw refusal
  }
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: guarded,
    requestInit: { headers: headersOf(auth) },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 0,
      maxReconnectionDelay: 0,
      reconnectionDelayGrowFactor: 1,
    },
  })
  const isOpen = watchIds(transport, breakOff)
  const watchEnd = (response: Response, id: unknown): Response => {
    const isStream = (response.headers.get('content-type') ?? '').includes('event-stream')
    if (id === undefined || !isStream || !response.body) return response
    const ended = (cause: McpFailure) => {
      setTimeout(() => isOpen(id) && breakOff(cause), DRAIN_MS)
    }
    return new Response(watchStreamEnd(response.body, ended), response)
  }
  return {
    transport,
    /** Returns the first failure of the transport, which is more specific than the client's error. */
    failure: () => failure,
    /** Rejects on a protocol violation for which the client would otherwise wait until its timeout. */
    broken,
    /** Notifies a stateful server that the session has ended. */
    end: async () => {
      await transport.terminateSession().catch(() => undefined)
    },
  }
}

function headersOf(auth: McpAuth): Record<string, string> {
  if (auth.kind === 'bearer') return { authorization: `Bearer ${auth.token}` }
  return auth.kind === 'header' ? { [auth.name]: auth.token } : {}
}

/**
 * Returns a function that sends the requests of one session. With OAuth, a rejected token is replaced once per session.
 * The next rejection ends the grant, so a server that rejects every token causes no loop.
 */
function openAuthorizedFetch() {
  let isReplaced = false
  return async (auth: McpAuth, fetch: typeof globalThis.fetch, input: string | URL | Request, init?: RequestInit) => {
    if (auth.kind !== 'oauth') return fetch(input, init)
    const { tokens } = auth
    const send = (token: string) => {
      const headers = new Headers(init?.headers)
      headers.set('authorization', `Bearer ${token}`)
      return fetch(input, { ...init, headers })
    }
    let token = await tokens.current()
    let response = await send(token)
    if (response.status === UNAUTHORIZED && !isReplaced) {
      isReplaced = true
      await response.body?.cancel()
      token = await tokens.replace(token)
      response = await send(token)
    }
    if (response.status !== UNAUTHORIZED && response.status !== FORBIDDEN) return response
    await response.body?.cancel()
    throw response.status === UNAUTHORIZED
      ? await tokens.reject(token)
      : await tokens.lackScopes(challengeIn(response.headers))
  }
}

function refusalOf(response: Response): McpFailure | undefined {
  const isRejected = response.status === UNAUTHORIZED || response.status === FORBIDDEN
  return isRejected ? new McpFailure('auth_rejected') : busyFailure(response)
}
/** Returns the temporary failure of a response with status 429 or 5xx; undefined for any other. */
export function busyFailure({ status, headers }: Pick<Response, 'status' | 'headers'>): McpFailure | undefined {
  if (status === TOO_MANY) return new McpFailure('rate_limited', { retryAfterMs: retryAfterMs(headers) })
  return status >= FAILED ? new McpFailure('protocol_error', { reason: 'provider_failed' }) : undefined
}

function idIn(body: unknown): unknown {
  return typeof body === 'string' ? (JSON.parse(body) as { id?: unknown }).id : undefined
}

/** Calls `ended` at the end of the stream, because the client library would wait forever after it. */
function watchStreamEnd(
  body: ReadableStream<Uint8Array>,
  ended: (cause: McpFailure) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await reader.read()
        if (!done) return controller.enqueue(value)
        ended(new McpFailure('connect_failed', { isBrokenOff: true }))
        controller.close()
      } catch (cause) {
        ended(toMcpFailure(cause))
        controller.error(cause)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/**
 * Tracks request ids. A response to an unknown id ends the session, and a duplicate response is dropped. Returns a
 * function that returns true while a request has no response.
 */
function watchIds(
  transport: StreamableHTTPClientTransport,
  breakOff: (cause: McpFailure) => void,
): (id: unknown) => boolean {
  const sent = new Set<unknown>()
  let replies = 0
  const send = transport.send.bind(transport)
  transport.send = async (message, options) => {
    const { id, method } = message as { id?: unknown; method?: unknown }
    if (method !== undefined && id !== undefined) sent.add(id)
    if (method === undefined) replies += 1
    if (replies <= REPLIES_MAX) await send(message, options)
  }
  const answered = new Set<unknown>()
  let handler: Transport['onmessage']
  Object.defineProperty(transport, 'onmessage', {
    get: () => handler && watched,
    set: (next: Transport['onmessage']) => {
      handler = next
    },
  })
  const watched: NonNullable<Transport['onmessage']> = (message: JSONRPCMessage, extra) => {
    const { id, method } = message as { id?: unknown; method?: unknown }
    if (method === undefined) {
      if (!sent.has(id)) return breakOff(new McpFailure('protocol_error'))
      if (answered.has(id)) return
      answered.add(id)
    }
    handler?.(withPlainTools(message), extra)
  }
  return (id) => !answered.has(id)
}

/** Removes invalid tools from a list. The client library would reject the whole list because of one of them. */
function withPlainTools(message: JSONRPCMessage): JSONRPCMessage {
  const tools = pick(message, 'result', 'tools')
  if (!Array.isArray(tools)) return message
  const plain = tools.flatMap((tool) => {
    const name = pick(tool, 'name')
    const schema = pick(tool, 'inputSchema')
    if (typeof name !== 'string' || schema === null || typeof schema !== 'object') return []
    const description = text(tool, 'description')
    const readOnlyHint = pick(tool, 'annotations', 'readOnlyHint') === true
    const inputSchema = { ...schema, type: 'object' }
    return [{ name, ...(description && { description }), inputSchema, annotations: { readOnlyHint } }]
  })
  const { result } = message as { result: object }
  return { ...message, result: { ...result, tools: plain } } as JSONRPCMessage
}

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
  needs_authorization: 'needs_authorization',
  needs_scopes: 'needs_scopes',
}

/** Optional details of a failure. */
interface McpFailureParts {
  /** A more specific pull failure reason than the default. */
  reason?: PullFailureReason
  retryAfterMs?: number | undefined
  isBrokenOff?: boolean
  cause?: unknown
}

/** An error of an MCP server with a known reason. The server's own message is only in `cause`. */
export class McpFailure extends PullFailure {
  readonly health: HealthError
  /** True if the connection ended before the response, so a retry may succeed. */
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
  needs_authorization: 'needs_authorization',
  needs_scopes: 'needs_scopes',
}
/** Error codes of DNS, sockets, TLS and the client library. */
const BY_CODE: readonly [RegExp, HealthError][] = [
  [/^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL|EREFUSED)/, 'dns_failed'],
  [/^(CERT_|ERR_TLS_|ERR_SSL_|EPROTO$|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/, 'tls_failed'],
  [/^(REQUEST_TIMEOUT|ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/, 'timeout'],
  [/^(CLIENT_HTTP_AUTHENTICATION|CLIENT_HTTP_FORBIDDEN)$/, 'auth_rejected'],
  [/^(ECONN|EPIPE$|EHOSTUNREACH$|ENETUNREACH$|UND_ERR_SOCKET$)/, 'connect_failed'],
]

/** Converts any error of a request to a McpFailure. An unknown error becomes `protocol_error`. */
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
