import type { Id, OAuthScope } from '@cairnstore/contract'

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
  | { readonly kind: 'admin_key'; readonly id: 'admin_key' }

/** Who asks: the account that acts, and the credential it acts by. The operator has no account: an empty id. */
export interface Caller {
  readonly accountId: string
  readonly credential: Credential
  /** An owner asks with the reach of this account: secrets of the account itself are not shown. */
  readonly isSeenByOwner?: true
}
