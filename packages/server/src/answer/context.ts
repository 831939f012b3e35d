import type { Operations } from '@cairnstore/contract'
import type { IngestApp } from '../ingest/context.ts'
import type { HandlersOf } from '../tenancy/handler.ts'
import type { Request } from '../tenancy/request.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { Models } from './models/open-models.ts'
import type { RowCache } from './rows/row-cache.ts'

/** The worker that sends what changed to those who asked for it, one message to each at a time over all processes. */
export interface Deliverer {
  /** Says that there may be something to send. */
  wake(): void
  /** Messages since the program began, by what became of them. */
  read(): { outcome: string; count: number }[]
  /** Breaks off what is under way, which is sent again, and stops. */
  stop(): Promise<void>
}

/** The worker that asks the questions of evaluations. */
export interface Evaluator {
  /** Looks for evaluations of a sandbox that was just given some, and holds its key if there is one. */
  wake(sandbox: SandboxRef): void
  /** Stops the worker and releases its evaluations to other processes. */
  stop(): Promise<void>
}

/** What the rooms up to `answer/` share: what answers, and what is below it. */
export interface AnswerApp extends IngestApp {
  readonly rows: RowCache
  readonly models: Models
  readonly deliverer: Deliverer
  readonly evaluator: Evaluator
}

/** What a handler of this floor works with: the program as far as it sees it, and this request. */
export interface AnswerCtx extends AnswerApp, Request {}

/** A handler for each operation of a set; one that nobody answers does not compile. */
export type AnswerHandlers<Ops extends Operations> = HandlersOf<Ops, AnswerCtx>
