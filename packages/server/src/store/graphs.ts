import { GraphFull } from '@cairnstore/engine/rank'
import type { Log } from '../base/log.ts'
import { type Observe, unobserved } from '../base/observe.ts'
import { type Head, isNewer } from '../db/head.ts'
import type { ContentCipher } from '../tenancy/caller-keys/content-cipher.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { type BuildOptions, buildSandbox } from './build-sandbox.ts'
import { tieBreakerBytes } from './encrypted-tie-breakers.ts'
import { GraphCache, type GraphCacheStats, type GraphSettings, type RootOf } from './graph-cache.ts'
import { createGraphMemoryQuota, type GraphMemoryQuota, type Growth } from './graph-memory-quota.ts'
import { isIndexSnapshotDue, type WrittenSnapshot, writeIndexSnapshot } from './index-snapshots.ts'
import { type OpenedSandbox, type OpenedStore, putRows } from './opened-sandbox.ts'
import type { GraphColumns, StorageRoot, Stores } from './port.ts'

/** A sandbox with its customer-managed key, if the caller has it. */
export interface KeyedSandboxRef extends SandboxRef {
  readonly seal?: ContentCipher | undefined
}

interface Entry {
  opened: OpenedSandbox | undefined
  /** Serializes the catch-ups and rebuilds of one sandbox. */
  queue: Promise<unknown>
}

/** Default memory for graphs in bytes. It fits a million records of typical length. */
const GRAPH_BYTES_MAX = 2 ** 30
/** Limits of small graphs: bytes (about 2,000 sandboxes of 50 records), and a fraction of the memory for graphs. */
const SMALL_GRAPH_BYTES_MAX = 256 * 2 ** 20
const SMALL_GRAPHS_SHARE = 1 / 4
/** Graphs above this fraction of the memory are built one at a time. */
const LARGE_SHARE = 1 / 8
/** Maximum number of graphs with cached results. The cache of a small graph is as large as the graph. */
const ACTIVE_MAX = 128
/** Maximum number of new rows that are added to a graph. With more, a new graph is built and replaces it. */
const CATCH_UP_ROWS_MAX = 8_000

/** The graphs of the sandboxes in use, each at a head. */
export class Graphs {
  readonly #stores: Stores
  readonly #rootOf: RootOf
  readonly #parts: Pick<BuildOptions, 'space' | 'snapshotKey'>
  readonly #threads: GraphSettings['threads']
  readonly #entries: GraphCache<Entry>
  readonly #quota: GraphMemoryQuota
  readonly #bytesMax: number
  readonly #observe: Observe
  /** Resolves when the current build of a large graph ends. */
  #lastLargeBuild: Promise<void> = Promise.resolve()
  /** Sandboxes in order of last use, the most recent last. */
  readonly #active = new Set<string>()
  #builds = 0
  readonly #log: Log
  /** Called after each build of a graph that needs a new snapshot. */
  onBuilt: (sandbox: SandboxRef) => void = () => undefined

