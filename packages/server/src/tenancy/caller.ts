import type { Id, MemberRole, OAuthScope } from '@cairnstore/contract'

/** Credential of a caller. Its id is not secret and appears in the audit log and in stored responses. */
export type Credential =
  | { readonly kind: 'api_key'; readonly id: Id<'key'> }
  /** Acts as the grantee of a connection, only in that connection's sandbox and with its role. */
  | {
      readonly kind: 'connection_key'
      readonly id: Id<'key'>
      readonly connectionId: Id<'connection'>
      readonly sandboxId: Id<'sandbox'>
    }
  /** All tokens of an account share one id, so that a retry with a fresh token counts as the same request. */
  | {
      readonly kind: 'jwt'
      readonly id: `jwt_${string}`
      /** The scopes of this service in the token; undefined if it contains none. */
      readonly scopes?: readonly OAuthScope[]
    }
  /** A signed-in browser. Its cookie is not valid at agent endpoints or for operator operations. */
  | { readonly kind: 'session'; readonly id: Id<'session'> }
  | { readonly kind: 'admin_key'; readonly id: 'admin_key' }

export interface CallerMember {
  readonly id: Id<'member'>
  /** The account of the member. */
  readonly tenantId: string
  readonly role: MemberRole
}

/** Account and credential of a request. The operator has no account and an empty id. */
export interface Caller {
  /** Id of the account or of the member. */
  readonly accountId: string
  readonly credential: Credential
  /** Undefined if the caller acts as an account. */
  readonly member?: CallerMember
  /** True if an owner uses this account's access scope. Secrets of the account are then hidden. */
  readonly isSeenByOwner?: true
}

/** Returns the account of a caller: its own, or the member's account. */
export function tenantOf({ accountId, member }: Pick<Caller, 'accountId' | 'member'>): string {
  return member?.tenantId ?? accountId
}

/** Returns true if the caller has the rights of the account, as its owners and admins do. */
export function isManaging({ member }: Pick<Caller, 'member'>): boolean {
  return member === undefined || member.role === 'owner' || member.role === 'admin'
}

/** Returns the holder of the caller's sandboxes and grants. Owners and admins have those of the account. */
export function holderOf(caller: Caller): string {
  return isManaging(caller) ? tenantOf(caller) : caller.accountId
}
