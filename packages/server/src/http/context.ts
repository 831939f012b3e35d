import type { Operation, Operations } from '@cairnstore/contract'
import type { AnswerApp } from '../answer/context.ts'
import type { LifecycleApp } from '../lifecycle/context.ts'
import type { HandlerOf, HandlersOf } from '../tenancy/handler.ts'
import type { CallingRequest } from '../tenancy/request.ts'

/** Services shared by `http/` and all modules below it. */
export interface HttpApp extends LifecycleApp, AnswerApp {}

/** Context of a handler in this layer: the application's services and the request. */
export interface HttpCtx extends HttpApp, CallingRequest {}

export type Handler<O extends Operation> = HandlerOf<O, HttpCtx>

/** One handler for each operation of a set. A missing handler is a compile error. */
export type HttpHandlers<Ops extends Operations> = HandlersOf<Ops, HttpCtx>
