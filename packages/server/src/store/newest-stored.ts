import type { Head } from '../db/head.ts'

/** Whether bytes can be the content of a row of the sandbox: sealed where it is under a key, and else not. */
export type IsContent = (content: Uint8Array) => boolean

/** What is stored of a sandbox, whatever its head says. */
export interface NewestStored {
  /** The newest state that is whole: the head itself where that names it; undefined where none is. */
  readonly head: Head | undefined
  /** No dataset is there at all. */
  readonly isEmpty: boolean
  /** Live records in it. */
  readonly records: number
  /** The commit of its newest row, where it is another state than the head's. */
  readonly storedSeq?: number
  /** What could not be read or was left out. */
  readonly notes: readonly string[]
  /** Brings back what was set aside to read it, as nothing can be opened while that is there. */
  putBack(): Promise<void>
}
