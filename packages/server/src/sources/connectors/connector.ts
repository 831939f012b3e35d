import type { FailedRecord } from '@cairnstore/contract'
import { hmacSha256, sameDigest } from '../../base/digest.ts'
import type { PullFailure, PullFailureReason } from '../../base/pull-failure.ts'
import type { DocumentReader } from '../../documents/processes/open-document-readers.ts'
import type { ActiveProfile } from './mcp-profile.ts'
import { type Ignored, type MappedRecord, type MappingResult, recordsIn, type Settings } from './to-record.ts'

/** One delivery (webhook request) from a provider: its headers, with lower-case names, and its body. */
export interface Delivered {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The parsed JSON, or the text of a body that is not JSON. Its shape has not been validated. */
  readonly body: unknown
  readonly settings: Settings
}

export interface Mapped {
  /** The provider's name of the event, such as `issues.opened`. */
  readonly event: string
  /** Records to write. A record with `deleted` removes the record with its external id. */
  readonly records: MappedRecord[]
  /** Reason why there are no records. */
  readonly ignored?: Ignored
}

/** Signature scheme with which a provider authenticates a body. */
interface Signature {
  /** Header that every signed delivery has. */
  readonly header: string
  /** Returns true if the delivery was signed with the secret. `nowMs` is for schemes that sign the sending time. */
  verify(secret: string, headers: Delivered['headers'], body: Uint8Array, nowMs: number): boolean
}

/** Body format that a provider may send. */
export type BodyForm = 'json' | 'form' | 'mail'

/** JSON Schemas of settings, by name. */
type SettingSchemas = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Maps a provider's data to records. A connector is pure and never throws, except for `pull`. */
export interface Connector {
  /** Values of a source's `provider` that select this connector, the usual one first. */
  readonly providers: readonly string[]
  /** Display name of the product. */
  readonly product: string
  readonly forms: readonly BodyForm[]
  /** Fields that `adapter_config` may have for deliveries and for polling: JSON Schemas by name. */
  readonly settings?: { readonly delivered?: SettingSchemas; readonly read?: SettingSchemas }
  /** True for public content. It needs no credential, has one site, and is only polled. */
  readonly isPublic?: true
  /** True if a body may be a list of items. */
  readonly takesLists?: true
  /** Header in which the provider sends a plain secret, in place of a bearer token. */
  readonly secretHeader?: string
  readonly signature?: Signature
  /** Returns the provider's id of the delivery, which is the same on every retry. */
  eventId(delivered: Delivered): string | undefined
  /** Returns the challenge to echo when the provider verifies the webhook URL. */
  challenge?(delivered: Delivered): string | undefined
  /** Returns a description of an error in adapter_config, or undefined if there is none. */
  configProblem?(config: Readonly<Record<string, unknown>>): string | undefined
  map(delivered: Delivered): Mapped | Promise<Mapped>
  /** Reads new items from the provider. It uses the network only through the request's `fetch`. */
  readonly pull?: Pull
}

/** Returns a result without records, for an event that has no content to store. */
export function ignored(event: string, why: Ignored = 'no_knowledge'): Mapped {
  return { event, records: [], ignored: why }
}

/**
 * Returns the result of an event. An event whose mapping gives no records and no reason is `incomplete`.
 * @param assignSite adds the product's instance to the records
 */
export function mapped(
  event: string,
  result: MappingResult,
  assignSite = (records: MappedRecord[]): MappedRecord[] => records,
): Mapped {
  const records = assignSite(recordsIn(result))
  if (records.length > 0) return { event, records }
  return ignored(event, typeof result === 'string' ? result : 'incomplete')
}

/** Read position in a source, in the connector's own format. */
export type PullCursor = Readonly<Record<string, unknown>>

export interface PullRequest {
  readonly settings: Settings
  /** The credential of the source; undefined if it has none. */
  readonly credential: string | undefined
  /** The cursor of the last page that was stored; undefined on the first pull. */
  readonly cursor: PullCursor | undefined
  /** Items since this time are read again. It only moves the start back, so no item is skipped. */
  readonly since: Date | undefined
  readonly now: Date
  /** Replacement for the global `fetch`, with the server's limits. */
  readonly fetch: typeof globalThis.fetch
  readonly signal: AbortSignal
  /** Access to MCP servers; undefined if they are not available. */
  readonly toolServers?: ToolServerPort | undefined
  /** Reads files of any format; undefined if readers are not available. */
  readonly documents?: DocumentReader | undefined
}

