import type { IncomingMessage } from 'node:http'
import { hmacSha256, sameDigest } from '../base/digest.ts'

/** Header of a forwarded request, with the client's address and a signature. */
export const NODE_HEADER = 'cairn-node'

/** Data about the client that the forwarding process confirms. It does not include the client's identity. */
export interface ClientOrigin {
  /** Address of the client. */
  readonly address: string
  readonly protocol: 'http' | 'https'
}

/** The fields of a forwarded request that the signature covers. */
interface ForwardedRequest {
  /** URL of the receiving process. */
  readonly to: string
  readonly method: string
  readonly path: string
  readonly requestId: string
}

const VERSION = '1'
/** Maximum age of a header in milliseconds. It allows for differences between clocks, and limits replay attacks. */
const AGE_MS_MAX = 30_000

export function signNodeHeader(
  key: Uint8Array,
  forwarded: ForwardedRequest,
  { address, protocol }: ClientOrigin,
  at: Date,
): string {
  const fields = [VERSION, String(at.getTime()), protocol, address]
  return [...fields, digestOf(key, forwarded, fields).toString('base64url')].join(' ')
}

/** Content of a header with a valid signature. */
export interface VerifiedHeader {
  /** Undefined if the header is too old or from the future. It then proves only that the request was forwarded. */
  readonly vouched: ClientOrigin | undefined
}

/** Verifies a header. Returns undefined if none of our processes signed it for this request. */
export function readSigned(
  key: Uint8Array,
  forwarded: ForwardedRequest,
  header: string,
  now: Date,
): VerifiedHeader | undefined {
  const parts = header.split(' ')
  const [version, at, protocol, address, digest] = parts
  if (parts.length !== FIELDS || version !== VERSION || (protocol !== 'http' && protocol !== 'https')) return undefined
  const given = Buffer.from(digest ?? '', 'base64url')
  if (!sameDigest(given, digestOf(key, forwarded, parts.slice(0, -1)))) return undefined
  const isFresh = Math.abs(now.getTime() - Number(at)) <= AGE_MS_MAX
  return { vouched: isFresh ? { address: address ?? '', protocol } : undefined }
}

const FIELDS = 5

/** Returns the HMAC of the fields. A newline can separate them, because headers and request lines contain none. */
function digestOf(
  key: Uint8Array,
  { to, method, path, requestId }: ForwardedRequest,
  fields: readonly string[],
): Buffer {
  return hmacSha256(key, [...fields, to, method, path, requestId].join('\n'))
}

export function nodeHeaderOf({ headers }: IncomingMessage): string | undefined {
  const header = headers[NODE_HEADER]
  return typeof header === 'string' ? header : undefined
}
