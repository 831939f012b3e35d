import type { Operations } from '@cairnstore/contract'
import type { Recognisers } from '../documents/document.ts'
import type { IngestApp } from '../ingest/context.ts'
import type { HandlersOf } from '../tenancy/handler.ts'
import type { Request } from '../tenancy/request.ts'
import type { Deliveries } from './deliveries/deliveries.ts'
import type { Spools } from './import/spools.ts'
import type { Poller } from './polling/poller.ts'
import type { Tracker } from './tool-servers/tool-port.ts'

/** What the rooms up to `sources/` share: what brings records, and what is below it. */
export interface SourcesApp extends IngestApp {
  readonly poller: Poller
  readonly deliveries: Deliveries
  readonly tracker: Tracker
  /** Where uploads wait that have to be read out of order. */
  readonly spools: Spools
  /** Read pictures and sounds, where they are configured. */
  readonly recognisers: Recognisers
}

/** What a handler of this floor works with: the program as far as it sees it, and this request. */
export interface SourcesCtx extends SourcesApp, Request {}

/** A handler for each operation of a set; one that nobody answers does not compile. */
export type SourcesHandlers<Ops extends Operations> = HandlersOf<Ops, SourcesCtx>
