import type { PullFailureReason } from '../../base/pull-failure.ts'
import type { MappedRecord, Settings } from './draft.ts'

/** How far a source has been read, in its connector's own words. */
export type PullCursor = Readonly<Record<string, unknown>>

/** What a pull is given. */
export interface PullRequest {
  readonly settings: Settings
  /** The credential that was given for the source, when there is one. */
  readonly credential: string | undefined
  /** The cursor of the latest page that was kept; undefined when there is none. */
  readonly cursor: PullCursor | undefined
  /** From when at the latest everything is read again. It only reaches further back, so that nothing is skipped. */
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

/** What a tool server is opened with. It goes to the server's own address and nowhere else. */
export type McpAuth =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'header'; readonly name: string; readonly token: string }

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
export type Pull = (request: PullRequest) => AsyncIterable<PulledPage>

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
