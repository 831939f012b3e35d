import type { Operations } from '@cairnstore/contract'
import type { App as TenancyApp } from '../tenancy/context.ts'
import type { HandlersOf } from '../tenancy/handler.ts'
import type { Request } from '../tenancy/request.ts'
import type { Planes } from './planes.ts'

/** What the rooms up to `store/` share: what sandboxes know, and what is below it. */
export interface App extends TenancyApp, Planes {}

/** What a handler of this floor works with: the program as far as it sees it, and this request. */
export interface Ctx extends App, Request {}

/** A handler for each operation of a set; one that nobody answers does not compile. */
export type Handlers<Ops extends Operations> = HandlersOf<Ops, Ctx>
