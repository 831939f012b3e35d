import { existsSync } from 'node:fs'
import { type Connection, connect, Session, type Table } from '@lancedb/lancedb'
import { HeadGone } from '../port.ts'
import { removeTornManifests } from './durable.ts'
import { type DatasetRef, datasetKey, datasetName, localDatasetPath, type SandboxFolder } from './sandbox-folder.ts'

/** Memory limits of Lance and the open tables, for all sandboxes together. */
export interface CacheLimits {
  readonly indexCacheBytes: number
  readonly metadataCacheBytes: number
  /** Maximum number of tables that are open for reading, each pinned to one version. */
  readonly tablesMax: number
}

interface PinnedTable {
  readonly table: Promise<Table>
  users: number
  isEvicted: boolean
}

interface Connected {
  readonly options: SandboxFolder['options']
  readonly connection: Promise<Connection>
}

/** Row numbers must survive compaction, since the graph reads records by them. */
const TABLE_OPTIONS = { new_table_enable_stable_row_ids: 'true' }

/** Cache of tables, each pinned to one version, because `checkout` changes the table it is called on. */
export class OpenTables {
  readonly #session: Session
  readonly #limits: CacheLimits
  readonly #tables = new Map<string, PinnedTable>()
  readonly #connections = new Map<string, Connected>()

  constructor(limits: CacheLimits) {
    this.#limits = limits
    this.#session = new Session(BigInt(limits.indexCacheBytes), BigInt(limits.metadataCacheBytes))
  }

  /** Returns the connection to a sandbox's folder. On a local disk this creates the folder. */
  connection(folder: SandboxFolder): Promise<Connection> {
    const { uri, options } = folder
    // Reconnects if the access key was replaced.
    if (this.#connections.get(uri)?.options !== options) this.#connections.delete(uri)
    const { connection } = touch(this.#connections, uri, () => {
      const storageOptions = { ...options, ...TABLE_OPTIONS }
      return { options, connection: connect({ uri, session: this.#session, storageOptions }) }
    })
    // A failure is not cached, so the next caller tries again.
    connection.catch(() => this.#connections.delete(uri))
    trim(this.#connections, this.#limits.tablesMax, () => undefined)
    return connection
  }

  /** Opens the latest version in a table of its own, which the caller closes. Deletes incomplete manifests. */
  async openLatest(place: DatasetRef): Promise<Table> {
    const path = localDatasetPath(place)
    // Connecting creates the folder. A read after an erasure must not do that.
    if (path && !existsSync(path)) throw new Error(`${path} was not found.`)
    const connection = await this.connection(place.folder)
    try {
      return await connection.openTable(datasetName(place))
    } catch (error) {
      if (isMissing(error) || !path || !(await removeTornManifests(path))) throw error
      return connection.openTable(datasetName(place))
    }
  }

  /** Runs `read` on a table pinned to a version. Throws HeadGone if the version or one of its files is missing. */
  async read<T>(place: DatasetRef, version: number, read: (table: Table) => Promise<T>): Promise<T> {
    const open = this.#acquire(place, version)
    try {
      return await read(await open.table)
    } catch (error) {
      throw toHeadGone(error, place, version)
    } finally {
      this.#release(open)
    }
  }

  /** Streams from a table pinned to a version. Returns the result of `read`. Throws HeadGone like `read`. */
  async *stream<T, R = void>(
    place: DatasetRef,
    version: number,
    read: (table: Table) => AsyncGenerator<T, R>,
  ): AsyncGenerator<T, R> {
    const open = this.#acquire(place, version)
    try {
      return yield* read(await open.table)
    } catch (error) {
      throw toHeadGone(error, place, version)
    } finally {
      this.#release(open)
    }
  }

  /** Closes the tables whose key (`<folder uri>/<dataset>@<version>`) has this prefix, once their reads end. */
  forget(keyPrefix: string): void {
    for (const [key, open] of this.#tables) {
      if (!key.startsWith(keyPrefix)) continue
      this.#tables.delete(key)
      evict(open)
    }
  }

  /** Drops the connection to a deleted folder. */
  disconnect(folder: SandboxFolder): void {
    this.#connections.delete(folder.uri)
  }

  close(): void {
    for (const open of this.#tables.values()) evict(open)
    this.#tables.clear()
    this.#connections.clear()
  }

  #acquire(place: DatasetRef, version: number): PinnedTable {
    const key = `${datasetKey(place)}@${version}`
    const open = touch(this.#tables, key, () => {
      const table = this.#openAt(place, version)
      table.catch(() => this.#tables.delete(key))
      return { table, users: 0, isEvicted: false }
    })
    open.users += 1
    trim(this.#tables, this.#limits.tablesMax, evict)
    return open
  }

  async #openAt(place: DatasetRef, version: number): Promise<Table> {
    const table = await this.openLatest(place)
    // A table opens at the latest version. A checkout of that version would cost a request.
    if ((await table.version()) !== version) await table.checkout(version)
    return table
  }

  #release(open: PinnedTable): void {
    open.users -= 1
    if (open.isEvicted) evict(open)
  }
}

/** Returns true if Lance reports a missing dataset, version or file. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && /not found/i.test(error.message)
}

function toHeadGone(error: unknown, place: DatasetRef, version: number): unknown {
  if (!isMissing(error)) return error
  return new HeadGone(`${datasetName(place)} is no longer stored at version ${version}.`, { cause: error })
}

function evict(open: PinnedTable): void {
  open.isEvicted = true
  if (open.users > 0) return
  open.table.then(
    (table) => table.close(),
    () => undefined,
  )
}

function touch<V>(map: Map<string, V>, key: string, make: () => V): V {
  const value = map.get(key) ?? make()
  map.delete(key)
  map.set(key, value)
  return value
}

function trim<V>(map: Map<string, V>, max: number, drop: (value: V) => void): void {
  for (const [key, value] of map) {
    if (map.size <= max) return
    map.delete(key)
    drop(value)
  }
}
