import { createRecordGraph } from '@cairnstore/engine/rank'
import type { ParsedRecord } from '@cairnstore/engine/resolve'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import type { Head } from '../db/head.ts'
import type { ContentSeal } from '../tenancy/caller-keys/content-seal.ts'
import { createEntityPlaces } from './entity-places.ts'
import { type GraphBounds, HeldGraphs } from './held-graphs.ts'
import { type OpenedSandbox, type Place, putRows } from './opened-sandbox.ts'
import {
  type GraphColumns,
  HeadGone,
  type LocalPlace,
  type RecordText,
  type SandboxStore,
  type StorageRoot,
  type Stores,
} from './port.ts'
import { createRecordCache } from './record-cache.ts'
import { createRowTable } from './row-table.ts'
import { plainView, type SandboxView, sealedView } from './sandbox-view.ts'
import { noTies, tiesBytes } from './sealed-ties.ts'
import type { VectorSpace } from './vector-space.ts'

interface Entry {
  opened: OpenedSandbox | undefined
  /** The catch-ups and rebuilds of one sandbox run one after the other. */
  queue: Promise<unknown>
}

export interface SandboxRef {
  userId: string
  sandboxId: string
}

/** Who asks for a sandbox's content, with the caller's key where there is one. */
interface SandboxAsker extends SandboxRef {
  readonly seal?: ContentSeal | undefined
}

/** What can be done with a store without knowing what its rows say. */
type UnreadStore = Pick<SandboxStore, 'upkeep' | 'purge' | 'sweep' | 'count' | 'recordIdsOf'>

/** Where a sandbox's datasets are, the same object as before while nothing has changed; undefined: the platform's. */
type RootOf = (sandbox: SandboxRef) => Promise<StorageRoot | undefined>

/** A million records of everyday length fit in. */
const GRAPH_BYTES_MAX = 2 ** 30
/** Some two thousand sandboxes of fifty records. */
const SMALL_GRAPH_BYTES_MAX = 256 * 2 ** 20
/** Sandboxes whose graphs remember what the last questions worked out; it takes as much as a small graph itself. */
const AWAKE_MAX = 128
/** Memory for the records of all sandboxes that were read lately. */
const CACHE_BYTES_MAX = 128 * 2 ** 20
/** The same for sandboxes under a caller's key, whose records are kept sealed and opened each time. */
const SEALED_CACHE_BYTES_MAX = 64 * 2 ** 20
/** A catch-up is applied in one go, so that no question sees half of it; a longer one is built aside and swapped in. */
const CATCH_UP_ROWS_MAX = 8_000
/** Building aside lets other work in after so many rows. */
const BUILD_ROWS_BETWEEN_BREATHS = 200

interface GraphSettings extends Partial<GraphBounds> {
  /** Of which the vectors are that they have; without it no vector is read. */
  space?: VectorSpace | undefined
}

/** The knowledge plane: every sandbox's store, and the graphs of those in use. */
export class Knowledge {
  readonly #stores: Stores
  readonly #rootOf: RootOf
  readonly #log: Log
  /** What the vectors that count have in common; undefined: none do. */
  readonly space: VectorSpace | undefined
  readonly #wants: { vectors: boolean }
  readonly #entries: HeldGraphs<Entry>
  /** Those used last, the latest at the end. */
  readonly #awake = new Set<string>()
  #builds = 0
  readonly #cache = createRecordCache<ParsedRecord>(CACHE_BYTES_MAX)
  readonly #sealedCache = createRecordCache<RecordText>(SEALED_CACHE_BYTES_MAX)

  constructor(
    stores: Stores,
    rootOf: RootOf,
    log: Log,
    { graphBytesMax = GRAPH_BYTES_MAX, smallGraphBytesMax = SMALL_GRAPH_BYTES_MAX, space }: GraphSettings = {},
  ) {
    this.#stores = stores
    this.#rootOf = rootOf
    this.#log = log
    this.#entries = new HeldGraphs({ graphBytesMax, smallGraphBytesMax })
    this.space = space
    this.#wants = { vectors: space !== undefined }
  }

