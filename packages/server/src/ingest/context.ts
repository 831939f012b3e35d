import type { Operations } from '@cairnstore/contract'
import type { StoreApp } from '../store/planes.ts'
import type { HandlersOf } from '../tenancy/handler.ts'
import type { Request } from '../tenancy/request.ts'
import type { Applier } from './applier.ts'

/** What the rooms up to `ingest/` share: what applies records, and what is below it. */
export interface IngestApp extends StoreApp {
  readonly applier: Applier
}

/** What a handler of this floor works with: the program as far as it sees it, and this request. */
export interface IngestCtx extends IngestApp, Request {}

/** A handler for each operation of a set; one that nobody answers does not compile. */
export type IngestHandlers<Ops extends Operations> = HandlersOf<Ops, IngestCtx>