  constructor(
    stores: Stores,
    rootOf: RootOf,
    log: Log,
    { graphBytesMax = GRAPH_BYTES_MAX, smallGraphBytesMax, observe = unobserved, ...parts }: GraphSettings,
  ) {
    this.#observe = observe
    this.#stores = stores
    this.#rootOf = rootOf
    this.#log = log
    this.#parts = { space: parts.space, snapshotKey: parts.snapshotKey }
    this.#threads = parts.threads
    const smallMax = smallGraphBytesMax ?? Math.min(SMALL_GRAPH_BYTES_MAX, graphBytesMax * SMALL_GRAPHS_SHARE)
    this.#entries = new GraphCache({ graphBytesMax, smallGraphBytesMax: smallMax }, ({ opened }) =>
      opened?.threaded?.forget(),
    )
    this.#quota = createGraphMemoryQuota(graphBytesMax)
    this.#bytesMax = graphBytesMax
  }

  /** Returns the graph at the head or newer. Works without the key, too. Throws HeadGone or `sandbox_too_large`. */
  async openAt(sandbox: KeyedSandboxRef, head: Head): Promise<OpenedSandbox> {
    this.assertFits(sandbox)
    const root = await this.#rootOf(sandbox)
    const entry = this.#touch(sandbox)
    if (entry.opened && entry.opened.place.root !== root) {
      // The access key has changed, but the stored data has not.
      this.#stores.reopen(sandbox.userId, sandbox.sandboxId, root)
      entry.opened.place = this.storeAt(sandbox, root)
    }
    if (!entry.opened || isNewer(head, entry.opened.head)) {
      const catchUp = entry.queue.then(() => this.#catchUp(sandbox, entry, head, root))
      entry.queue = catchUp.catch(() => undefined)
      await catchUp
    }
    const opened = entry.opened as OpenedSandbox
    // If an erasure has dropped the entry, nothing would free the copy on the threads.
    if (this.#entries.find(sandbox.sandboxId) === entry) opened.threaded ??= this.#threads?.open(opened.graph)
    this.#updateSize(sandbox, entry)
    this.#entries.evict()
    return opened
  }

  /** Throws `sandbox_too_large` if the sandbox's graph was recently found not to fit. */
  assertFits({ sandboxId }: Pick<SandboxRef, 'sandboxId'>): void {
    this.#quota.assertKnownToFit(sandboxId)
  }

  /** Returns how much may be added to the sandbox, given the size of its graph in memory. */
  growthOf({ sandboxId }: Pick<SandboxRef, 'sandboxId'>): Growth {
    const docIdsLeft = this.#entries.find(sandboxId)?.opened?.graph.remainingDocs
    return this.#quota.growthLeft(this.#entries.bytesOf(sandboxId), docIdsLeft)
  }

  /** Returns true if the sandbox's graph has changed enough for a new index snapshot. */
  isSnapshotDue({ sandboxId }: SandboxRef): boolean {
    const opened = this.#entries.find(sandboxId)?.opened
    return opened !== undefined && isIndexSnapshotDue(opened)
  }

  /** Writes an index snapshot. Returns undefined without a graph in memory or a key for snapshots. */
  async writeSnapshot(
    { sandboxId }: SandboxRef,
    ...[name, seal, yieldIfDue]: [string, ContentCipher | undefined, () => Promise<void> | undefined]
  ): Promise<WrittenSnapshot | undefined> {
    const opened = this.#entries.find(sandboxId)?.opened
    const key = this.#parts.snapshotKey
    return opened && key && writeIndexSnapshot(sandboxId, opened, { name, seal, key }, yieldIfDue)
  }

  /** Returns counts and sizes of the graphs in memory, as last measured. */
  stats(): GraphCacheStats {
    const { size: graphs, bytes, evicted } = this.#entries
    return { graphs, bytes, bytesMax: this.#bytesMax, evicted, refused: this.#quota.refusals }
  }

  /** Returns true if the sandbox's graph is in memory. */
  has({ sandboxId }: SandboxRef): boolean {
    return this.#entries.find(sandboxId)?.opened !== undefined
  }

  /** Returns a sandbox's store at a storage root. */
  storeAt({ userId, sandboxId }: SandboxRef, root: StorageRoot | undefined): OpenedStore {
    return { root, store: this.#stores.open(userId, sandboxId, root) }
  }

  /** Drops the sandbox's graph. Forgets whether it fits in memory. */
  forget({ sandboxId }: SandboxRef): void {
    this.#entries.drop(sandboxId)
    this.#quota.forget(sandboxId)
  }

  clear(): void {
    this.#entries.clear()
  }

  /** Ids of the sandboxes whose graphs are in memory. */
  get ids(): Iterable<string> {
    return this.#entries.ids
  }

  #touch({ sandboxId }: SandboxRef): Entry {
    const entry = this.#entries.use(sandboxId, () => ({ opened: undefined, queue: Promise.resolve() }))
    this.#active.delete(sandboxId)
    this.#active.add(sandboxId)
    if (this.#active.size > ACTIVE_MAX) this.#releaseIdleMemory()
    return entry
  }

  async #catchUp(sandbox: KeyedSandboxRef, entry: Entry, head: Head, root: StorageRoot | undefined): Promise<void> {
    const { opened } = entry
    if (opened && !isNewer(head, opened.head)) return
    if (opened && opened.head.seq >= head.floorSeq) {
      const columns: GraphColumns[] = []
      let rows = 0
      for await (const batch of opened.place.store.readSince(head, opened.head.seq, {
        vectors: this.#parts.space !== undefined,
      })) {
        columns.push(batch)
        // Rows with only a new row number do not count, because they take no time to apply.
        if (batch.kind !== 'moved') rows += batch.moved.reduce((count, moved) => count - moved, batch.count)
        if (rows > CATCH_UP_ROWS_MAX) break
      }
      if (rows <= CATCH_UP_ROWS_MAX) {
        const release = await opened.threaded?.lock()
        try {
          this.#apply(sandbox, entry, opened, columns, head)
        } finally {
          release?.()
        }
        return
      }
    }
    const place = this.storeAt(sandbox, root)
    const built = await this.#observe('graph.build', () => this.#build(sandbox, entry, head, place))
    dropGraph(entry)
    entry.opened = built
  }

  /** Adds the rows of a catch-up to the graph. Drops the graph if that fails or the graph exceeds its quota. */
  #apply(
    { sandboxId }: SandboxRef,
    entry: Entry,
    opened: OpenedSandbox,
    ...[columns, head]: [readonly GraphColumns[], Head]
  ): void {
    try {
      for (const batch of columns) putRows(opened, batch, 0, batch.count)
      opened.head = head
      this.#quota.assertFits(sandboxId, opened.graph.bytes)
    } catch (cause) {
      dropGraph(entry)
      this.#updateSize({ sandboxId }, entry)
      throw this.#toFault(sandboxId, cause)
    }
  }

  #toFault(sandboxId: string, cause: unknown): unknown {
    return cause instanceof GraphFull ? this.#quota.rejectFull(sandboxId) : cause
  }

  async #build(sandbox: KeyedSandboxRef, entry: Entry, head: Head, place: OpenedStore): Promise<OpenedSandbox> {
    const { sandboxId } = sandbox
    this.#quota.assertRowsFit(sandboxId, await place.store.countRows(head))
    this.#builds += 1
    const name = `${sandboxId}/${this.#builds}`
    // Frees the old graph first if memory does not suffice for both. Questions wait for the new one anyway.
    if (entry.opened && entry.opened.graph.bytes * 2 > this.#bytesMax) dropGraph(entry)
    const heldBytes = entry.opened?.graph.bytes ?? 0
    let release: (() => void) | undefined
    const onGrown = async (bytes: number): Promise<void> => {
      this.#quota.assertFits(sandboxId, bytes)
      // A graph that is being built counts as most recently used, so that others are evicted.
      if (this.#entries.find(sandboxId) === entry) this.#entries.use(sandboxId, () => entry)
      this.#entries.updateSize(sandboxId, entry, bytes + heldBytes)
      this.#entries.evict()
      if (bytes > this.#bytesMax * LARGE_SHARE) release ??= await this.#acquireLargeSlot()
    }
    try {
      const { seal } = sandbox
      const building = { sandboxId, name, place, seal, log: this.#log, ...this.#parts, onGrown }
      const opened = await buildSandbox(head, building)
      if (isIndexSnapshotDue(opened)) this.onBuilt({ userId: sandbox.userId, sandboxId })
      return opened
    } catch (cause) {
      this.#updateSize({ sandboxId }, entry)
      throw this.#toFault(sandboxId, cause)
    } finally {
      release?.()
    }
  }

  /** Waits until no other large graph is being built. Returns a function that releases the slot. */
  async #acquireLargeSlot(): Promise<() => void> {
    const before = this.#lastLargeBuild
    let release: () => void = () => undefined
    this.#lastLargeBuild = new Promise((resolve) => {
      release = resolve
    })
    await before
    return release
  }

  /** Measures the graph of an entry and stores its size in the cache. */
  #updateSize({ sandboxId }: Pick<SandboxRef, 'sandboxId'>, entry: Entry): void {
    const bytes = entry.opened ? bytesOf(entry.opened) : 0
    // An erasure may have dropped the entry. Then it no longer counts.
    this.#entries.updateSize(sandboxId, entry, bytes)
  }

  /** Clears the caches of the least recently used graph that has them. */
  #releaseIdleMemory(): void {
    const [sandboxId] = this.#active
    if (sandboxId === undefined) return
    this.#active.delete(sandboxId)
    const entry = this.#entries.find(sandboxId)
    if (!entry?.opened) return
    entry.opened.graph.clearCaches()
    entry.opened.threaded?.releaseIdleMemory()
    this.#updateSize({ sandboxId }, entry)
  }
}

/** Drops a sandbox's graph here and on the threads. Work in progress keeps its reference. */
function dropGraph(entry: Entry): void {
  entry.opened?.threaded?.forget()
  entry.opened = undefined
}

function bytesOf({ graph, tieBreakers: ties, threaded }: OpenedSandbox): number {
  return graph.bytes + tieBreakerBytes(ties) + (threaded?.workingBytes ?? 0)
}
