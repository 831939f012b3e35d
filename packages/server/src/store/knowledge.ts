import type { ParsedRecord } from '@cairnstore/engine/resolve'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import type { Head } from '../db/head.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { GraphSettings, RootOf } from './graph-cache.ts'
import { Graphs, type KeyedSandboxRef } from './graphs.ts'
import { HeadGone, type RecordText, type SandboxStore, type Stores } from './port.ts'
import { createRecordCache, type RecordCache } from './record-cache.ts'
import { createDecryptingView, createPlainView, type SandboxView } from './sandbox-view.ts'
import type { VectorSpace } from './vector-space.ts'

/** The operations of a store that do not decrypt rows. */
export type MaintenanceStore = Pick<
  SandboxStore,
  | 'compact'
  | 'purge'
  | 'sweep'
  | 'count'
  | 'recordIdsOf'
  | 'writeSegment'
  | 'readSegment'
  | 'removeSegments'
  | 'findNewest'
  | 'readSince'
  | 'recordsById'
>

/** Default memory for cached records of all sandboxes, in bytes. */
const RECORD_BYTES_MAX = 192 * 2 ** 20
/** Fraction of this memory for sandboxes with a customer-managed key. Their records are cached encrypted. */
const ENCRYPTED_SHARE = 1 / 3

/** Settings of the in-memory caches and graphs. */
interface KnowledgeSettings extends GraphSettings {
  readonly recordBytesMax?: number
}

/** The data plane: the store of every sandbox, and the graphs of those in use. */
export class Knowledge {
  readonly #stores: Stores
  readonly #rootOf: RootOf
  readonly #log: Log
  /** The vector space in use. Undefined disables vectors. */
  readonly space: VectorSpace | undefined
  readonly #graphs: Graphs
  #onCommitted: (sandbox: SandboxRef, head: Head) => void = () => undefined
  readonly #cache: RecordCache<ParsedRecord>
  readonly #encryptedCache: RecordCache<RecordText>

  constructor(stores: Stores, rootOf: RootOf, log: Log, settings: KnowledgeSettings = {}) {
    this.#stores = stores
    this.#rootOf = rootOf
    this.#log = log
    this.space = settings.space
    const { recordBytesMax = RECORD_BYTES_MAX } = settings
    this.#cache = createRecordCache(recordBytesMax * (1 - ENCRYPTED_SHARE))
    this.#encryptedCache = createRecordCache(recordBytesMax * ENCRYPTED_SHARE)
    this.#graphs = new Graphs(stores, rootOf, log, settings)
  }

  get graphs(): Omit<Graphs, 'openAt' | 'storeAt'> {
    return this.#graphs
  }

  /** The storage backend, without the content of sandboxes. */
  get stores(): Omit<Stores, 'open' | 'reopen' | 'erase'> {
    return this.#stores
  }

  /**
   * Returns the sandbox at the head or newer. Throws HeadGone if the head is no longer stored. Throws `missing` or
   * `mismatch` without the sandbox's customer-managed key, and `sandbox_too_large` if its graph does not fit in memory.
   */
  async view(sandbox: KeyedSandboxRef, head: Head): Promise<SandboxView> {
    const opened = await this.#graphs.openAt(sandbox, head)
    const { keyEpoch } = opened.head
    if (keyEpoch === null) return createPlainView(opened, this.#cache)
    if (!sandbox.seal) throw new Fault('missing')
    if (sandbox.seal.epoch !== keyEpoch) throw new Fault('mismatch')
    return createDecryptingView(opened, sandbox.seal, this.#encryptedCache)
  }

  /** Returns the number of records with vectors at the head, and the number of all records. Needs no key. */
  async countEmbedded(sandbox: SandboxRef, head: Head): Promise<{ done: number; all: number }> {
    const { graph } = await this.#graphs.openAt(sandbox, head)
    return { done: graph.vectorCount, all: graph.recordCount }
  }

  /** Returns the number of records at the head whose version is from commit `seq` or earlier. Needs no key. */
  async countUpTo(sandbox: SandboxRef, head: Head, seq: number): Promise<number> {
    const { graph } = await this.#graphs.openAt(sandbox, head)
    return graph.recordsUpTo(seq, Number.POSITIVE_INFINITY).length
  }

  /** Calls `committed` after each commit of this process, while the customer-managed key is still available. */
  onCommitted(committed: (sandbox: SandboxRef, head: Head) => void): void {
    this.#onCommitted = committed
  }

  /** Calls the commit listener, and starts a catch-up so that the next question does not have to wait for it. */
  committed(sandbox: SandboxRef, head: Head): void {
    this.#onCommitted(sandbox, head)
    if (!this.#graphs.has(sandbox)) return
    this.#graphs.openAt(sandbox, head).catch((error: unknown) => {
      if (!(error instanceof HeadGone)) this.#log.warn('graph catch-up failed', { sandboxId: sandbox.sandboxId, error })
    })
  }

  /** Deletes all stored data of the sandbox and drops it from memory. Returns the number of deleted files. */
  async erase(sandbox: SandboxRef): Promise<number> {
    this.forget(sandbox)
    const root = await this.#rootOf(sandbox)
    const files = await this.#stores.erase(sandbox.userId, sandbox.sandboxId, root)
    // A concurrent question may have loaded some of it again.
    this.forget(sandbox)
    return files
  }

  forget(sandbox: SandboxRef): void {
    this.#graphs.forget(sandbox)
    this.forgetRecords(sandbox)
  }

  /** Drops the cached records of the sandbox. */
  forgetRecords({ sandboxId }: SandboxRef): void {
    this.#cache.dropPrefix(`${sandboxId}/`)
    this.#encryptedCache.dropPrefix(`${sandboxId}/`)
  }

  /** Returns the operations of the sandbox's store that need no key. */
  async store(sandbox: SandboxRef): Promise<MaintenanceStore> {
    return this.#graphs.storeAt(sandbox, await this.#rootOf(sandbox)).store
  }

  close(): void {
    this.#graphs.clear()
    this.#stores.close()
  }
}
