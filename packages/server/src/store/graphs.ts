import { GraphFull } from '@cairnstore/engine/rank'
import type { Log } from '../base/log.ts'
import { type Observe, unobserved } from '../base/observe.ts'
import { type Head, isNewer } from '../db/head.ts'
import type { ContentSeal } from '../tenancy/caller-keys/content-seal.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { type Building, buildSandbox } from './build-sandbox.ts'
import { isImageDue, type KeptImage, keepImage } from './graph-images.ts'
import { createGraphRoom, type GraphRoom, type Growth } from './graph-room.ts'
import type { GraphSettings, HeldFigures, RootOf } from './held-graphs.ts'
import { HeldGraphs } from './held-graphs.ts'
import { type OpenedSandbox, type OpenedStore, putRows } from './opened-sandbox.ts'
import type { GraphColumns, StorageRoot, Stores } from './port.ts'
import { tiesBytes } from './sealed-ties.ts'

/** Whose graph is opened; with the caller's key, under which its image is, where there is one. */
interface Opener extends SandboxRef {
  readonly seal?: ContentSeal | undefined
}

interface Entry {
  opened: OpenedSandbox | undefined
  /** The catch-ups and rebuilds of one sandbox run one after the other. */
  queue: Promise<unknown>
}

/** A million records of everyday length fit in. */
const GRAPH_BYTES_MAX = 2 ** 30
/** Some two thousand sandboxes of fifty records; less where there is little memory. */
const SMALL_GRAPH_BYTES_MAX = 256 * 2 ** 20
const SMALL_GRAPHS_SHARE = 1 / 4
/** Graphs that are more than this share of the memory are built one after the other. */
const LARGE_SHARE = 1 / 8
/** Sandboxes whose graphs remember what the last questions worked out; it takes as much as a small graph itself. */
const AWAKE_MAX = 128
/** A catch-up is applied in one go, so that no question sees half of it; a longer one is built aside and swapped in. */
const CATCH_UP_ROWS_MAX = 8_000

