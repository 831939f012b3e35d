import type { TenancyApp } from '../tenancy/context.ts'
import type { Request } from '../tenancy/request.ts'
import type { Planes } from './planes.ts'

/** What the rooms up to `store/` share: what sandboxes know, and what is below it. */
export interface StoreApp extends TenancyApp, Planes {}

/** What a handler of this floor works with: the program as far as it sees it, and this request. */
export interface Ctx extends StoreApp, Request {}
