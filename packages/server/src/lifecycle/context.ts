import type { Operations } from '@cairnstore/contract'
import type { SourcesApp } from '../sources/context.ts'
import type { HandlersOf } from '../tenancy/handler.ts'
import type { Request } from '../tenancy/request.ts'
import type { Janitor } from './erasure/janitor.ts'

/** What the rooms up to `lifecycle/` share: what erases, and what is below it. */
export interface LifecycleApp extends SourcesApp {
  readonly janitor: Janitor
}

/** What a handler of this floor works with: the program as far as it sees it, and this request. */
export interface LifecycleCtx extends LifecycleApp, Request {}

/** A handler for each operation of a set; one that nobody answers does not compile. */
export type LifecycleHandlers<Ops extends Operations> = HandlersOf<Ops, LifecycleCtx>
