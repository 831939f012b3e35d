import type { Observe } from '../base/observe.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { StorageRoot } from './port.ts'
import type { RankThreads } from './ranking/rank-threads.ts'
import type { VectorSpace } from './vector-space.ts'

/** Memory limits for graphs, in bytes. */
interface GraphCacheBounds {
  /** Limit for the graphs of all sandboxes. */
  graphBytesMax: number
  /** Limit for all small graphs. They also count towards the other limit. */
  smallGraphBytesMax: number
}

/** Maximum bytes of a small graph. It is rebuilt within 100 ms. */
const SMALL_GRAPH_BYTES = 2 ** 20

/**
 * LRU cache of graphs by sandbox id. Small graphs have a separate limit, so that many rarely used sandboxes do not
 * evict a large graph, which takes a minute to build.
 */
export class GraphCache<T> {
  readonly #bounds: GraphCacheBounds
  readonly #onDropped: (value: T) => void
  readonly #entries = new Map<string, { value: T; bytes: number }>()
  #bytes = 0
  #smallBytes = 0
  #evicted = 0

  /** @param dropped called for each dropped graph */
  constructor(bounds: GraphCacheBounds, dropped: (value: T) => void = () => undefined) {
    this.#bounds = bounds
    this.#onDropped = dropped
  }

  get size(): number {
    return this.#entries.size
  }

  /** Bytes of all graphs, as last measured. */
  get bytes(): number {
    return this.#bytes
  }

  /** Ids of the sandboxes with a graph. */
  get ids(): Iterable<string> {
    return this.#entries.keys()
  }

  /** Number of evicted graphs since this cache was created. */
  get evicted(): number {
    return this.#evicted
  }

  /** Returns the bytes of a sandbox's graph, as last measured. */
  bytesOf(id: string): number {
    return this.#entries.get(id)?.bytes ?? 0
  }

  find(id: string): T | undefined {
    return this.#entries.get(id)?.value
  }

  /** Returns the value of a sandbox, created if needed, and marks it as most recently used. */
  use(id: string, make: () => T): T {
    const entry = this.#entries.get(id) ?? { value: make(), bytes: 0 }
    this.#entries.delete(id)
    this.#entries.set(id, entry)
    return entry.value
  }

  /** Sets the size of a sandbox's graph in bytes. Does nothing if `value` has been replaced or dropped. */
  updateSize(id: string, value: T, bytes: number): void {
    const entry = this.#entries.get(id)
    if (entry?.value !== value) return
    this.#count(entry.bytes, -1)
    entry.bytes = bytes
    this.#count(bytes, 1)
  }

  /** Evicts the least recently used graphs until the limits hold. Keeps the most recently used one. */
  evict(): void {
    let left = this.#entries.size
    for (const [id, { bytes }] of this.#entries) {
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

  drop(id: string): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    this.#count(entry.bytes, -1)
    this.#entries.delete(id)
    this.#onDropped(entry.value)
  }

  clear(): void {
    for (const id of [...this.#entries.keys()]) this.drop(id)
  }

  #count(bytes: number, sign: 1 | -1): void {
    this.#bytes += sign * bytes
    if (isSmall(bytes)) this.#smallBytes += sign * bytes
  }
}

function isSmall(bytes: number): boolean {
  return bytes <= SMALL_GRAPH_BYTES
}

/** Limits of the graphs, and the vectors that they contain. */
export interface GraphSettings extends Partial<GraphCacheBounds> {
  /** Vector space to load. Vectors are not read if it is omitted. */
  space?: VectorSpace | undefined
  /** Threads that rank in large graphs. Ranking runs on the main thread if omitted. */
  threads?: RankThreads | undefined
  /** HMAC key for index snapshots. No snapshots are written or read if it is omitted. */
  snapshotKey?: Uint8Array | undefined
  observe?: Observe
}

/** Statistics of the graphs in memory, since the process started. */
export interface GraphCacheStats {
  graphs: number
  bytes: number
  bytesMax: number
  /** Number of graphs evicted to free memory. */
  evicted: number
  /** Number of graphs that did not fit in memory. */
  refused: number
}

/** Returns the storage root of a sandbox, the same object until it changes. Undefined is the platform's storage. */
export type RootOf = (sandbox: SandboxRef) => Promise<StorageRoot | undefined>
