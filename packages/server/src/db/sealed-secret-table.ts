import type { Generated } from 'kysely'

/** A secret that can be read again, sealed under the data key of its account. */
export interface SealedSecretTable {
  user_id: string
  sandbox_id: string
  ref: string
  /** Empty when a vault has it. */
  sealed: Buffer
  sealed_at: Date
  /** Which version of it a vault has; 0 when it was removed. Null: it is sealed here. */
  vault_version: number | null
  /** Whether the vault has nothing else under the reference. */
  vault_settled: Generated<boolean>
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
