import type { ParsedRecord } from '@cairnstore/engine/resolve'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import type { Head } from '../db/head.ts'
import type { ContentSeal } from '../tenancy/caller-keys/content-seal.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { BreakerCounts } from './breakers.ts'
import type { Growth } from './graph-room.ts'
import { Graphs } from './graphs.ts'
import type { GraphSettings, HeldFigures, RootOf } from './held-graphs.ts'
import type { LocalPlace, RecordText, SandboxStore, Stores } from './port.ts'
import { HeadGone } from './port.ts'
import { createRecordCache, type RecordCache } from './record-cache.ts'
import { plainView, type SandboxView, sealedView } from './sandbox-view.ts'
import type { VectorSpace } from './vector-space.ts'

/** Who asks for a sandbox's content, with the caller's key where there is one. */
interface SandboxAsker extends SandboxRef {
  readonly seal?: ContentSeal | undefined
}

/** What can be done with a store without knowing what its rows say. */
export type UnreadStore = Pick<
  SandboxStore,
  | 'upkeep'
  | 'purge'
  | 'sweep'
  | 'count'
  | 'recordIdsOf'
  | 'removePieces'
  | 'keepUploadPart'
  | 'readUploadPart'
  | 'removeUploadParts'
  | 'findNewest'
  | 'readSince'
  | 'recordsById'
>

/** Memory for the records of all sandboxes that were read lately, where it is not said how much. */
const RECORD_BYTES_MAX = 192 * 2 ** 20
/** Of that, what sandboxes under a caller's key may take, whose records are kept sealed and opened each time. */
const SEALED_SHARE = 1 / 3

/** What is kept in memory, and how. */
interface KnowledgeSettings extends GraphSettings {
  readonly recordBytesMax?: number
}

/** The knowledge plane: every sandbox's store, and the graphs of those in use. */
export class Knowledge {
  readonly #stores: Stores
  readonly #rootOf: RootOf
  readonly #log: Log
  /** What the vectors that count have in common; undefined: none do. */
  readonly space: VectorSpace | undefined
  readonly #graphs: Graphs
  #whenCommitted: (sandbox: SandboxRef, head: Head) => void = () => undefined
  readonly #cache: RecordCache<ParsedRecord>
  readonly #sealedCache: RecordCache<RecordText>

  constructor(stores: Stores, rootOf: RootOf, log: Log, settings: KnowledgeSettings = {}) {
    this.#stores = stores
    this.#rootOf = rootOf
    this.#log = log
    this.space = settings.space
    const { recordBytesMax = RECORD_BYTES_MAX } = settings
    this.#cache = createRecordCache(recordBytesMax * (1 - SEALED_SHARE))
    this.#sealedCache = createRecordCache(recordBytesMax * SEALED_SHARE)
    this.#graphs = new Graphs(stores, rootOf, log, settings)
  }

  /**
   * The sandbox as it is at the head, or newer. Throws HeadGone when the head is older than what is kept, `missing` or
   * `mismatch` when the sandbox is under another key than the asker's, and `sandbox_too_large` before memory ends.
   */
  async view(sandbox: SandboxAsker, head: Head): Promise<SandboxView> {
    const opened = await this.#graphs.openAt(sandbox, head)
    const { keyEpoch } = opened.head
    if (keyEpoch === null) return plainView(opened, this.#cache)
    if (!sandbox.seal) throw new Fault('missing')
    if (sandbox.seal.epoch !== keyEpoch) throw new Fault('mismatch')
    return sealedView(opened, sandbox.seal, this.#sealedCache)
  }

  /** What is held of graphs, and what became of others. */
  held(): HeldFigures {
    return this.#graphs.held()
  }

  /** How many records at the head have vectors, and how many there are; it needs no key. */
  async countRead(sandbox: SandboxRef, head: Head): Promise<{ done: number; all: number }> {
    const { graph } = await this.#graphs.openAt(sandbox, head)
    return { done: graph.vectorCount, all: graph.recordCount }
  }

  /** How many records at the head have a version of this commit or of one before; it needs no key. */
  async countUpTo(sandbox: SandboxRef, head: Head, seq: number): Promise<number> {
    const { graph } = await this.#graphs.openAt(sandbox, head)
    return graph.recordsUpTo(seq, Number.POSITIVE_INFINITY).length
  }

  /** Throws `sandbox_too_large` where it was found a short while ago that the sandbox's graph does not fit. */
  assertFits(sandbox: Pick<SandboxRef, 'sandboxId'>): void {
    this.#graphs.assertFits(sandbox)
  }

  /** What may be added to the sandbox beside what its graph takes, where it is held. */
  growthOf(sandbox: Pick<SandboxRef, 'sandboxId'>): Growth {
    return this.#graphs.growthOf(sandbox)
  }

  /** Whether so much is new in the graph that is held of a sandbox that it is worth an image. */
  isImageDue(sandbox: SandboxRef): boolean {
    return this.#graphs.isImageDue(sandbox)
  }

  /** Writes an image of the graph that is held of a sandbox; undefined where it changes meanwhile. */
  keepImage(sandbox: SandboxRef, ...how: [string, ContentSeal | undefined, () => Promise<void> | undefined]) {
    return this.#graphs.keepImage(sandbox, ...how)
  }

  /** Calls `built` for each graph that was built, of which an image may be worth keeping. */
  whenBuilt(built: (sandbox: SandboxRef) => void): void {
    this.#graphs.whenBuilt = built
  }

  /** Calls `committed` after each commit of this process, while the key that it was made under is still held. */
  whenCommitted(committed: (sandbox: SandboxRef, head: Head) => void): void {
    this.#whenCommitted = committed
  }

  /** Tells that the head has moved, so that the next question need not wait for the catch-up. */
  committed(sandbox: SandboxRef, head: Head): void {
    this.#whenCommitted(sandbox, head)
    if (!this.#graphs.has(sandbox)) return
    this.#graphs.openAt(sandbox, head).catch((error: unknown) => {
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
    this.#graphs.forget(sandbox)
    this.forgetRecords(sandbox)
  }

  /** Drops the records of the sandbox that were read lately. */
  forgetRecords({ sandboxId }: SandboxRef): void {
    this.#cache.forget(`${sandboxId}/`)
    this.#sealedCache.forget(`${sandboxId}/`)
  }

  /** The sandbox's store, without its graph and its content. */
  async store(sandbox: SandboxRef): Promise<UnreadStore> {
    return this.#graphs.placeAt(sandbox, await this.#rootOf(sandbox)).store
  }

  /** The breakers of object stores that failed. */
  get breakers(): BreakerCounts[] {
    return this.#stores.breakers()
  }

  /** What is noted in the platform's storage beside the sandboxes (`Stores`). */
  get notes(): Pick<Stores, 'keepNote' | 'readNotes' | 'removeNote'> {
    return this.#stores
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

  /** The sandboxes whose graphs are in memory. */
  get heldIds(): Iterable<string> {
    return this.#graphs.ids
  }

  /** Waits for no object store any more: what does, or would from now on, fails as `storage_unavailable`. */
  giveUp(): void {
    this.#stores.giveUp()
  }

  close(): void {
    this.#graphs.clear()
    this.#stores.close()
  }
}
