import type { Generated } from 'kysely'

/** A secret that can be read again, sealed under the data key of its account. */
export interface SealedSecretTable {
  user_id: string
  sandbox_id: string
  ref: string
  sealed: Buffer
  sealed_at: Date
}

/** An account's data key, sealed under the master key with this fingerprint. */
export interface DataKeyTable {
  user_id: string
  wrapped: Buffer
  fingerprint: Buffer
  wrapped_at: Date
}

/** The one master key that the database is used with. */
export interface MasterKeyTable {
  is_only: Generated<boolean>
  fingerprint: Buffer
  noted_at: Date
}
