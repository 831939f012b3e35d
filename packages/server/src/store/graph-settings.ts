import type { Observe } from '../base/observe.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { GraphBounds } from './held-graphs.ts'
import type { StorageRoot } from './port.ts'
import type { RankThreads } from './ranking/rank-threads.ts'
import type { VectorSpace } from './vector-space.ts'

/** What graphs may take, and which vectors they hold. */
export interface GraphSettings extends Partial<GraphBounds> {
  /** Of which the vectors are that they have; without it no vector is read. */
  space?: VectorSpace | undefined
  /** That rank in large graphs; without them all are ranked on the thread that serves. */
  threads?: RankThreads | undefined
  observe?: Observe
}

/** The graphs that are held, and what became of others since the program began. */
export interface HeldFigures {
  graphs: number
  bytes: number
  bytesMax: number
  /** Dropped for others. */
  evicted: number
  /** Found not to fit. */
  refused: number
}

/** Where a sandbox's datasets are, the same object as before while nothing has changed; undefined: the platform's. */
export type RootOf = (sandbox: SandboxRef) => Promise<StorageRoot | undefined>
