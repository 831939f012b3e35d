import type { Operations } from '@cairnstore/contract'
import type { Recognisers } from '../documents/document.ts'
import type { DocumentReaders } from '../documents/processes/open-document-readers.ts'
import type { IngestApp } from '../ingest/context.ts'
import type { HandlersOf } from '../tenancy/handler.ts'
import type { Request } from '../tenancy/request.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { FindProfile } from './connectors/mcp/profile-for.ts'
import type { Deliveries } from './deliveries/ingress/deliveries.ts'
import type { Spools } from './import/uploads/spools.ts'
import type { OAuth } from './oauth/oauth-port.ts'

/** Worker that polls due sources, with one pull per source at a time across all processes. */
export interface Poller {
  /** Starts a search for due sources at once. */
  wake(): void
  /** Retains the sandbox's key until the pulls that need it have ended. The key must be in memory now. */
  retainKey(sandbox: SandboxRef): void
  /** Returns the number of pulls since the process started, by outcome. */
  read(): { outcome: string; count: number }[]
  /** Stops the worker. Running pulls end, and other processes continue them. */
  stop(): Promise<void>
}

/** Address of the tracker's MCP server and a `fetch` for it. */
export interface Tracker {
  readonly url: string
  readonly fetch: typeof globalThis.fetch
}

/** Services for the modules up to `sources/`: ingestion from sources, and the layers below. */
export interface SourcesApp extends IngestApp {
  readonly poller: Poller
  readonly deliveries: Deliveries
  readonly tracker: Tracker
  /** Returns the profile of a public MCP server. */
  readonly findProfile: FindProfile
  /** This service as a client of authorization servers. */
  readonly oauth: OAuth
  /** Temporary storage for uploads that must be read in any order. */
  readonly spools: Spools
  /** Parsers of documents, which run in child processes. */
  readonly documents: DocumentReaders
  /** Models that recognize text in pictures and recordings. Each is optional. */
  readonly recognisers: Recognisers
}

export interface SourcesCtx extends SourcesApp, Request {}

export type SourcesHandlers<Ops extends Operations> = HandlersOf<Ops, SourcesCtx>
