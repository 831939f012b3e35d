import type { DiskCache } from '../disk-cache.ts'
import type { SandboxLocation, SandboxStore, StorageRoot, Stores } from '../port.ts'
import { callWithin, createCircuitBreakers, diskGuard, guardStore, remoteGuard } from './guard-store.ts'
import { readNotes, removeNote, writeNote } from './notes.ts'
import { type CacheLimits, OpenTables } from './open-tables.ts'
import { erase } from './purge.ts'
import {
  folderAt,
  isOfAccount,
  isRemote,
  listSandboxFolders,
  type SandboxFolder,
  sandboxFolder,
} from './sandbox-folder.ts'
import { createSandboxStore } from './sandbox-store.ts'
import { createTails } from './tails.ts'
import { Writers } from './writers.ts'

/** Default memory for Lance's caches of all datasets, in bytes. */
const CACHE_BYTES_MAX = 96 * 2 ** 20
/** Fraction of it for indexes. Metadata has the rest. */
const INDEX_SHARE = 2 / 3
const TABLES_MAX = 256

/** Memory limit of the stores, and their disk cache. */
interface StoreLimits {
  readonly cacheBytesMax?: number
  readonly cache?: DiskCache | undefined
}

function limitsFor(cacheBytesMax: number): CacheLimits {
  const indexCacheBytes = Math.floor(cacheBytesMax * INDEX_SHARE)
  return { indexCacheBytes, metadataCacheBytes: cacheBytesMax - indexCacheBytes, tablesMax: TABLES_MAX }
}

/** Milliseconds for an erasure in an object store. It is retried later if it takes longer. */
const ERASE_MS_MAX = 60_000

/**
 * Stores the data of sandboxes in Lance datasets. Each commit appends rows with its number (`seq`). The row with the
 * greatest seq is the current version of its id. A row with `live` false is a tombstone. The head names the committed
 * versions, and the caller stores it in SQL.
 */
export class LanceStores implements Stores {
  readonly #root: StorageRoot
  readonly #tables: OpenTables
  readonly #writers: Writers
  readonly #tails = createTails()
  readonly #breakers: ReturnType<typeof createCircuitBreakers>
  readonly #cache: DiskCache | undefined
  readonly #closing = new AbortController()

  constructor(root: StorageRoot, { cache, cacheBytesMax = CACHE_BYTES_MAX }: StoreLimits = {}) {
    this.#root = root
    this.#breakers = createCircuitBreakers((uri) => uri.startsWith(`${root.uri}/`))
    this.#cache = cache
    this.#tables = new OpenTables(limitsFor(cacheBytesMax))
    this.#writers = new Writers(this.#tables)
  }

  open(userId: string, sandboxId: string, root: StorageRoot = this.#root): SandboxStore {
    const parts = this.#parts(userId, sandboxId, root)
    const store = createSandboxStore(parts)
    if (!isRemote(parts.folder)) return guardStore(store, diskGuard)
    const bounds = { breakers: this.#breakers, closing: this.#closing.signal }
    const reopen = () => this.reopen(userId, sandboxId, root)
    return guardStore(store, remoteGuard(parts.folder, bounds, reopen))
  }

  reopen(userId: string, sandboxId: string, root: StorageRoot = this.#root): void {
    const folder = sandboxFolder(root, userId, sandboxId)
    this.#writers.forgetAll(folder)
    this.#tables.forget(`${folder.uri}/`)
    this.#tails.forget(`${folder.uri}/`)
    this.#tables.disconnect(folder)
    this.#breakers.reset(folder.uri)
  }

  erase(userId: string, sandboxId: string, root: StorageRoot = this.#root): Promise<number> {
    const parts = this.#parts(userId, sandboxId, root)
    if (!isRemote(parts.folder)) return erase(parts)
    const bounds = { folder: parts.folder, limitMs: ERASE_MS_MAX, closing: this.#closing.signal }
    return callWithin(bounds, () => erase(parts))
  }

  writeNote(name: string, bytes: Uint8Array): Promise<void> {
    return writeNote(this.#root, name, bytes)
  }

  readNotes(): AsyncGenerator<Uint8Array> {
    return readNotes(this.#root)
  }

  removeNote(name: string): Promise<void> {
    return removeNote(this.#root, name)
  }

  listLocal(): Promise<SandboxLocation[]> {
    return listSandboxFolders(this.#root)
  }

  isOfAccount(place: SandboxLocation, userId: string): boolean {
    return isOfAccount(place, userId)
  }

  eraseLocal(place: SandboxLocation): Promise<number> {
    return erase(this.#partsAt(folderAt(this.#root, place)))
  }

  /** Reconnects for new requests after the credentials changed. Requests in progress continue. */
  reconnect(): void {
    this.#writers.close()
    this.#tables.close()
  }

  breakers() {
    return this.#breakers.counts()
  }

  abort(): void {
    this.#closing.abort()
  }

  close(): void {
    this.reconnect()
  }

  #parts(userId: string, sandboxId: string, root: StorageRoot) {
    return this.#partsAt(sandboxFolder(root, userId, sandboxId))
  }

  #partsAt(folder: SandboxFolder) {
    return { folder, tables: this.#tables, writers: this.#writers, tails: this.#tails, cache: this.#cache }
  }
}
