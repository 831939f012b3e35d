import type { Operations } from '@cairnstore/contract'
import type { SafeFetch } from '../base/safe-fetch.ts'
import type { Authenticator } from './accounts/authenticate.ts'
import type { HandlersOf } from './handler.ts'
import type { Rates } from './limits/rates.ts'
import type { Oidc } from './oidc/oidc.ts'
import type { Planes } from './planes.ts'
import type { Request } from './request.ts'

/** Services shared by `tenancy/` and the modules below it. */
export interface TenancyApp extends Planes {
  readonly authenticator: Authenticator
  readonly rates: Rates
  /** Guarded client for user-supplied URLs. */
  readonly network: SafeFetch
  /** Key that signs the codes of the console sign-in. */
  readonly signInKey: Uint8Array
  /** Issuer of accepted tokens; null if none is configured. */
  readonly tokenIssuer: string | null
  /** Identity provider for sign-in; null if none is configured. */
  readonly oidc: Oidc | null
  /** URL of the console; null if it is not served. */
  readonly consoleUrl: string | null
}

export interface TenancyCtx extends TenancyApp, Request {}

export type TenancyHandlers<Ops extends Operations> = HandlersOf<Ops, TenancyCtx>
