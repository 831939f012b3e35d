import type { featureOperations, mcpOperations, Operation, Operations } from '@cairnstore/contract'
import type { App as AnswerApp } from '../answer/context.ts'
import type { App as LifecycleApp } from '../lifecycle/context.ts'
import type { HandlersOf, InputOf, ReplyOf } from '../tenancy/handler.ts'
import type { Request } from '../tenancy/request.ts'

/** What an operation is called with: its input without what the request has anyway. */
export interface Given {
  /** Path parameters beside the sandbox's id. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  /** How long to wait for background work, in seconds. */
  readonly waitSeconds?: number
}

type Callable = Omit<typeof featureOperations, keyof typeof mcpOperations>
type GivenOf<O extends Operation> = Given & {
  readonly body?: InputOf<O>['body']
  readonly query?: Partial<NonNullable<InputOf<O>['query']>>
}

/**
 * Calls another operation as the caller of this request, in its sandbox, by that operation's role, limits, rules, turn
 * and audit event; gives what it replies. Throws its faults.
 */
export type Call = <K extends keyof Callable>(id: K, given: GivenOf<Callable[K]>) => Promise<ReplyOf<Callable[K]>>

/** What the rooms up to `mcp/` share: the whole program, and what is below it. */
export interface App extends LifecycleApp, AnswerApp {
  /** Whose tokens are believed; null where no issuer is configured. */
  readonly tokenIssuer: string | null
}

/** What a handler of this floor works with: the program as far as it sees it, and this request. */
export interface Ctx extends App, Request {
  /** The way to other operations, for an operation that is declared to have one. */
  readonly call: Call
}

/** A handler for each operation of a set; one that nobody answers does not compile. */
export type Handlers<Ops extends Operations> = HandlersOf<Ops, Ctx>
