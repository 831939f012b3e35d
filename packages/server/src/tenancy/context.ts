import type { Operations } from '@cairnstore/contract'
import type { SafeFetch } from '../base/safe-fetch.ts'
import type { Authenticator } from './accounts/authenticate.ts'
import type { HandlersOf } from './handler.ts'
import type { Rates } from './limits/rates.ts'
import type { Oidc } from './oidc/oidc.ts'
import type { Planes } from './planes.ts'
import type { Request } from './request.ts'

/** What the rooms up to `tenancy/` share: the control plane, and what is below it. */
export interface TenancyApp extends Planes {
  readonly authenticator: Authenticator
  readonly rates: Rates
  /** The way to addresses that users chose. */
  readonly network: SafeFetch
  /** Signs the codes that sign in to the console. */
  readonly signInKey: Uint8Array
  /** Whose tokens are believed; null where no issuer is configured. */
  readonly tokenIssuer: string | null
  /** The identity provider with which people sign in; null where none is configured. */
  readonly oidc: Oidc | null
  /** Where the console is; null where it is not served. */
  readonly consoleUrl: string | null
}

/** What a handler of this floor works with: the program as far as it sees it, and this request. */
export interface TenancyCtx extends TenancyApp, Request {}

/** A handler for each operation of a set; one that nobody answers does not compile. */
export type TenancyHandlers<Ops extends Operations> = HandlersOf<Ops, TenancyCtx>
