import type { Operations } from '@cairnstore/contract'
import type { StoreApp } from '../store/planes.ts'
import type { HandlersOf } from '../tenancy/handler.ts'
import type { Request } from '../tenancy/request.ts'
import type { Applier } from './applier.ts'

/** Dependencies of the packages up to `ingest/`, including the applier. */
export interface IngestApp extends StoreApp {
  readonly applier: Applier
}

export interface IngestCtx extends IngestApp, Request {}

export type IngestHandlers<Ops extends Operations> = HandlersOf<Ops, IngestCtx>
