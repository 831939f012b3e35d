import type { IncomingMessage } from 'node:http'
import { Fault } from '../base/fault.ts'

/** Methods for which a request body has no defined meaning (RFC 9110, 9.3). */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])
const DIGITS = /^\d{1,15}$/

/**
 * Returns true if a request has a body although none is defined for its method. A proxy may disagree about where this
 * body ends, so the following bytes on the connection cannot be trusted (request smuggling).
 */
export function hasUndefinedBody({ method = '', headers }: IncomingMessage): boolean {
  if (!BODILESS.has(method)) return false
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers
  return coding !== undefined || Number(length) !== 0
}

/** Returns a fault for a request with an ambiguous body length (RFC 9112, 6). Node's parser rejects most of them. */
export function framingFault(raw: IncomingMessage): Fault | undefined {
  if (isFramedClearly(raw)) return undefined
  const detail = 'The length of the body must be one Content-Length, or Transfer-Encoding: chunked in HTTP/1.1.'
  return new Fault('bad_request', { detail })
}

function isFramedClearly({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  if (coding !== undefined) return length === undefined && httpVersion === '1.1' && coding.toLowerCase() === 'chunked'
  if (length === undefined) return true
  return DIGITS.test(length) && rawHeaders.filter((name, at) => at % 2 === 0 && isLength(name)).length === 1
}

function isLength(name: string): boolean {
  return name.length === 'content-length'.length && name.toLowerCase() === 'content-length'
}
