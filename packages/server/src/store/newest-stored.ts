import type { Head } from '../db/head.ts'

/** Returns true if content has the right form: ciphertext with a customer-managed key, or plaintext without one. */
export type IsContent = (content: Uint8Array) => boolean

/** The stored data of a sandbox, independent of its head. */
export interface NewestStored {
  /** The newest complete state. This is the head itself if it names that state. Undefined if no state is complete. */
  readonly head: Head | undefined
  /** True if there is no dataset. */
  readonly isEmpty: boolean
  /** Number of live records. */
  readonly records: number
  /** Commit of the newest row, if the state differs from the head's. */
  readonly storedSeq?: number
  /** Descriptions of unreadable or omitted data. */
  readonly notes: readonly string[]
  /** Restores the names of broken manifests. Their datasets can no longer be opened after that. */
  restoreNames(): Promise<void>
}
