import type { Operations } from '@cairnstore/contract'
import type { SourcesApp } from '../sources/context.ts'
import type { HandlersOf } from '../tenancy/handler.ts'
import type { Request } from '../tenancy/request.ts'
import type { Janitor } from './erasure/janitor.ts'

/** Dependencies of the packages up to `lifecycle/`, including the janitor. */
export interface LifecycleApp extends SourcesApp {
  readonly janitor: Janitor
}

export interface LifecycleCtx extends LifecycleApp, Request {}

export type LifecycleHandlers<Ops extends Operations> = HandlersOf<Ops, LifecycleCtx>
