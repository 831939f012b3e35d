import type { Head } from '../db/head.ts'

/** Returns true for the content of a row: encrypted if the sandbox has a customer-managed key, else not. */
export type IsContent = (content: Uint8Array) => boolean

/** The stored data of a sandbox, independent of its head. */
export interface NewestStored {
  /** The newest complete state. This is the head itself if it names that state. Undefined if no state is complete. */
  readonly head: Head | undefined
  /** True if there is no dataset. */
  readonly isEmpty: boolean
  /** Number of live records. */
  readonly records: number
  /** The commit of its newest row, if the state differs from the head's. */
  readonly storedSeq?: number
  /** Descriptions of unreadable or omitted data. */
  readonly notes: readonly string[]
  /** Restores the renamed manifests. Nothing can be opened while broken ones are in place. */
  restoreNames(): Promise<void>
}
