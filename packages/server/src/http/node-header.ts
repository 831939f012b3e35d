import type { IncomingMessage } from 'node:http'
import { hmacSha256, sameDigest } from '../base/digest.ts'

/** The header by which a process says that it sends a request on, for whom, and to whom. */
export const NODE_HEADER = 'cairn-node'

/** What a process vouches for of the caller whose request it sends on; nothing of who that is. */
export interface Vouched {
  /** The address that the caller was at. */
  readonly address: string
  readonly protocol: 'http' | 'https'
}

/** A request, as both processes see it. */
interface SentOn {
  /** The address of the process that it is sent to. */
  readonly to: string
  readonly method: string
  readonly path: string
  readonly requestId: string
}

const VERSION = '1'
/** A header is believed for so long: clocks of processes differ, and what was read on the way is of no use for long. */
const AGE_MS_MAX = 30_000

/** The header for a request that is sent on. */
export function vouch(key: Uint8Array, sentOn: SentOn, { address, protocol }: Vouched, at: Date): string {
  const said = [VERSION, String(at.getTime()), protocol, address]
  return [...said, digestOf(key, sentOn, said).toString('base64url')].join(' ')
}

/** What a header says that one of our processes made. */
export interface Signed {
  /** Undefined when the header is too old or too new: then it says only that the request was sent on. */
  readonly vouched: Vouched | undefined
}

/** What another process says; undefined for a header that none of ours has made for this very request. */
export function readSigned(key: Uint8Array, sentOn: SentOn, header: string, now: Date): Signed | undefined {
  const parts = header.split(' ')
  const [version, at, protocol, address, digest] = parts
  if (parts.length !== FIELDS || version !== VERSION || (protocol !== 'http' && protocol !== 'https')) return undefined
  const given = Buffer.from(digest ?? '', 'base64url')
  if (!sameDigest(given, digestOf(key, sentOn, parts.slice(0, -1)))) return undefined
  const isFresh = Math.abs(now.getTime() - Number(at)) <= AGE_MS_MAX
  return { vouched: isFresh ? { address: address ?? '', protocol } : undefined }
}

const FIELDS = 5

/** Fields have no line breaks: a header has none, and neither has the first line of a request. */
function digestOf(key: Uint8Array, { to, method, path, requestId }: SentOn, said: readonly string[]): Buffer {
  return hmacSha256(key, [...said, to, method, path, requestId].join('\n'))
}

/** The header of a request, when it has one. */
export function nodeHeaderOf({ headers }: IncomingMessage): string | undefined {
  const header = headers[NODE_HEADER]
  return typeof header === 'string' ? header : undefined
}
