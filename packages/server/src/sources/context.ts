import type { Operations } from '@cairnstore/contract'
import type { Recognisers } from '../documents/document.ts'
import type { DocumentReaders } from '../documents/processes/open-document-readers.ts'
import type { IngestApp } from '../ingest/context.ts'
import type { HandlersOf } from '../tenancy/handler.ts'
import type { Request } from '../tenancy/request.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { Deliveries } from './deliveries/door/deliveries.ts'
import type { Spools } from './import/uploads/spools.ts'
import type { OAuth } from './oauth/oauth-port.ts'

/** The worker that reads sources when they are due, one pull of each at a time over all processes. */
export interface Poller {
  /** Says that a source is due. */
  wake(): void
  /** Keeps the key that is held at the moment for the sandbox's pulls that need it, until they have ended. */
  keepKey(sandbox: SandboxRef): void
  /** Pulls since the program began, by what became of them. */
  read(): { outcome: string; count: number }[]
  /** Ends the pulls under way, which other processes go on with, and stops. */
  stop(): Promise<void>
}

/** Where the tracker's server of tools is, and the way to it. */
export interface Tracker {
  readonly url: string
  readonly fetch: typeof globalThis.fetch
}

/** What the rooms up to `sources/` share: what brings records, and what is below it. */
export interface SourcesApp extends IngestApp {
  readonly poller: Poller
  readonly deliveries: Deliveries
  readonly tracker: Tracker
  /** This service as a client of authorization servers. */
  readonly oauth: OAuth
  /** Where uploads wait that have to be read out of order. */
  readonly spools: Spools
  /** Parse files in separate processes. */
  readonly documents: DocumentReaders
  /** Read pictures and sounds, where they are configured. */
  readonly recognisers: Recognisers
}

/** What a handler of this floor works with: the program as far as it sees it, and this request. */
export interface SourcesCtx extends SourcesApp, Request {}

/** A handler for each operation of a set; one that nobody answers does not compile. */
export type SourcesHandlers<Ops extends Operations> = HandlersOf<Ops, SourcesCtx>
