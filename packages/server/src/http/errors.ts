import { randomBytes } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import {
  type ErrorBody,
  type FaultCode,
  type Operations,
  type OutcomeError,
  type OutcomeRefusal,
  operations,
} from '@cairnstore/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import { SAFE_HEADERS } from './safe-headers.ts'

export function errorBody(fault: Fault, requestId: string): ErrorBody {
  return {
    error: fault.code,
    ...(fault.reason && { reason: fault.reason }),
    detail: fault.detail,
    request_id: requestId,
    ...(fault.problems && { errors: fault.problems }),
  }
}

/** Returns the response body of a fault with an outcome error. */
function refusalBody({ detail, problems }: Fault, error: OutcomeError, requestId: string): OutcomeRefusal {
  return { ...NOTHING, error, detail, request_id: requestId, ...(problems && { errors: problems }) }
}

/** The fields of an unsuccessful outcome, all empty. */
const NOTHING = { data_source_id: null, status: null, name: null, ingestion_mode: null, health_error: null }

/** Converts anything thrown to a fault. An unknown error becomes `internal_error`. */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  const { statusCode, code } = (thrown ?? {}) as { statusCode?: number; code?: string }
  const isFastify = typeof code === 'string' && code.startsWith('FST_')
  const name = isFastify && statusCode !== undefined ? BY_STATUS[statusCode] : undefined
  return new Fault(name ?? 'internal_error', { cause: thrown })
}

const BY_STATUS: Record<number, FaultCode> = {
  400: 'bad_request',
  404: 'not_found',
  413: 'payload_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  431: 'headers_too_large',
  503: 'unavailable',
}

/** Sends a thrown error as the response. The caller gets the fault's detail; the other information is logged. */
export function writeFault(thrown: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  const fault = toFault(thrown)
  request.fault = fault.reason ?? fault.code
  if (fault.status >= SERVER_FAULT && !isRefusal(fault)) logFault(fault, request.id, log)
  reply.code(fault.status).headers({ ...SAFE_HEADERS, ...faultHeaders(fault), 'x-request-id': request.id })
  const { outcome } = fault
  const body = outcome ? refusalBody(fault, outcome, request.id) : errorBody(fault, request.id)
  return reply.type(JSON_TYPE).send(JSON.stringify(body))
}

/** Returns true for a 5xx that is not a failure, such as an overload. Its line in the request log is sufficient. */
function isRefusal({ code, cause, note }: Fault): boolean {
  return (code === 'unavailable' || code === 'not_implemented') && cause === undefined && note === undefined
}

const SERVER_FAULT = 500
const JSON_TYPE = 'application/json; charset=utf-8'

/** Logs the cause of a server error. */
export function logFault(fault: Fault, requestId: string, log: Log): void {
  const error = fault.cause ?? fault
  log.error('request_failed', { requestId, fault: fault.code, reason: fault.reason, note: fault.note, error })
}

function faultHeaders(fault: Fault): Record<string, string> {
  return {
    ...(fault.code === 'unauthorized' && { 'www-authenticate': 'Bearer' }),
    ...(fault.retryAfterSeconds !== undefined && { 'retry-after': String(fault.retryAfterSeconds) }),
    ...(fault.retryAfterSeconds === undefined && fault.code === 'unavailable' && { 'retry-after': RETRY_SECONDS }),
    ...fault.headers,
  }
}

const RETRY_SECONDS = '1'
const REQUEST_ID_BYTES = 12

/** Responds to data that is not a valid request, logs this, and closes the connection. */
export function writeClientError(error: ParseFailure, socket: Socket, log: Log): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const fault = new Fault(clientFaultCode(error))
  const requestId = randomBytes(REQUEST_ID_BYTES).toString('base64url')
  log.info('malformed HTTP request', { status: fault.status, requestId, fault: fault.code })
  const body = JSON.stringify(errorBody(fault, requestId))
  const headers = {
    ...SAFE_HEADERS,
    'x-request-id': requestId,
    'content-type': JSON_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}`, ...lines].join('\r\n')
  socket.end(`${head}\r\n\r\n${body}`)
}

/** Error of the HTTP parser for an invalid request, with the last packet. */
interface ParseFailure extends Error {
  code?: string
  rawPacket?: unknown
}

function clientFaultCode({ code = '', rawPacket }: ParseFailure): FaultCode {
  const known = BY_PARSE_FAILURE[code] ?? 'bad_request'
  const isAddress =
    known === 'headers_too_large' && Buffer.isBuffer(rawPacket) && LONG_ADDRESS.test(rawPacket.toString('latin1'))
  return isAddress ? 'uri_too_long' : known
}

/** Matches the start of a request whose request line is too long. */
const LONG_ADDRESS = /^[A-Z]+ \/[^\r\n]{8192}/

const BY_PARSE_FAILURE: Record<string, FaultCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Page for a browser that opens an agent endpoint. It is equal for existing and missing sandboxes. */
const AGENT_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cairn: an address for agents</title>
</head>
<body>
<h1>This is an address for agents</h1>
<p>Here a sandbox of Cairn speaks the Model Context Protocol to Claude, Cursor, VS Code and other programs. There is
nothing to see in a browser: add this address to the program as an MCP server over HTTP, with your API key in the header
<code>Authorization: Bearer KEY</code>.</p>
<p>For programs that only start commands, <code>cairn mcp</code> does the same. The HTTP API is described at
<a href="/docs">/docs</a>.</p>
</body>
</html>
`

/** Handles requests that match no route. A browser at an agent endpoint gets a page that explains it. */
export function answerMissing(server: FastifyInstance, mounted: Operations, log: Log): void {
  const agentPaths = [operations.sendMcpMessage, operations.sendMcpMessagePrimary].map(patternOf)
  const isPersonAtAgents = ({ method, url, headers: { accept } }: FastifyRequest) =>
    method === 'GET' && accept?.includes('text/html') === true && agentPaths.some((each) => each.test(pathOf(url)))
  server.setNotFoundHandler((request, reply) => {
    if (!isPersonAtAgents(request)) return writeFault(missingRoute(mounted, request.url), request, reply, log)
    return reply.type('text/html; charset=utf-8').header('vary', 'Accept').send(AGENT_PAGE)
  })
}

/** Returns 405 with the allowed methods for a known path, and 404 otherwise. */
function missingRoute(mounted: Operations, url: string): Fault {
  const methods = Object.values(mounted)
    .filter((operation) => patternOf(operation).test(pathOf(url)))
    .map((operation) => operation.method)
  if (methods.length === 0) return new Fault('not_found')
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods
  return new Fault('method_not_allowed', { headers: { allow: [...new Set(allowed)].sort().join(', ') } })
}

function patternOf({ path }: { path: string }): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? ''
}