/** The graphs of the sandboxes in use, each at a head. */
export class Graphs {
  readonly #stores: Stores
  readonly #rootOf: RootOf
  readonly #parts: Pick<Building, 'space' | 'imageKey'>
  readonly #threads: GraphSettings['threads']
  readonly #entries: HeldGraphs<Entry>
  readonly #room: GraphRoom
  readonly #bytesMax: number
  readonly #observe: Observe
  /** Ends with the large graph that is being built. */
  #largeBuilt: Promise<void> = Promise.resolve()
  /** Those used last, the latest at the end. */
  readonly #awake = new Set<string>()
  #builds = 0
  readonly #log: Log
  /** Told of a graph that was built, of which an image may be worth keeping. */
  whenBuilt: (sandbox: SandboxRef) => void = () => undefined

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
    this.#parts = { space: parts.space, imageKey: parts.imageKey }
    this.#threads = parts.threads
    const smallMax = smallGraphBytesMax ?? Math.min(SMALL_GRAPH_BYTES_MAX, graphBytesMax * SMALL_GRAPHS_SHARE)
    this.#entries = new HeldGraphs({ graphBytesMax, smallGraphBytesMax: smallMax }, ({ opened }) =>
      opened?.threaded?.forget(),
    )
    this.#room = createGraphRoom(graphBytesMax)
    this.#bytesMax = graphBytesMax
  }

  /** The graph at the head, or newer: under a caller's key it is of hashes alone, so that nobody need hold the key. */
  async openAt(sandbox: Opener, head: Head): Promise<OpenedSandbox> {
    this.assertFits(sandbox)
    const root = await this.#rootOf(sandbox)
    const entry = this.#touch(sandbox)
    if (entry.opened && entry.opened.place.root !== root) {
      // What opens the store is another key now; what it holds is the same.
      this.#stores.reopen(sandbox.userId, sandbox.sandboxId, root)
      entry.opened.place = this.placeAt(sandbox, root)
    }
    if (!entry.opened || isNewer(head, entry.opened.head)) {
      const turn = entry.queue.then(() => this.#catchUp(sandbox, entry, head, root))
      entry.queue = turn.catch(() => undefined)
      await turn
    }
    const opened = entry.opened as OpenedSandbox
    // An erasure may have dropped it meanwhile, and nobody would tell the threads that it may go.
    if (this.#entries.find(sandbox.sandboxId) === entry) opened.threaded ??= this.#threads?.open(opened.graph)
    this.#weigh(sandbox, entry)
    this.#entries.evict()
    return opened
  }

  /** Throws `sandbox_too_large` where it was found a short while ago that the sandbox's graph does not fit. */
  assertFits({ sandboxId }: Pick<SandboxRef, 'sandboxId'>): void {
    this.#room.assertKnownToFit(sandboxId)
  }

  /** What may be added to the sandbox beside what its graph takes, where it is held. */
  growthOf({ sandboxId }: Pick<SandboxRef, 'sandboxId'>): Growth {
    const placesLeft = this.#entries.find(sandboxId)?.opened?.graph.placesLeft
    return this.#room.roomBeside(this.#entries.bytesOf(sandboxId), placesLeft)
  }

  /** Whether so much is new in the graph that is held of a sandbox that it is worth an image. */
  isImageDue({ sandboxId }: SandboxRef): boolean {
    const opened = this.#entries.find(sandboxId)?.opened
    return opened !== undefined && isImageDue(opened)
  }

  /** Keeps the graph of a sandbox as `keepImage` does; undefined where it is not held, and without a key for images. */
  async keepImage(
    { sandboxId }: SandboxRef,
    ...[name, seal, breathe]: [string, ContentSeal | undefined, () => Promise<void> | undefined]
  ): Promise<KeptImage | undefined> {
    const opened = this.#entries.find(sandboxId)?.opened
    const key = this.#parts.imageKey
    return opened && key && keepImage(sandboxId, opened, { name, seal, key }, breathe)
  }

  /** What is held, as it was weighed last. */
  held(): HeldFigures {
    const { size: graphs, bytes, evicted } = this.#entries
    return { graphs, bytes, bytesMax: this.#bytesMax, evicted, refused: this.#room.refusals }
  }

  /** Whether the graph of a sandbox is held. */
  has({ sandboxId }: SandboxRef): boolean {
    return this.#entries.find(sandboxId)?.opened !== undefined
  }

  /** A sandbox's store at a root. */
  placeAt({ userId, sandboxId }: SandboxRef, root: StorageRoot | undefined): OpenedStore {
    return { root, store: this.#stores.open(userId, sandboxId, root) }
  }

  /** Drops what is held of the sandbox. */
  forget({ sandboxId }: SandboxRef): void {
    this.#entries.drop(sandboxId)
    this.#room.forget(sandboxId)
  }

  /** Drops everything. */
  clear(): void {
    this.#entries.clear()
  }

  /** The sandboxes whose graphs are held. */
  get ids(): Iterable<string> {
    return this.#entries.ids
  }

  #touch({ sandboxId }: SandboxRef): Entry {
    const entry = this.#entries.use(sandboxId, () => ({ opened: undefined, queue: Promise.resolve() }))
    this.#awake.delete(sandboxId)
    this.#awake.add(sandboxId)
    if (this.#awake.size > AWAKE_MAX) this.#rest()
    return entry
  }

  async #catchUp(sandbox: Opener, entry: Entry, head: Head, root: StorageRoot | undefined): Promise<void> {
    const { opened } = entry
    if (opened && !isNewer(head, opened.head)) return
    if (opened && opened.head.seq >= head.floorSeq) {
      const columns: GraphColumns[] = []
      let rows = 0
      for await (const batch of opened.place.store.readSince(head, opened.head.seq, {
        vectors: this.#parts.space !== undefined,
      })) {
        columns.push(batch)
        // A row that only got another number costs nothing to apply.
        if (batch.kind !== 'moved') rows += batch.moved.reduce((count, moved) => count - moved, batch.count)
        if (rows > CATCH_UP_ROWS_MAX) break
      }
      if (rows <= CATCH_UP_ROWS_MAX) {
        const release = await opened.threaded?.hold()
        try {
          this.#apply(sandbox, entry, opened, columns, head)
        } finally {
          release?.()
        }
        return
      }
    }
    const place = this.placeAt(sandbox, root)
    const built = await this.#observe('graph.build', () => this.#build(sandbox, entry, head, place))
    letGo(entry)
    entry.opened = built
  }

  /** Applies a catch-up; a graph of which half is applied, or that has grown beyond what one may take, is let go of. */
  #apply(
    { sandboxId }: SandboxRef,
    entry: Entry,
    opened: OpenedSandbox,
    ...[columns, head]: [readonly GraphColumns[], Head]
  ): void {
    try {
      for (const batch of columns) putRows(opened, batch, 0, batch.count)
      opened.head = head
      this.#room.assertFits(sandboxId, opened.graph.bytes)
    } catch (cause) {
      letGo(entry)
      this.#weigh({ sandboxId }, entry)
      throw this.#refusalOf(sandboxId, cause)
    }
  }

  #refusalOf(sandboxId: string, cause: unknown): unknown {
    return cause instanceof GraphFull ? this.#room.refuseFull(sandboxId) : cause
  }

  async #build(sandbox: Opener, entry: Entry, head: Head, place: OpenedStore): Promise<OpenedSandbox> {
    const { sandboxId } = sandbox
    this.#room.assertRowsFit(sandboxId, await place.store.countRows(head))
    this.#builds += 1
    const name = `${sandboxId}/${this.#builds}`
    // Two graphs of a large sandbox would be more than there is room for; questions wait for the new one anyway.
    if (entry.opened && entry.opened.graph.bytes * 2 > this.#bytesMax) letGo(entry)
    const heldBytes = entry.opened?.graph.bytes ?? 0
    let release: (() => void) | undefined
    const grown = async (bytes: number): Promise<void> => {
      this.#room.assertFits(sandboxId, bytes)
      // What is being built takes memory like what is: others make room for it, and it is the one used last.
      if (this.#entries.find(sandboxId) === entry) this.#entries.use(sandboxId, () => entry)
      this.#entries.weigh(sandboxId, entry, bytes + heldBytes)
      this.#entries.evict()
      if (bytes > this.#bytesMax * LARGE_SHARE) release ??= await this.#takeLargeTurn()
    }
    try {
      const { seal } = sandbox
      const building = { sandboxId, name, place, seal, log: this.#log, ...this.#parts, grown }
      const opened = await buildSandbox(head, building)
      if (isImageDue(opened)) this.whenBuilt({ userId: sandbox.userId, sandboxId })
      return opened
    } catch (cause) {
      this.#weigh({ sandboxId }, entry)
      throw this.#refusalOf(sandboxId, cause)
    } finally {
      release?.()
    }
  }

  /** Waits until no other large graph is being built; gives what ends the turn. */
  async #takeLargeTurn(): Promise<() => void> {
    const before = this.#largeBuilt
    let release: () => void = () => undefined
    this.#largeBuilt = new Promise((resolve) => {
      release = resolve
    })
    await before
    return release
  }

  /** Counts what the graph of an entry takes now. */
  #weigh({ sandboxId }: Pick<SandboxRef, 'sandboxId'>, entry: Entry): void {
    const bytes = entry.opened ? bytesOf(entry.opened) : 0
    // An erasure may have dropped it meanwhile, and then it counts no more.
    this.#entries.weigh(sandboxId, entry, bytes)
  }

  /** Lets the graph rest that was used longest ago of those that do not. */
  #rest(): void {
    const [sandboxId] = this.#awake
    if (sandboxId === undefined) return
    this.#awake.delete(sandboxId)
    const entry = this.#entries.find(sandboxId)
    if (!entry?.opened) return
    entry.opened.graph.rest()
    entry.opened.threaded?.rest()
    this.#weigh({ sandboxId }, entry)
  }
}

/** Gives up what is held of a sandbox, here and on the threads; whoever still works with it has it for as long. */
function letGo(entry: Entry): void {
  entry.opened?.threaded?.forget()
  entry.opened = undefined
}

function bytesOf({ graph, ties, threaded }: OpenedSandbox): number {
  return graph.bytes + tiesBytes(ties) + (threaded?.workingBytes ?? 0)
}
