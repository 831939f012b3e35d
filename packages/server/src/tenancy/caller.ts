import type { Id, MemberRole, OAuthScope } from '@cairnstore/contract'

/** What a caller acts by. Its id is no secret: the audit log and stored replies name it. */
export type Credential =
  | { readonly kind: 'api_key'; readonly id: Id<'key'> }
  /** Acts as the grantee of a connection, in that connection's sandbox and by its role alone. */
  | {
      readonly kind: 'connection_key'
      readonly id: Id<'key'>
      readonly connectionId: Id<'connection'>
      readonly sandboxId: Id<'sandbox'>
    }
  /** One id for all tokens of an account, so that a request repeated with a fresh token is the same request. */
  | {
      readonly kind: 'jwt'
      readonly id: `jwt_${string}`
      /** The scopes of this service that the token grants; undefined when it names none. */
      readonly scopes?: readonly OAuthScope[]
    }
  /** A browser that is signed in. Its cookie opens neither agents' endpoints nor the operator's operations. */
  | { readonly kind: 'session'; readonly id: Id<'session'> }
  | { readonly kind: 'admin_key'; readonly id: 'admin_key' }

/** A person of an account, as a caller. */
export interface CallerMember {
  readonly id: Id<'member'>
  /** The account that the member belongs to. */
  readonly tenantId: string
  readonly role: MemberRole
}

/** Who asks: the account that acts, and the credential it acts by. The operator has no account: an empty id. */
export interface Caller {
  /** The account, or the id of the member. */
  readonly accountId: string
  readonly credential: Credential
  /** Undefined for a caller who acts as an account. */
  readonly member?: CallerMember
  /** An owner asks with the reach of this account: secrets of the account itself are not shown. */
  readonly isSeenByOwner?: true
}

/** Returns the account that a caller acts in: its own, or that of the member. */
export function tenantOf({ accountId, member }: Pick<Caller, 'accountId' | 'member'>): string {
  return member?.tenantId ?? accountId
}

/** Returns true if the caller has the powers of the account itself, as its owners and admins have. */
export function isManaging({ member }: Pick<Caller, 'member'>): boolean {
  return member === undefined || member.role === 'owner' || member.role === 'admin'
}

/** Returns the account or member whose sandboxes and grants a caller has: owners and admins have the account's. */
export function holderOf(caller: Caller): string {
  return isManaging(caller) ? tenantOf(caller) : caller.accountId
}
