import type { Operation, Operations } from '@cairnstore/contract'
import type { AnswerApp } from '../answer/context.ts'
import type { LifecycleApp } from '../lifecycle/context.ts'
import type { HandlerOf, HandlersOf } from '../tenancy/handler.ts'
import type { CallingRequest } from '../tenancy/request.ts'

/** What the rooms up to HTTP share: the whole program, and what is below it. */
export interface HttpApp extends LifecycleApp, AnswerApp {}

/** What a handler of this floor works with: the program as far as it sees it, and this request. */
export interface HttpCtx extends HttpApp, CallingRequest {}

/** Answers one operation. */
export type Handler<O extends Operation> = HandlerOf<O, HttpCtx>

/** A handler for each operation of a set; one that nobody answers does not compile. */
export type HttpHandlers<Ops extends Operations> = HandlersOf<Ops, HttpCtx>