  /**
   * The sandbox as it is at the head, or newer. Throws HeadGone when the head is older than what is kept, and `missing`
   * or `mismatch` when the sandbox is under another key than the asker's.
   */
  async view(sandbox: SandboxAsker, head: Head): Promise<SandboxView> {
    const opened = await this.#openAt(sandbox, head)
    const { keyEpoch } = opened.head
    if (keyEpoch === null) return plainView(opened, this.#cache)
    if (!sandbox.seal) throw new Fault('missing')
    if (sandbox.seal.epoch !== keyEpoch) throw new Fault('mismatch')
    return sealedView(opened, sandbox.seal, this.#sealedCache)
  }

  /** How many records at the head have vectors, and how many there are; it needs no key. */
  async countRead(sandbox: SandboxRef, head: Head): Promise<{ done: number; all: number }> {
    const { graph } = await this.#openAt(sandbox, head)
    return { done: graph.vectorCount, all: graph.recordCount }
  }

  /** How many records at the head have a version of this commit or of one before; it needs no key. */
  async countUpTo(sandbox: SandboxRef, head: Head, seq: number): Promise<number> {
    const { graph } = await this.#openAt(sandbox, head)
    return graph.recordsUpTo(seq, Number.POSITIVE_INFINITY).length
  }

  /** The graph at the head, or newer: under a caller's key it is of hashes alone, so that nobody need hold the key. */
  async #openAt(sandbox: SandboxRef, head: Head): Promise<OpenedSandbox> {
    const root = await this.#rootOf(sandbox)
    const entry = this.#touch(sandbox)
    if (entry.opened && entry.opened.place.root !== root) {
      // What opens the store is another key now; what it holds is the same.
      this.#stores.reopen(sandbox.userId, sandbox.sandboxId, root)
      entry.opened.place = this.#open(sandbox, root)
    }
    if (!entry.opened || isNewer(head, entry.opened.head)) {
      const turn = entry.queue.then(() => this.#catchUp(sandbox, entry, head, root))
      entry.queue = turn.catch(() => undefined)
      await turn
    }
    this.#weigh(sandbox, entry)
    this.#entries.evict()
    return entry.opened as OpenedSandbox
  }

  /** Tells that the head has moved, so that the next question need not wait for the catch-up. */
  committed(sandbox: SandboxRef, head: Head): void {
    if (!this.#entries.find(sandbox.sandboxId)?.opened) return
    this.#openAt(sandbox, head).catch((error: unknown) => {
      if (!(error instanceof HeadGone)) this.#log.warn('graph catch-up failed', { sandboxId: sandbox.sandboxId, error })
    })
  }

  /** Removes everything that is stored of the sandbox, and what is held of it in memory; returns the files removed. */
  async erase(sandbox: SandboxRef): Promise<number> {
    this.forget(sandbox)
    const root = await this.#rootOf(sandbox)
    const files = await this.#stores.erase(sandbox.userId, sandbox.sandboxId, root)
    // A question that was under way may have brought some of it back.
    this.forget(sandbox)
    return files
  }

  /** Drops what is held of the sandbox in memory. */
  forget(sandbox: SandboxRef): void {
    this.#entries.drop(sandbox.sandboxId)
    this.forgetRecords(sandbox)
  }

  /** Drops the records of the sandbox that were read lately. */
  forgetRecords({ sandboxId }: SandboxRef): void {
    this.#cache.forget(`${sandboxId}/`)
    this.#sealedCache.forget(`${sandboxId}/`)
  }

  /** The sandbox's store, without its graph and its content. */
  async store(sandbox: SandboxRef): Promise<UnreadStore> {
    return this.#open(sandbox, await this.#rootOf(sandbox)).store
  }

  /** The sandboxes that have a folder on the local disk, whether anyone knows of them or not. */
  listLocal(): Promise<LocalPlace[]> {
    return this.#stores.listLocal()
  }

  /** Whether a folder is one of the account's. */
  isOfAccount(place: LocalPlace, userId: string): boolean {
    return this.#stores.isOfAccount(place, userId)
  }

  /** Removes a folder that belongs to no sandbox. */
  eraseLocal(place: LocalPlace): Promise<number> {
    return this.#stores.eraseLocal(place)
  }

  /** Bytes of the graphs in memory. */
  get graphBytes(): number {
    return this.#entries.bytes
  }

  /** Waits for no object store any more: what does, or would from now on, fails as `storage_unavailable`. */
  giveUp(): void {
    this.#stores.giveUp()
  }

  close(): void {
    this.#entries.clear()
    this.#stores.close()
  }

  #touch({ sandboxId }: SandboxRef): Entry {
    const entry = this.#entries.use(sandboxId, () => ({ opened: undefined, queue: Promise.resolve() }))
    this.#awake.delete(sandboxId)
    this.#awake.add(sandboxId)
    if (this.#awake.size > AWAKE_MAX) this.#rest()
    return entry
  }

  #open({ userId, sandboxId }: SandboxRef, root: StorageRoot | undefined): Place {
    return { root, store: this.#stores.open(userId, sandboxId, root) }
  }

  async #catchUp(sandbox: SandboxRef, entry: Entry, head: Head, root: StorageRoot | undefined): Promise<void> {
    const { opened } = entry
    if (opened && !isNewer(head, opened.head)) return
    if (opened && opened.head.seq >= head.floorSeq) {
      const columns: GraphColumns[] = []
      let rows = 0
      for await (const batch of opened.place.store.readSince(head, opened.head.seq, this.#wants)) {
        columns.push(batch)
        // A row that only got another number costs nothing to apply.
        if (batch.kind !== 'moved') rows += batch.moved.reduce((count, moved) => count - moved, batch.count)
        if (rows > CATCH_UP_ROWS_MAX) break
      }
      if (rows <= CATCH_UP_ROWS_MAX) {
        for (const batch of columns) putRows(opened, batch, 0, batch.count)
        opened.head = head
        return
      }
    }
    entry.opened = await this.#build(head, sandbox.sandboxId, this.#open(sandbox, root))
  }

  async #build(head: Head, sandboxId: string, place: Place): Promise<OpenedSandbox> {
    this.#builds += 1
    const graph = createRecordGraph()
    const opened: OpenedSandbox = {
      head,
      name: `${sandboxId}/${this.#builds}`,
      graph,
      mergedInto: new Map(),
      records: createRowTable(graph.recordTable),
      entities: createEntityPlaces(graph.entityTable),
      ties: noTies(0),
      place,
      space: this.space,
    }
    for await (const batch of place.store.readSince(head, 0, this.#wants)) {
      for (let from = 0; from < batch.count; from += BUILD_ROWS_BETWEEN_BREATHS) {
        putRows(opened, batch, from, Math.min(batch.count, from + BUILD_ROWS_BETWEEN_BREATHS))
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    return opened
  }

  /** Counts what the graph of an entry takes now. */
  #weigh({ sandboxId }: Pick<SandboxRef, 'sandboxId'>, entry: Entry): void {
    const bytes = entry.opened ? entry.opened.graph.bytes + tiesBytes(entry.opened.ties) : 0
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
    this.#weigh({ sandboxId }, entry)
  }
}

function isNewer(head: Head, than: Head): boolean {
  return (
    head.seq > than.seq ||
    (head.seq === than.seq &&
      (head.recordsVersion > than.recordsVersion ||
        head.entitiesVersion > than.entitiesVersion ||
        head.linksVersion > than.linksVersion ||
        head.vectorsVersion > than.vectorsVersion))
  )
}
