import type { Operation, Operations } from '@cairnstore/contract'
import type { AnswerApp } from '../answer/context.ts'
import type { LifecycleApp } from '../lifecycle/context.ts'
import type { HandlerOf, HandlersOf } from '../tenancy/handler.ts'
import type { CallingRequest } from '../tenancy/request.ts'

/** Services shared by `http/` and all modules below it. */
export interface HttpApp extends LifecycleApp, AnswerApp {}

export interface HttpCtx extends HttpApp, CallingRequest {}

export type Handler<O extends Operation> = HandlerOf<O, HttpCtx>

export type HttpHandlers<Ops extends Operations> = HandlersOf<Ops, HttpCtx>
