import { hmacSha256, sameDigest } from '../../base/digest.ts'
import type { PullFailure, PullFailureReason } from '../../base/pull-failure.ts'
import { type Ignored, type MappedRecord, type MappingResult, recordsIn, type Settings } from './draft.ts'

/** One delivery of a provider: its headers, names in lower case, and its body. */
export interface Delivered {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The parsed JSON, or the text of a body that is none. Nothing about its shape is known yet. */
  readonly body: unknown
  readonly settings: Settings
}

/** What a delivery comes to. */
export interface Mapped {
  /** The provider's own name of what happened, such as `issues.opened`. */
  readonly event: string
  /** Records to write; those with `deleted` withdraw what was written under their external id. */
  readonly records: MappedRecord[]
  /** Why there are no records, when there are none. */
  readonly ignored?: Ignored
}

/** How a provider proves that it sent a body. */
interface Signature {
  /** Headers without which no delivery of the provider is signed. */
  readonly header: string
  /** Whether the delivery was signed with the secret. `nowMs` is for those that carry the time of sending. */
  verify(secret: string, headers: Delivered['headers'], body: Uint8Array, nowMs: number): boolean
}

/** A form of body that a provider may send. */
export type BodyForm = 'json' | 'form' | 'mail'

/** Schemas of settings, by name. */
type SettingSchemas = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** What a provider sends, read for Cairn. A connector is pure: values in, values out, never an exception. */
export interface Connector {
  /** Values of a source's `provider` that mean it, the usual one first. */
  readonly providers: readonly string[]
  /** The product's name for people. */
  readonly product: string
  readonly forms: readonly BodyForm[]
  /** The fields that `adapter_config` may have for deliveries and pulls: JSON Schemas by name. */
  readonly settings?: { readonly delivered?: SettingSchemas; readonly read?: SettingSchemas }
  /** Whether a body may be a list of things instead of one. */
  readonly takesLists?: true
  /** The header in which the provider sends a secret as it is, in place of a bearer. */
  readonly secretHeader?: string
  readonly signature?: Signature
  /** The provider's own id of the delivery, equal on every retry. */
  eventId(delivered: Delivered): string | undefined
  /** What the provider wants echoed to believe in the address. */
  challenge?(delivered: Delivered): string | undefined
  /** What is wrong with adapter_config, in words, or undefined. */
  configProblem?(config: Readonly<Record<string, unknown>>): string | undefined
  map(delivered: Delivered): Mapped | Promise<Mapped>
  /** Reads what is new at the provider; it reaches the network by what it is given alone. */
  readonly pull?: Pull
}

/** An event that says nothing a record could hold. */
export function ignored(event: string, why: Ignored = 'no_knowledge'): Mapped {
  return { event, records: [], ignored: why }
}

/** An event with records, or one that is incomplete when what makes them is missing. */
export function mapped(event: string, told: MappingResult): Mapped {
  const records = recordsIn(told)
  if (records.length > 0) return { event, records }
  return ignored(event, typeof told === 'string' ? told : 'incomplete')
}

/** How far a source has been read, in its connector's own words. */
export type PullCursor = Readonly<Record<string, unknown>>

/** What a pull is given. */
export interface PullRequest {
  readonly settings: Settings
  /** The credential that was given for the source, when there is one. */
  readonly credential: string | undefined
  /** The cursor of the latest page that was kept; undefined when there is none. */
  readonly cursor: PullCursor | undefined
  /** Everything since then is read again. It only moves the start further back, so that nothing is skipped. */
  readonly since: Date | undefined
  readonly now: Date
  /** Takes the place of the global one, with its limits. */
  readonly fetch: typeof globalThis.fetch
  readonly signal: AbortSignal
  /** For pulls from servers of tools; undefined where there are none. */
  readonly toolServers?: ToolServerPort | undefined
}

/** Where a tool server is, and what opens it. */
export interface McpServer {
  readonly url: string
  readonly auth: McpAuth
}

/** The credential for a tool server. It is sent to the server's own address and nowhere else. */
export type McpAuth =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'header'; readonly name: string; readonly token: string }
  | { readonly kind: 'oauth'; readonly tokens: McpTokens }

/** The access tokens of one OAuth grant. Each method throws a PullFailure when there is no usable grant. */
export interface McpTokens {
  /** Returns the token to send now. */
  current(): Promise<string>
  /** Returns another token in place of one that the server rejected. */
  replace(rejected: string): Promise<string>
  /** Ends the grant of a token that was rejected although it is new. Returns the failure to report. */
  reject(rejected: string): Promise<PullFailure>
  /** Notes that the server asks for more scopes. Returns the failure to report. */
  lackScopes(challenge: Challenge): Promise<PullFailure>
}

/** The `Bearer` challenge of a `WWW-Authenticate` header. */
export interface Challenge {
  readonly error?: string | undefined
  readonly scope?: string | undefined
  readonly resourceMetadata?: string | undefined
}

/** A tool as its server describes it: data to show and compare, never instructions. */
export interface McpTool {
  readonly name: string
  readonly description: string | undefined
  readonly inputSchema: Record<string, unknown>
  /** The server says that calling it changes nothing. */
  readonly isReading: boolean
  /** Changes when the name, the description or what it takes changes. */
  readonly digest: string
}

/** What a pull from a server of tools is given. */
export interface ToolServerPort {
  /** Like the other one, with bodies as they arrive. */
  readonly fetch: typeof globalThis.fetch
  /** The source's server, opened with its credential. */
  readonly serverFor: (credential: string | undefined) => McpServer
  /** Looks at the tools of the server; resolves to the names of those that may be called. */
  readonly approve: (tools: readonly McpTool[]) => Promise<ReadonlySet<string>>
  /** Takes one call of the source's minute, and waits for it when the minute is used up. */
  readonly takeCall: () => Promise<void>
}

/** A piece of what a source has. The cursor is kept with the records, so that the next pull goes on after them. */
export interface PulledPage {
  readonly records: readonly MappedRecord[]
  readonly cursor: PullCursor
}

/** Reads what is new at a provider, page by page. Throws a PullFailure, or what its client throws. */
type Pull = (request: PullRequest) => AsyncIterable<PulledPage>

const UNAUTHORIZED = 401
const FORBIDDEN = 403
const ABSENT = [404, 410, 451]
const TOO_MANY = 429
const FAILED = 500

/** What a status of a provider means for a pull. */
export function reasonOfStatus(status: number): PullFailureReason {
  if (status === UNAUTHORIZED) return 'credential_refused'
  if (status === FORBIDDEN) return 'forbidden'
  if (ABSENT.includes(status)) return 'not_found'
  if (status === TOO_MANY) return 'rate_limited'
  return status >= FAILED ? 'provider_failed' : 'unreadable'
}

const HEX = /^[0-9a-f]{64}$/i

/** Whether `signature` is the HMAC-SHA-256 of the signed bytes in hexadecimal, told in constant time. */
export function isHmac(secret: string, signed: string | Uint8Array, signature: string | undefined): boolean {
  if (signature === undefined || !HEX.test(signature)) return false
  return sameDigest(hmacSha256(Buffer.from(secret), signed), Buffer.from(signature, 'hex'))
}
