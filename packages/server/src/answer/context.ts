import type { Operations } from '@cairnstore/contract'
import type { IngestApp } from '../ingest/context.ts'
import type { HandlersOf } from '../tenancy/handler.ts'
import type { Request } from '../tenancy/request.ts'
import type { Models } from './models/open-models.ts'
import type { RowCache } from './rows/row-cache.ts'
import type { Deliverer } from './webhooks/deliverer.ts'

/** What the rooms up to `answer/` share: what answers, and what is below it. */
export interface AnswerApp extends IngestApp {
  readonly rows: RowCache
  readonly models: Models
  readonly deliverer: Deliverer
}

/** What a handler of this floor works with: the program as far as it sees it, and this request. */
export interface AnswerCtx extends AnswerApp, Request {}

/** A handler for each operation of a set; one that nobody answers does not compile. */
export type AnswerHandlers<Ops extends Operations> = HandlersOf<Ops, AnswerCtx>