/** Address and credential of an MCP server. */
export interface McpServer {
  readonly url: string
  readonly auth: McpAuth
}

/** The credential for an MCP server. It is sent only to the server's own address. */
export type McpAuth =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'header'; readonly name: string; readonly token: string }
  | { readonly kind: 'oauth'; readonly tokens: McpTokens }

/** The access tokens of one OAuth grant. Each method throws a PullFailure when there is no usable grant. */
export interface McpTokens {
  current(): Promise<string>
  /** Returns a new token in place of one that the server rejected. */
  replace(rejected: string): Promise<string>
  /** Ends the grant if a fresh token was rejected. Returns the failure to report. */
  reject(rejected: string): Promise<PullFailure>
  /** Records that the server requires more scopes. Returns the failure to report. */
  lackScopes(challenge: Challenge): Promise<PullFailure>
}

/** The `Bearer` challenge of a `WWW-Authenticate` header. */
export interface Challenge {
  readonly error?: string | undefined
  readonly scope?: string | undefined
  readonly resourceMetadata?: string | undefined
}

/** A tool as its server describes it. The description is untrusted: it is shown and compared, never followed. */
export interface McpTool {
  readonly name: string
  readonly description: string | undefined
  readonly inputSchema: Record<string, unknown>
  /** True if the server declares that the tool has no side effects. */
  readonly isReadOnly: boolean
  /** Changes when the name, the description or the input schema changes. */
  readonly digest: string
}

/** Access of a pull to its MCP server. */
export interface ToolServerPort {
  /** Like the `fetch` of the request, with bodies as streams. */
  readonly fetch: typeof globalThis.fetch
  /** Returns the source's server with its credential. */
  readonly serverFor: (credential: string | undefined) => McpServer
  /** Compares the server's tools with the approved ones. Resolves to the names of the tools that may be called. */
  readonly approve: (tools: readonly McpTool[]) => Promise<ReadonlySet<string>>
  /** Takes one call from the source's rate limit per minute. Waits if the limit is used up. */
  readonly takeCall: () => Promise<void>
  /** Profile of this public server; undefined if it has none, or the user turned it off. */
  readonly profile?: ActiveProfile | undefined
}

/** A page of a source's records. The cursor is stored with the records, so the next pull continues after them. */
export interface PulledPage {
  readonly records: readonly MappedRecord[]
  /** Items that could not be read while the pull continues. The job lists them as failed records. */
  readonly failures?: readonly Omit<FailedRecord, 'line'>[]
  readonly cursor: PullCursor
}

/** Reads new items from a provider, page by page. Throws a PullFailure, or the error of its client. */
type Pull = (request: PullRequest) => AsyncIterable<PulledPage>

const UNAUTHORIZED = 401
const FORBIDDEN = 403
const ABSENT = [404, 410, 451]
const TOO_MANY = 429
const FAILED = 500

/** Returns the reason for a pull failure by the provider's HTTP status. */
export function reasonOfStatus(status: number): PullFailureReason {
  if (status === UNAUTHORIZED) return 'credential_refused'
  if (status === FORBIDDEN) return 'forbidden'
  if (ABSENT.includes(status)) return 'not_found'
  if (status === TOO_MANY) return 'rate_limited'
  return status >= FAILED ? 'provider_failed' : 'unreadable'
}

/** Returns the scheme of a header that has the HMAC-SHA-256 of the body, with or without `sha256=` before it. */
export function sha256Signature(header: string): Signature {
  return { header, verify: (secret, headers, body) => isHmac(secret, body, headers[header]?.replace(/^sha256=/, '')) }
}

const HEX = /^[0-9a-f]{64}$/i

/** Returns true if `signature` is the hexadecimal HMAC-SHA-256 of the signed bytes. Compares in constant time. */
export function isHmac(secret: string, signed: string | Uint8Array, signature: string | undefined): boolean {
  if (signature === undefined || !HEX.test(signature)) return false
  return sameDigest(hmacSha256(Buffer.from(secret), signed), Buffer.from(signature, 'hex'))
}
