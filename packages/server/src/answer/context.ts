import type { Operations } from '@cairnstore/contract'
import type { IngestApp } from '../ingest/context.ts'
import type { HandlersOf } from '../tenancy/handler.ts'
import type { Request } from '../tenancy/request.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { Models } from './models/open-models.ts'
import type { RowCache } from './rows/row-cache.ts'

/** Worker that delivers webhook messages. Each webhook gets one message at a time across all processes. */
export interface Deliverer {
  /** Wakes the worker, because there may be messages to deliver. */
  wake(): void
  /** Returns the number of deliveries since the process started, by outcome. */
  read(): { outcome: string; count: number }[]
  /** Aborts running deliveries, which are retried later, and stops. */
  stop(): Promise<void>
}

/** Worker that runs the questions of evaluations. */
export interface Evaluator {
  /** Wakes the worker for a sandbox with new evaluations, and retains its customer-managed key if it has one. */
  wake(sandbox: SandboxRef): void
  /** Stops the worker and releases its evaluations to other processes. */
  stop(): Promise<void>
}

/** Services shared by `answer/` and the modules below it. */
export interface AnswerApp extends IngestApp {
  readonly rows: RowCache
  readonly models: Models
  readonly deliverer: Deliverer
  readonly evaluator: Evaluator
}

export interface AnswerCtx extends AnswerApp, Request {}

export type AnswerHandlers<Ops extends Operations> = HandlersOf<Ops, AnswerCtx>
