import type { Operations } from '@cairnstore/contract'
import type { IngestApp } from '../ingest/context.ts'
import type { HandlersOf } from '../tenancy/handler.ts'
import type { Request } from '../tenancy/request.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { Models } from './models/open-models.ts'
import type { RowCache } from './rows/row-cache.ts'

/** Background worker that delivers webhook messages. A webhook receives one message at a time, over all processes. */
export interface Deliverer {
  /** Wakes the worker, because there may be new messages. */
  wake(): void
  /** Returns the number of deliveries since the process started, by outcome. */
  read(): { outcome: string; count: number }[]
  /** Stops the worker. Aborts running deliveries, which are retried later. */
  stop(): Promise<void>
}

/** Background worker that runs the questions of evaluations. */
export interface Evaluator {
  /** Wakes the worker for a sandbox with new evaluations. It retains the sandbox's customer-managed key, if any. */
  wake(sandbox: SandboxRef): void
  /** Stops the worker. Other processes can then continue its evaluations. */
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
