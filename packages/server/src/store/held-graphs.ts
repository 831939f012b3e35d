import type { Observe } from '../base/observe.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { StorageRoot } from './port.ts'
import type { RankThreads } from './ranking/rank-threads.ts'
import type { VectorSpace } from './vector-space.ts'

/** How much memory graphs may take. */
interface GraphBounds {
  /** Those of all sandboxes together. */
  graphBytesMax: number
  /** Of that the small ones together. */
  smallGraphBytesMax: number
}

/** A graph up to this size is built anew within a tenth of a second. */
const SMALL_GRAPH_BYTES = 2 ** 20

/**
 * What is held of sandboxes, by id, the least recently used first. Small graphs have a bound of their own: so many
 * sandboxes that are each asked once drop one another and not the large graph that takes a minute to build.
 */
export class HeldGraphs<T> {
  readonly #bounds: GraphBounds
  readonly #dropped: (value: T) => void
  readonly #held = new Map<string, { value: T; bytes: number }>()
  #bytes = 0
  #smallBytes = 0
  #evicted = 0

  /** @param dropped told of each that is held no more */
  constructor(bounds: GraphBounds, dropped: (value: T) => void = () => undefined) {
    this.#bounds = bounds
    this.#dropped = dropped
  }

  /** How many graphs there are. */
  get size(): number {
    return this.#held.size
  }

  /** Bytes of all graphs, as they were weighed last. */
  get bytes(): number {
    return this.#bytes
  }

  /** The sandboxes of which something is held. */
  get ids(): Iterable<string> {
    return this.#held.keys()
  }

  /** How many graphs were dropped for others since this was made. */
  get evicted(): number {
    return this.#evicted
  }

  /** Bytes of the graph of a sandbox, as it was weighed last. */
  bytesOf(id: string): number {
    return this.#held.get(id)?.bytes ?? 0
  }

  /** What is held of a sandbox. */
  find(id: string): T | undefined {
    return this.#held.get(id)?.value
  }

  /** What is held of a sandbox, which is the most recently used from here on. */
  use(id: string, make: () => T): T {
    const held = this.#held.get(id) ?? { value: make(), bytes: 0 }
    this.#held.delete(id)
    this.#held.set(id, held)
    return held.value
  }

  /**
   * Notes how many bytes the graph of a sandbox takes. Does nothing where `value` has been replaced or dropped
   * meanwhile.
   */
  weigh(id: string, value: T, bytes: number): void {
    const held = this.#held.get(id)
    if (held?.value !== value) return
    this.#count(held.bytes, -1)
    held.bytes = bytes
    this.#count(bytes, 1)
  }

  /** Drops what was used longest ago, until the others are within bounds; what was used last stays. */
  evict(): void {
    let left = this.#held.size
    for (const [id, { bytes }] of this.#held) {
      left -= 1
      const { graphBytesMax, smallGraphBytesMax } = this.#bounds
      const isOver = this.#bytes > graphBytesMax
      const isSmallOver = this.#smallBytes > smallGraphBytesMax
      if (left === 0 || !(isOver || isSmallOver)) return
      if (!isOver && !isSmall(bytes)) continue
      this.#evicted += 1
      this.drop(id)
    }
  }

  /** Drops what is held of a sandbox. */
  drop(id: string): void {
    const held = this.#held.get(id)
    if (held === undefined) return
    this.#count(held.bytes, -1)
    this.#held.delete(id)
    this.#dropped(held.value)
  }

  /** Drops everything. */
  clear(): void {
    for (const id of [...this.#held.keys()]) this.drop(id)
  }

  #count(bytes: number, sign: 1 | -1): void {
    this.#bytes += sign * bytes
    if (isSmall(bytes)) this.#smallBytes += sign * bytes
  }
}

function isSmall(bytes: number): boolean {
  return bytes <= SMALL_GRAPH_BYTES
}

/** What graphs may take, and which vectors they hold. */
export interface GraphSettings extends Partial<GraphBounds> {
  /** Of which the vectors are that they have; without it no vector is read. */
  space?: VectorSpace | undefined
  /** That rank in large graphs; without them all are ranked on the thread that serves. */
  threads?: RankThreads | undefined
  /** Signs images of graphs; without it none is kept, and none is read. */
  imageKey?: Uint8Array | undefined
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
